const words =
	'the order of a customer was sent back because it did not fit and they asked whether another size could be had before the end of this week although our shop in the old town had none left but one in blue which was kept for somebody else until tomorrow morning so please look for a store near them that still has it'.split(
		' ',
	)

/** Text of about this many characters, different each time, that compresses like prose. */
export function sentence(length: number): string {
	let text = ''
	while (text.length < length) text += `${words[Math.floor(Math.random() * words.length)]} `
	return text
}
