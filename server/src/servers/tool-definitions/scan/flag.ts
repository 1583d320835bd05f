/** Reasons to flag a definition. `high`: no well-meaning author writes this. `medium`: a person should check it. */
export const flagCodes = {
	unicode_tag: 'high',
	bidi_control: 'high',
	invisible_character: 'high',
	variation_selector: 'high',
	control_character: 'high',
	escape_sequence: 'high',
	mixed_script: 'high',
	oversized_text: 'high',
	private_character: 'medium',
	html_comment: 'medium',
	long_whitespace: 'medium',
	encoded_text: 'medium',
	instruction: 'medium',
} as const
export type FlagCode = keyof typeof flagCodes
export type Severity = 'high' | 'medium'

/** A part of a definition that may be hidden from people, or command the agent. */
export interface Flag {
	code: FlagCode
	severity: Severity
	/** JSON pointer to the text in the definition; for a property's name, to that property. */
	pointer: string
	/** Start position, in UTF-16 units of the text. */
	position: number
	/** The text with its surroundings; hidden characters are escaped as `\u{…}`. */
	excerpt: string
}

/** A finding within one text. */
export interface Finding {
	code: FlagCode
	position: number
}
