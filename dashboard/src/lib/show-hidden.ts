// biome-ignore-all lint/suspicious/noMisleadingCharacterClass: the pattern matches such characters individually.
/**
 * Characters that are invisible, or that change how others are displayed: format, control, private use, unassigned, selectors,
 * fillers.
 */
const hidden =
	/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** The text with all hidden characters written as `\u{…}`, as the API does in excerpts; line ends and tabs are unchanged. */
export function showHidden(text: string): string {
	return text.replaceAll(hidden, (character) => {
		if (character === '\n' || character === '\t') return character
		return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
	})
}
