import { isCardNumber, isIban } from './checksums.ts'
import { type Found, findEmail, findJwt, findPhone, findPrivateKey, findSecret } from './searches.ts'

/** A text without what is private in it. */
interface Redacted {
	text: string
	/** How often each detector found something; empty when the text is as it was. */
	found: ReadonlyMap<string, number>
}

const nothing: ReadonlyMap<string, number> = new Map()

/** Replaces what the detectors find by `[redacted:<detector>]`, so that a reader sees that something was there, and what. */
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

/** One kind of private text and how it is found. */
interface Detector {
	/** Stands in the place of what was found: `[redacted:email]`. */
	name: string
	/** Whether a text is worth the search; most are not, and this is quick. */
	mayHold(text: string): boolean
	/** The first one that begins at a place or after it, in a time that grows with the length of the text and no faster. */
	find(text: string, from: number): Found | null
}

interface Judgement {
	/** The last word on a candidate. */
	accepts?(match: string): boolean
	/** `Found.kept`. */
	keeps?(match: RegExpExecArray): number
}

/** Finds by a pattern (global), of which every repetition is bounded. */
function byPattern(pattern: RegExp, { accepts, keeps }: Judgement = {}): Detector['find'] {
	return (text, from) => {
		pattern.lastIndex = from
		for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
			if (!accepts || accepts(match[0]))
				return { start: match.index, end: pattern.lastIndex, kept: keeps?.(match) ?? 0 }
			// A part of it may be what the whole is not.
			pattern.lastIndex = match.index + 1
		}
		return null
	}
}

const longestRemembered = 100_000
let [lastText, lastHasDigits] = ['', false]
/** The engine looks for one character many times as fast as for two, and most texts have none. Several ask of the same text. */
function hasDigits(text: string): boolean {
	if (text.length > longestRemembered) return /\d{2}/.test(text)
	if (text !== lastText) [lastText, lastHasDigits] = [text, /\d/.test(text) && /\d{2}/.test(text)]
	return lastHasDigits
}

/** Whether `bea` or `bas` stands anywhere, in capitals or not: a quarter of the time of a pattern. */
function mayHoldToken(text: string): boolean {
	for (const first of 'bB')
		for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
			const next = text.charCodeAt(at + 1) | 32
			const last = text.charCodeAt(at + 2) | 32
			if (next === 101 ? last === 97 : next === 97 && last === 115) return true
		}
	return false
}

/** What programs print where they use a credential, by the issuers' own prefixes. */
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
	'(?:sk|it|rt|su|vt|pw|iv|ac|at|or)_service_\\w{16,200}',
].join('|')

/** In the order in which they are tried: what one has taken is not looked at by the next. */
export const detectors: readonly Detector[] = [
	{
		name: 'private_key',
		mayHold: (text) => text.includes('-----BEGIN'),
		find: findPrivateKey,
	},
	{
		name: 'jwt',
		// It begins with `eyJ`, of which this is the rare one.
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
