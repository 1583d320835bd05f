/** The lines that hold something, without the space around them; commas part them, too. */
export function parseLines(text: string): string[] {
	return text
		.split(/[\n,]/)
		.map((line) => line.trim())
		.filter((line) => line !== '')
}
