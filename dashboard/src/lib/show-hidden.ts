// biome-ignore-all lint/suspicious/noMisleadingCharacterClass: the pattern matches such characters individually.
/**
 * Characters that are invisible, or that change how others are displayed: format, control, private use, unassigned, selectors,
 * fillers.
 */
const hidden =
	/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** Characters that change the direction of the text around them. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * A name with its direction controls written as `\u{…}`: with them, it could be displayed as another one. Other hidden characters stay,
 * because emoji and some scripts need them.
 */
export function showDirections(name: string): string {
	return name.replaceAll(directions, escaped)
}

/** The text with all hidden characters written as `\u{…}`, as the API does in excerpts; line ends and tabs are unchanged. */
export function showHidden(text: string): string {
	return text.replaceAll(hidden, (character) => {
		if (character === '\n' || character === '\t') return character
		return escaped(character)
	})
}

function escaped(character: string): string {
	return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
}
