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
	const plain = text.replaceAll(' ', '').toUpperCase()
	if (plain.length !== ibanLengths[plain.slice(0, 2)]) return false
	let rest = 0
	for (const character of plain.slice(4) + plain.slice(0, 4)) {
		const value = Number.parseInt(character, 36)
		rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
	}
	return rest === 1
}

/** First digits of the issuers of payment cards, with the lengths of their numbers. */
const issuers: readonly (readonly [RegExp, readonly number[]])[] = [
	[/^4/, [13, 16, 19]],
	[/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
	[/^3[47]/, [15]],
	[/^(?:6011|64[4-9]|65)/, [16, 19]],
	[/^(?:30[0-5]|36|38|39)/, [14]],
	[/^35(?:2[89]|[3-8])/, [16]],
	[/^62/, [16, 17, 18, 19]],
]

/** Whether digits, with or without spaces and hyphens, are the number of a payment card (issuer and Luhn's check digit). */
export function isCardNumber(text: string): boolean {
	const digits = text.replace(/[ -]/g, '')
	if (!issuers.some(([start, lengths]) => start.test(digits) && lengths.includes(digits.length))) return false
	let sum = 0
	for (let i = 0; i < digits.length; i++) {
		const digit = digits.charCodeAt(digits.length - 1 - i) - 48
		const doubled = i % 2 === 1 ? digit * 2 : digit
		sum += doubled > 9 ? doubled - 9 : doubled
	}
	return sum % 10 === 0
}
