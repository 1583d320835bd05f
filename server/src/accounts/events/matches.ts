/** Whether one of the patterns (`*`, `area.*`, or a type) stands for a type. */
export function matches(patterns: readonly string[], type: string): boolean {
	return patterns.some(
		(pattern) =>
			pattern === '*' ||
			pattern === type ||
			(pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
	)
}
