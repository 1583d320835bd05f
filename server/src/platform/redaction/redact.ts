import { findEmail, findJwt, findPhone, findPrivateKey, findSecret, type SearchMatch } from './searches.ts'

/** A text after redaction. */
interface Redacted {
	text: string
	/** The number of matches per detector; empty if the text is unchanged. */
	found: ReadonlyMap<string, number>
}

const nothing: ReadonlyMap<string, number> = new Map()

/**
 * Replaces matches of the detectors by `[redacted:<detector>]`, so that a reader sees that something was there, and of what kind.
 */
export function redact(text: string, by: readonly Detector[] = detectors): Redacted {
	let result = text
	let found: Map<string, number> | null = null
	for (const detector of by) {
		if (!detector.mayHold(result)) continue
		let count = 0
		result = replaceMatches(result, detector, () => {
			count += 1
		})
		if (count > 0) found = (found ?? new Map()).set(detector.name, count)
	}
	return { text: result, found: found ?? nothing }
}

/** The beginning of a text. It is redacted before it is truncated, so that no part of a secret remains at its end. */
export function redactedStart(text: string, maxChars: number): string {
	return redact(text).text.slice(0, maxChars).toWellFormed()
}

function replaceMatches(text: string, detector: Detector, onMatch: () => void): string {
	let result = ''
	let from = 0
	for (let found = detector.find(text, 0); found; found = detector.find(text, from)) {
		onMatch()
		result += `${text.slice(from, found.start + found.kept)}[redacted:${detector.name}]`
		from = found.end
	}
	return from === 0 ? text : result + text.slice(from)
}

/** Detects one kind of private text. */
interface Detector {
	/** Used in the replacement: `[redacted:email]`. */
	name: string
	/** A quick check whether a text needs to be searched at all; most do not. */
	mayHold(text: string): boolean
	/** The first match at or after a position, in linear time. */
	find(text: string, from: number): SearchMatch | null
}

interface PatternChecks {
	/** A final check of a candidate. */
	accepts?(match: string): boolean
	/** Returns `Found.kept`. */
	keeps?(match: RegExpExecArray): number
}

/** Searches by a global pattern, in which every repetition must be bounded. */
function byPattern(pattern: RegExp, { accepts, keeps }: PatternChecks = {}): Detector['find'] {
	return (text, from) => {
		pattern.lastIndex = from
		for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
			if (!accepts || accepts(match[0]))
				return { start: match.index, end: pattern.lastIndex, kept: keeps?.(match) ?? 0 }
			// A part of the rejected match may still be a match.
			pattern.lastIndex = match.index + 1
		}
		return null
	}
}

const maxRemembered = 100_000
let [lastText, lastHasDigits] = ['', false]
/**
 * The engine searches for one character many times as fast as for two, and most texts contain none. Several detectors ask about the
 * same text.
 */
function hasDigits(text: string): boolean {
	if (text.length > maxRemembered) return /\d{2}/.test(text)
	if (text !== lastText) [lastText, lastHasDigits] = [text, /\d/.test(text) && /\d{2}/.test(text)]
	return lastHasDigits
}

/** Whether `bea` or `bas` occurs anywhere, ignoring case. This takes a quarter of the time of a pattern. */
function mayHoldToken(text: string): boolean {
	for (const first of 'bB')
		for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
			const next = text.charCodeAt(at + 1) | 32
			const last = text.charCodeAt(at + 2) | 32
			if (next === 101 ? last === 97 : next === 97 && last === 115) return true
		}
	return false
}

/** Credential formats that issuers mark with a prefix. */
const issuedKeys = [
	'sk-(?:ant-|proj-|or-|svcacct-)?[\\w-]{20,200}',
	'(?:sk|rk|pk|whsec)_(?:live|test)_\\w{16,200}',
	'(?:AKIA|ASIA|AGPA|AROA)[0-9A-Z]{16}',
	'gh[pousr]_\\w{36,255}',
	'github_pat_\\w{22,255}',
	'glpat-[\\w-]{20,64}',
	'xox[abeprs]-[\\w-]{10,255}',
	'AIza[\\w-]{35}',
	'ya29\\.[\\w-]{20,255}',
	'hf_\\w{30,64}',
	'npm_\\w{36}',
	'pypi-[\\w-]{40,255}',
	'SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}',
	'dop_v1_\\w{64}',
	'lin_api_\\w{32,64}',
	'(?:sk|it|rt|su|vt|pw|iv|ac|at|or|sh)_service_\\w{16,200}',
].join('|')

/** In the order in which they are applied; text that one has redacted is not searched by the next. */
export const detectors: readonly Detector[] = [
	{
		name: 'private_key',
		mayHold: (text) => text.includes('-----BEGIN'),
		find: findPrivateKey,
	},
	{
		name: 'jwt',
		// A token begins with `eyJ`, of which `J` is the rare character.
		mayHold: (text) => text.includes('J'),
		find: findJwt,
	},
	{
		name: 'key',
		mayHold: (text) => ['_', '-', 'AKIA', 'ASIA', 'AIza', 'ya29'].some((mark) => text.includes(mark)),
		find: byPattern(new RegExp(`\\b(?:${issuedKeys})`, 'g')),
	},
	{
		name: 'token',
		mayHold: mayHoldToken,
		find: byPattern(/\b(Bearer|Basic)\s{1,4}[\w.~+/=-]{12,4096}/gi, {
			keeps: (match) => (match[1] as string).length + 1,
		}),
	},
	{
		name: 'secret',
		mayHold: (text) => text.includes(':') || text.includes('='),
		find: findSecret,
	},
	{ name: 'email', mayHold: (text) => text.includes('@'), find: findEmail },
	{
		name: 'iban',
		mayHold: hasDigits,
		find: byPattern(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, { accepts: isIban }),
	},
	{
		name: 'card',
		mayHold: hasDigits,
		find: byPattern(/(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g, { accepts: isCardNumber }),
	},
	{
		name: 'ssn',
		mayHold: (text) => text.includes('-') && hasDigits(text),
		find: byPattern(/(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g),
	},
	{
		name: 'phone',
		mayHold: (text) => /[+-]/.test(text) && hasDigits(text),
		find: findPhone,
	},
]

/** Lengths of IBANs by country (ISO 13616). */
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

/** Whether an IBAN, with or without spaces, has valid check digits (ISO 7064, mod 97-10). */
function isIban(text: string): boolean {
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

/** Issuers of payment cards: ranges of the first digits, and the lengths of their numbers. */
const issuers: readonly (readonly [min: number, max: number, lengths: readonly number[]])[] = [
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

/** Whether digits, with or without spaces and hyphens, are a payment card number (issuer and Luhn check). */
function isCardNumber(text: string): boolean {
	let length = 0
	let prefix = 0
	/**
	 * Sums over every second digit, starting with the first and with the second: which ones are doubled depends on the number of
	 * digits.
	 */
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
	for (const [min, max, lengths] of issuers)
		if (prefix >= min && prefix <= max && lengths.includes(length)) return true
	return false
}

/** Matches all our credentials, provider keys of the usual forms, and key parameters in URLs. */
const secretText =
	/\b(?:sk|it|rt|su|vt|pw|iv|ac|at|or|sh)_service_[A-Za-z0-9]+|\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bsk-[A-Za-z0-9_-]{8,}|([?&](?:key|token)=)[^&\s"]+|\bBearer\s+[^\s"]+/g

/** Redacts credentials inside free text, such as an error message or a URL. */
export function redactText(text: string): string {
	return text.replace(secretText, (_match, parameter?: string) => `${parameter ?? ''}[redacted]`)
}
