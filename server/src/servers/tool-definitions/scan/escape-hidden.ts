// biome-ignore-all lint/suspicious/noMisleadingCharacterClass: such characters are what is looked for, one by one.
/** Characters that do not show, or that change how others show: format, control, private, unassigned, selectors, fillers. */
const hidden =
	/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** The text with everything that hides written as `\u{…}`; line ends and tabs stay. */
export function escapeHidden(text: string): string {
	return text.replaceAll(hidden, (character) => {
		if (character === '\n' || character === '\t') return character
		return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
	})
}
