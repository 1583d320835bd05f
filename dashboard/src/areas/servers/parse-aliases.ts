/** Lines of `tool = alias` as a record; null if a line has another form. */
export function parseAliases(text: string): Record<string, string> | null {
	const aliases: Record<string, string> = {}
	for (const line of text.split('\n')) {
		if (line.trim() === '') continue
		const [, tool, alias] = line.match(/^\s*(\S.*?)\s*=\s*([\w-]+)\s*$/) ?? []
		if (!tool || !alias) return null
		aliases[tool] = alias
	}
	return aliases
}

/** The same record as lines. */
export function aliasLines(aliases: Readonly<Record<string, string>>): string {
	return Object.entries(aliases)
		.map(([tool, alias]) => `${tool} = ${alias}`)
		.join('\n')
}
