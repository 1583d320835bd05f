// biome-ignore-all lint/suspicious/noMisleadingCharacterClass: such characters are searched for, one by one.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: such characters are searched for, one by one.

import type { Finding, FlagCode } from './flag.ts'

/** Finds characters that people do not see but models do. Returns one finding for each run of a kind. */
export function findHiddenCharacters(text: string): Finding[] {
	if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return []
	return kinds.flatMap(({ code, pattern, isFine }) =>
		[...text.matchAll(pattern)]
			.filter((match) => !isFine?.(text, match.index, match[0]))
			.map((match) => ({ code, position: match.index })),
	)
}

interface Kind {
	code: FlagCode
	pattern: RegExp
	/** Recognises legitimate uses. */
	isFine?(text: string, position: number, found: string): boolean
}

const kinds: readonly Kind[] = [
	{ code: 'unicode_tag', pattern: /[\u{e0000}-\u{e007f}]+/gu, isFine: isFlagOfRegion },
	{ code: 'bidi_control', pattern: /[\u202a-\u202e\u2066-\u2069]+/gu },
	{ code: 'bidi_control', pattern: /[\u200e\u200f\u061c]+/gu, isFine: isBesideRightToLeft },
	{
		code: 'invisible_character',
		pattern:
			/[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff\uffa0\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]+/gu,
		isFine: isSoftHyphen,
	},
	{ code: 'invisible_character', pattern: /[\u200c\u200d]+/gu, isFine: isJoining },
	{
		code: 'variation_selector',
		pattern: /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u180b-\u180d]+/gu,
		isFine: isVariation,
	},
	{ code: 'escape_sequence', pattern: /\u001b[[\]()#P_^X]|\u009b/gu },
	{
		code: 'control_character',
		pattern: /(?:[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9a\x9c-\x9f\u2028\u2029]|\x1b(?![[\]()#P_^X]))+/gu,
	},
	{ code: 'private_character', pattern: /[\p{Co}\p{Cs}\ufdd0-\ufdef\ufff9-\ufffc]+/gu },
]

/** The flags of England, Scotland and Wales consist of a black flag, five or six tag characters and an end tag. */
function isFlagOfRegion(text: string, position: number, found: string): boolean {
	return text.slice(0, position).endsWith('\u{1f3f4}') && /^[\u{e0061}-\u{e007a}]{5,6}\u{e007f}$/u.test(found)
}

function isBesideRightToLeft(text: string, position: number, found: string): boolean {
	if (found.length > 1) return false
	const around = text.slice(Math.max(0, position - 16), position + 17)
	return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(around)
}

/** A single one between two letters of a word. */
function isSoftHyphen(text: string, position: number, found: string): boolean {
	return (
		found === '\u00ad' && /\p{L}$/u.test(text.slice(0, position)) && /^\p{L}/u.test(text.slice(position + 1))
	)
}

/** Joiners combine emoji, and letters of scripts that join. */
function isJoining(text: string, position: number, found: string): boolean {
	if (found.length > 1) return false
	const before = text.slice(Math.max(0, position - 3), position)
	const after = text.slice(position + 1, position + 4)
	if (found === '\u200d' && /[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}]$/u.test(before))
		return /^[\p{Extended_Pictographic}\u2640\u2642]/u.test(after)
	return joiningScripts.test(before.slice(-1)) && joiningScripts.test(after)
}

const joiningScripts =
	/^[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u

/** A single selector after a character that has variants: an emoji, a keycap digit, a Chinese character. */
function isVariation(text: string, position: number, found: string): boolean {
	if ([...found].length > 1) return false
	const before = text.slice(Math.max(0, position - 2), position)
	if (/^[\ufe0e\ufe0f]$/u.test(found))
		return /[\p{Emoji}\u2190-\u2bff\u3030\u303d\u3297\u3299\u203c\u2049\u2122\u2139\u00a9\u00ae]$/u.test(
			before,
		)
	if (/^[\u180b-\u180d]$/u.test(found)) return /\p{Script=Mongolian}$/u.test(before)
	return /[\p{Unified_Ideograph}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}]$/u.test(before)
}

/** Characters that are invisible, or change how others appear: format, control, private-use, unassigned, selectors, fillers. */
const hidden =
	/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** The text with hidden characters escaped as `\u{…}`; line ends and tabs stay. */
export function escapeHidden(text: string): string {
	return text.replaceAll(hidden, (character) => {
		if (character === '\n' || character === '\t') return character
		return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
	})
}
