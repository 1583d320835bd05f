/** A pattern for the URIs of resources that a grant allows. */
export interface UriPattern {
	matches(uri: string): boolean
}

/** One element of a pattern: a character, any text (`*`), or text without `/` (`{name}`). */
type Piece = string | typeof anyText | typeof segment
const anyText = Symbol('any text')
const segment = Symbol('text without a slash')

/** A longer URI is only compared for equality. */
const longest = 4096

/**
 * A URI in which `*` matches any text and `{name}` at least one character other than `/?#`, as in simple URI templates. The
 * template itself matches too. A URI with a path segment `.` or `..` never matches a wildcard, because the server might resolve
 * it to another place. Nor does one with a tab or a line break: readers of URLs drop them, which can make such a segment.
 */
export function uriPattern(pattern: string): UriPattern {
	const pieces = toPieces(pattern)
	if (pieces.every((piece) => typeof piece === 'string')) return { matches: (uri) => uri === pattern }
	return {
		matches: (uri) =>
			uri === pattern || (uri.length <= longest && !climbs(uri) && matchesPieces(pieces, uri)),
	}
}

function toPieces(pattern: string): Piece[] {
	const parts = pattern.split(/(\*+|\{[^{}]*\})/)
	return parts.flatMap((part): Piece[] => {
		if (part.startsWith('*')) return [anyText]
		// Operators such as `{+path}` and `{?q}` produce text of any form.
		if (/^\{[^{}]*\}$/.test(part)) return [/^\{\w/.test(part) ? segment : anyText]
		return [...part]
	})
}

function climbs(uri: string): boolean {
	const plain = uri
		.replace(/%2e/gi, '.')
		.replace(/%2f/gi, '/')
		.replace(/%5c|\\/gi, '/')
	return /[\t\n\r]|(^|[/:])\.{1,2}([/?#;]|$)/.test(plain)
}

/** Tracks all elements at which the pattern can be after each character, so the time is at most the product of both lengths. */
function matchesPieces(pieces: readonly Piece[], uri: string): boolean {
	let at = skipEmpty(pieces, new Set([0]))
	for (const character of uri) {
		const next = new Set<number>()
		for (const index of at) {
			const piece = pieces[index]
			if (piece === anyText) next.add(index)
			else if (piece === segment) {
				if ('/?#'.includes(character)) continue
				next.add(index).add(index + 1)
			} else if (piece === character) next.add(index + 1)
		}
		if (next.size === 0) return false
		at = skipEmpty(pieces, next)
	}
	return at.has(pieces.length)
}

/** `*` may match the empty text. */
function skipEmpty(pieces: readonly Piece[], at: Set<number>): Set<number> {
	for (const index of at) if (pieces[index] === anyText) at.add(index + 1)
	return at
}
