const lengthMax = 24
/** Names that paths of ours use. */
const reserved: ReadonlySet<string> = new Set(['platform'])

/** The short name of a server: lower-case, other characters as `-`, at most 24; taken or reserved ones get `-2`, `-3`, … */
export function freeSlug(name: string, taken: ReadonlySet<string>): string {
	const base = slugOf(name)
	if (!reserved.has(base) && !taken.has(base)) return base
	for (let number = 2; ; number += 1) {
		const suffix = `-${number}`
		const candidate = trimDashes(base.slice(0, lengthMax - suffix.length)) + suffix
		if (!taken.has(candidate)) return candidate
	}
}

function slugOf(name: string): string {
	const plain = name
		.normalize('NFKD')
		.toLowerCase()
		.replaceAll(/\p{M}/gu, '')
		.replaceAll(/[^a-z0-9]+/g, '-')
	return trimDashes(trimDashes(plain).slice(0, lengthMax)) || 'server'
}

function trimDashes(text: string): string {
	return text.replaceAll(/^-+|-+$/g, '')
}
