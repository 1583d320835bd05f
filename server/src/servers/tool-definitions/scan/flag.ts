/** What a definition can be flagged for. `high`: nobody who means well writes it. `medium`: a person should look. */
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

/** Something in a definition that may hide from people or command the agent. */
export interface Flag {
	code: FlagCode
	severity: Severity
	/** JSON pointer to the text in the definition; a name of a property is pointed at as that property. */
	pointer: string
	/** Where it begins, in UTF-16 units of the text. */
	position: number
	/** What stands there with its surroundings; what hides is written as `\u{…}`. */
	excerpt: string
}

/** Where in one text something was found. */
export interface Finding {
	code: FlagCode
	position: number
}
