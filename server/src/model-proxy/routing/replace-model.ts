/** Where the value of the top-level field `model` stands in a JSON object, or null. */
function findModel(text: string): { from: number; to: number } | null {
	let depth = 0
	for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
		const [part] = token
		if (part === '{' || part === '[') depth += 1
		else if (part === '}' || part === ']') depth -= 1
		else if (depth === 1 && part === '"model"') {
			const from = token.index + part.length
			const value = /^\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text.slice(from, from + 1000))
			if (value)
				return { from: from + value[0].length - (value[1] as string).length, to: from + value[0].length }
		}
	}
	return null
}

/**
 * A body that asks for another model and is the same to the byte else; null where no model stands in it. Bytes are read
 * as Latin-1, which keeps every one of them: what is looked for is ASCII.
 */
export function replaceModel(body: Buffer, model: string): Buffer | null {
	const found = findModel(body.toString('latin1'))
	if (!found) return null
	const value = Buffer.from(JSON.stringify(model))
	return Buffer.concat([body.subarray(0, found.from), value, body.subarray(found.to)])
}
