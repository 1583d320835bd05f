/** Header lines as a record; null if a line is not `name: value`. */
export function parseHeaders(text: string): Record<string, string> | null {
	const headers: Record<string, string> = {}
	for (const line of text.split('\n')) {
		if (line.trim() === '') continue
		const [, name, value] = line.match(/^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*\S)\s*$/) ?? []
		if (!name || !value) return null
		headers[name] = value
	}
	return headers
}
