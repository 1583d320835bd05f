const shortest = 3

/** `listOpenIssues`, `list_open_issues` and `list-open-issues` are the same words. */
export function wordsOfName(name: string): string[] {
	const parts = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
	return parts.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** Short words say nothing, and a long text is compared by its beginning. */
export function wordsOfText(text: string): Set<string> {
	const words = text
		.slice(0, 2000)
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
	return new Set(words.filter((word) => word.length >= shortest))
}

/** Words in both of all words in either (Jaccard); 0 where one has none. */
export function similarity(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
	if (first.size === 0 || second.size === 0) return 0
	let both = 0
	for (const word of first) if (second.has(word)) both += 1
	return both / (first.size + second.size - both)
}
