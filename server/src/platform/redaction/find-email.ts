import type { Found } from './searches.ts'

const longestName = 64
const domain = /(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])/y

/** `[\w.%+-]` by character code. */
const isOfName = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.%+-')
	isOfName[character.charCodeAt(0)] = 1

/**
 * The first address of e-mail from a place on. It looks around each at sign alone: a pattern that begins with the name would
 * be tried at every word of the text, which took most of the time of all detectors together.
 */
export function findEmail(text: string, from: number): Found | null {
	for (let at = text.indexOf('@', from); at >= 0; at = text.indexOf('@', at + 1)) {
		const start = startOfName(text, at)
		if (start < from || start === at || at - start > longestName) continue
		domain.lastIndex = at + 1
		if (domain.test(text)) return { start, end: domain.lastIndex, kept: 0 }
	}
	return null
}

/** Where the word before the at sign begins; of one that is too long for a name, a place that makes it so. */
function startOfName(text: string, at: number): number {
	let start = at
	while (start > 0 && at - start <= longestName && isOfName[text.charCodeAt(start - 1)] === 1) start--
	return start
}
