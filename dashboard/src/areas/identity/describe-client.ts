const programs: readonly (readonly [RegExp, string])[] = [
	[/Edg\//, 'Edge'],
	[/OPR\//, 'Opera'],
	[/Firefox\//, 'Firefox'],
	[/Chrome\//, 'Chrome'],
	[/Safari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
	[/iPhone|iPad/, 'iOS'],
	[/Android/, 'Android'],
	[/Windows/, 'Windows'],
	[/Mac OS X/, 'macOS'],
	[/Linux/, 'Linux'],
]

/** `Firefox on Linux` for a `User-Agent` of a browser; the first word for any other program. */
export function describeClient(userAgent: string): string {
	const program = nameIn(programs, userAgent) ?? userAgent.split(/[\s/]/, 1)[0]
	const system = nameIn(systems, userAgent)
	if (!program) return 'unknown client'
	return system ? `${program} on ${system}` : program
}

function nameIn(known: typeof programs, text: string): string | undefined {
	return known.find(([pattern]) => pattern.test(text))?.[1]
}
