/**
 * Where the value of a top-level field begins in a JSON object, or null; of fields with the same name, the first whose value
 * `fits` begins there. The text may be bytes read as Latin-1: what is looked for is ASCII.
 */
export function topLevelValue(text: string, name: string, fits: RegExp): number | null {
	const quoted = `"${name}"`
	let depth = 0
	for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
		const [part] = token
		if (part === '{' || part === '[') depth += 1
		else if (part === '}' || part === ']') depth -= 1
		else if (depth === 1 && part === quoted) {
			const at = afterColon(text, token.index + part.length)
			if (at !== null && fits.test(text.slice(at, at + 1000))) return at
		}
	}
	return null
}

function afterColon(text: string, from: number): number | null {
	const colon = /^\s*:\s*/.exec(text.slice(from, from + 1000))
	return colon ? from + colon[0].length : null
}
