import type { Finding } from './flag.ts'

/** Letters that look like Latin ones are written for their looks, not for their sound, when they stand among them. */
const lookalike =
	/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}]/u
const latin = /[A-Za-z]/
/** Full-width, mathematical and enclosed letters and digits: other characters for the plain ones. */
const dressedUp = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}\u24b6-\u24e9\u{1f1e6}-\u{1f1ff}]/u
/** Units and formulas. */
const usual = /^[µμΩΔδπλσθαβγ°]?[A-Za-z]{0,3}$|^[A-Za-z]{0,3}[µμΩΔδπλσθαβγ]$/u
const words = /[\p{L}\p{M}\p{N}_]+/gu

/** Words that mix Latin with letters that look alike. In a name, letters in another dress count too. */
export function findMixedScript(text: string, isName: boolean): Finding[] {
	if (/^[\0-\x7f]*$/.test(text)) return []
	return [...text.matchAll(words)]
		.filter(
			([word]) =>
				(lookalike.test(word) && latin.test(word) && !usual.test(word)) || (isName && dressedUp.test(word)),
		)
		.flatMap((match) => partsOf(match[0], match.index, isName))
}

/** Identifiers join words of several scripts by underscores; in running text those count one by one. */
function partsOf(word: string, start: number, isName: boolean): Finding[] {
	const parts = isName ? [word] : word.split('_')
	const isMixed = parts.some((part) => (lookalike.test(part) && latin.test(part)) || dressedUp.test(part))
	return isMixed ? [{ code: 'mixed_script', position: start }] : []
}
