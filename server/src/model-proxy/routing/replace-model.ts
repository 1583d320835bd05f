import { topLevelValue } from '../top-level-value.ts'

const string = /^"(?:[^"\\]|\\.)*"/

/**
 * A body that asks for another model and is the same to the byte else; null where no model stands in it. Bytes are read
 * as Latin-1, which keeps every one of them: what is looked for is ASCII.
 */
export function replaceModel(body: Buffer, model: string): Buffer | null {
	const text = body.toString('latin1')
	const from = topLevelValue(text, 'model', string)
	if (from === null) return null
	const to = from + (string.exec(text.slice(from, from + 1000))?.[0].length ?? 0)
	const value = Buffer.from(JSON.stringify(model))
	return Buffer.concat([body.subarray(0, from), value, body.subarray(to)])
}
