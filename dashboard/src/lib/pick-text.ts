/** The named parameters of a URL that contain text; anything else is left out. */
export function pickText<const Name extends string>(
	search: Record<string, unknown>,
	names: readonly Name[],
): { [K in Name]?: string } {
	const filled = names.filter(
		(name) => ['string', 'number'].includes(typeof search[name]) && search[name] !== '',
	)
	return Object.fromEntries(filled.map((name) => [name, String(search[name])])) as { [K in Name]?: string }
}

/** The value if it is one of the known ones. */
export function oneOf<const T extends string>(known: readonly T[], value: unknown): T | undefined {
	return known.find((one) => one === value)
}
