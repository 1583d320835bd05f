/** The trimmed non-empty lines; commas are separators, too. */
export function parseLines(text: string): string[] {
	return text
		.split(/[\n,]/)
		.map((line) => line.trim())
		.filter((line) => line !== '')
}
