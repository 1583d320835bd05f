import { jsonTokens } from './json-tokens.ts'

/**
 * Where the value of a top-level field begins in a JSON object, or null; of fields with the same name, the first whose value
 * `fits` begins there. The text may be bytes read as Latin-1: what is looked for is ASCII.
 */
export function topLevelValue(text: string, name: string, fits: RegExp): number | null {
	const quoted = `"${name}"`
	let depth = 0
	for (const { from, to, named } of jsonTokens(text)) {
		const first = text[from]
		if (first === '{' || first === '[') depth += 1
		else if (first === '}' || first === ']') depth -= 1
		else if (named && depth === 1 && text.slice(from, to) === quoted) {
			const at = afterColon(text, to)
			if (fits.test(text.slice(at, at + 1000))) return at
		}
	}
	return null
}

function afterColon(text: string, from: number): number {
	const colon = /\s*:\s*/y
	colon.lastIndex = from
	return from + (colon.exec(text)?.[0].length ?? 0)
}
