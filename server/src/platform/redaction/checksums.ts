/** Lengths of account numbers by country (ISO 13616). */
const ibanLengths: Readonly<Record<string, number>> = {
	...{
		AD: 24,
		AE: 23,
		AL: 28,
		AT: 20,
		AZ: 28,
		BA: 20,
		BE: 16,
		BG: 22,
		BH: 22,
		BR: 29,
		BY: 28,
		CH: 21,
		CR: 22,
	},
	...{
		CY: 28,
		CZ: 24,
		DE: 22,
		DK: 18,
		DO: 28,
		EE: 20,
		EG: 29,
		ES: 24,
		FI: 18,
		FO: 18,
		FR: 27,
		GB: 22,
		GE: 22,
	},
	...{
		GI: 23,
		GL: 18,
		GR: 27,
		GT: 28,
		HR: 21,
		HU: 28,
		IE: 22,
		IL: 23,
		IQ: 23,
		IS: 26,
		IT: 27,
		JO: 30,
		KW: 30,
	},
	...{
		KZ: 20,
		LB: 28,
		LC: 32,
		LI: 21,
		LT: 20,
		LU: 20,
		LV: 21,
		LY: 25,
		MC: 27,
		MD: 24,
		ME: 22,
		MK: 19,
		MR: 27,
	},
	...{
		MT: 31,
		MU: 30,
		NL: 18,
		NO: 15,
		PK: 24,
		PL: 28,
		PS: 29,
		PT: 25,
		QA: 29,
		RO: 24,
		RS: 22,
		SA: 24,
		SC: 31,
	},
	...{
		SE: 24,
		SI: 19,
		SK: 24,
		SM: 27,
		ST: 25,
		SV: 28,
		TL: 23,
		TN: 24,
		TR: 26,
		UA: 29,
		VA: 22,
		VG: 24,
		XK: 20,
	},
}

/** Whether the check digits of an IBAN, with or without spaces, are right (ISO 7064, mod 97-10). */
export function isIban(text: string): boolean {
	if (lengthWithoutSpaces(text) !== ibanLengths[text.slice(0, 2)]) return false
	const plain = text.replaceAll(' ', '')
	let rest = 0
	for (const character of plain.slice(4) + plain.slice(0, 4)) {
		const value = Number.parseInt(character, 36)
		rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
	}
	return rest === 1
}

function lengthWithoutSpaces(text: string): number {
	let length = 0
	for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== 32) length += 1
	return length
}

/** Of the issuers of payment cards: the first digits from one number to another, and the lengths of their numbers. */
const issuers: readonly (readonly [least: number, most: number, lengths: readonly number[]])[] = [
	[400_000, 499_999, [13, 16, 19]],
	[510_000, 559_999, [16]],
	[222_100, 272_099, [16]],
	[340_000, 349_999, [15]],
	[370_000, 379_999, [15]],
	[601_100, 601_199, [16, 19]],
	[644_000, 659_999, [16, 19]],
	[300_000, 305_999, [14]],
	[360_000, 369_999, [14]],
	[380_000, 399_999, [14]],
	[352_800, 358_999, [16]],
	[620_000, 629_999, [16, 17, 18, 19]],
]

/** Whether digits, with or without spaces and hyphens, are the number of a payment card (issuer and Luhn's check digit). */
export function isCardNumber(text: string): boolean {
	let length = 0
	let prefix = 0
	/** Of every second digit from the first, and from the second: which are doubled depends on how many there are. */
	const sums = [0, 0]
	const doubledSums = [0, 0]
	for (let at = 0; at < text.length; at += 1) {
		const digit = text.charCodeAt(at) - 48
		if (digit < 0) continue
		const doubled = digit * 2
		if (length < 6) prefix = prefix * 10 + digit
		sums[length % 2] = (sums[length % 2] as number) + digit
		doubledSums[length % 2] = (doubledSums[length % 2] as number) + (doubled > 9 ? doubled - 9 : doubled)
		length += 1
	}
	if (!isIssued(prefix, length)) return false
	const last = (length + 1) % 2
	return ((sums[last] as number) + (doubledSums[1 - last] as number)) % 10 === 0
}

function isIssued(prefix: number, length: number): boolean {
	for (const [least, most, lengths] of issuers)
		if (prefix >= least && prefix <= most && lengths.includes(length)) return true
	return false
}
