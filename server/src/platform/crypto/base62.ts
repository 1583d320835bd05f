const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The low digits of a number in base62, with leading zeros. */
export function toBase62(value: bigint, digits: number): string {
	let text = ''
	for (let rest = value; text.length < digits; rest /= 62n) text = alphabet[Number(rest % 62n)] + text
	return text
}

/** The number that base62 text stands for; every character must be one of the alphabet. */
export function fromBase62(text: string): bigint {
	let value = 0n
	for (const digit of text) value = value * 62n + BigInt(alphabet.indexOf(digit))
	return value
}
