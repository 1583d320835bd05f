/** Signs that ids and names consist of, as escapes; quotes and backslashes are not among them, so that strings keep their ends. */
const escapedSign = /\\u00(2[df]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9a])/gi

/** A body whose ids are written out: JSON lets every letter hide in an escape. */
function withoutEscapes(body: string): string {
	if (!body.includes('\\u00')) return body
	return body.replace(escapedSign, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** What a body names by this pattern, whose first group is the name, each once; and the body with its ids written out. */
export function namesIn(body: string, pattern: RegExp): { names: string[]; text: string } {
	const text = withoutEscapes(body)
	return { names: [...new Set([...text.matchAll(pattern)].map(([, name]) => name as string))], text }
}
