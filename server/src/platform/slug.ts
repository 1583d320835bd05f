const maxLength = 24

/**
 * The slug of a name for URLs: lower case, other characters replaced by `-`, at most 24 characters. If it is taken, it gets `-2`,
 * `-3`, … `fallback` is used for a name without a letter or digit.
 */
export function freeSlug(name: string, taken: ReadonlySet<string>, fallback: string): string {
	const base = slugOf(name, fallback)
	if (!taken.has(base)) return base
	for (let number = 2; ; number += 1) {
		const suffix = `-${number}`
		const candidate = trimDashes(base.slice(0, maxLength - suffix.length)) + suffix
		if (!taken.has(candidate)) return candidate
	}
}

function slugOf(name: string, fallback: string): string {
	const plain = name
		.normalize('NFKD')
		.toLowerCase()
		.replaceAll(/\p{M}/gu, '')
		.replaceAll(/[^a-z0-9]+/g, '-')
	return trimDashes(trimDashes(plain).slice(0, maxLength)) || fallback
}

function trimDashes(text: string): string {
	return text.replaceAll(/^-+|-+$/g, '')
}
