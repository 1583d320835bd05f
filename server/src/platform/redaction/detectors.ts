import { isCardNumber, isIban } from './checksums.ts'

/** One kind of private text and how it is found. */
export interface Detector {
	/** Stands in the place of what was found: `[redacted:email]`. */
	name: string
	/** Whether a text is worth the search; most are not, and this is quick. */
	mayHold(text: string): boolean
	/** Finds candidates. Every repetition is bounded, so the time grows with the length of the text and no faster. */
	pattern: RegExp
	/** The last word on a candidate. */
	accepts?(match: string): boolean
	/** How much of the start of a match stays readable: the name before a value. */
	keeps?(match: RegExpExecArray): number
}

const hasDigits = (text: string) => /\d{2}/.test(text)

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
		pattern:
			/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
	},
	{
		name: 'jwt',
		mayHold: (text) => text.includes('eyJ'),
		pattern: /\beyJ[\w-]{8,4096}\.[\w-]{8,8192}\.[\w-]{0,2048}/g,
	},
	{
		name: 'key',
		mayHold: (text) => /[_-]|AKIA|ASIA|AIza|ya29/.test(text),
		pattern: new RegExp(`\\b(?:${issuedKeys})`, 'g'),
	},
	{
		name: 'token',
		mayHold: (text) => /bearer|basic/i.test(text),
		pattern: /\b(Bearer|Basic)\s{1,4}[\w.~+/=-]{12,4096}/gi,
		keeps: (match) => (match[1] as string).length + 1,
	},
	{
		name: 'secret',
		mayHold: (text) => /pass|secret|key|token|credential/i.test(text),
		// A value in quotes ends with them, any other with the word.
		pattern:
			/((?:password|passwd|passphrase|secret|client_secret|api[_-]?key|access[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|credential)s?\\?["']?\s{0,3}[:=]\s{0,3})(?:(\\?["'])[^"'\\[]{6,256}|[^\s"',;&<>\\{}[\]]{6,256})/gi,
		keeps: (match) => (match[1] as string).length + (match[2]?.length ?? 0),
	},
	{
		name: 'email',
		mayHold: (text) => text.includes('@'),
		pattern:
			/(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])/g,
	},
	{
		name: 'iban',
		mayHold: hasDigits,
		pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g,
		accepts: isIban,
	},
	{
		name: 'card',
		mayHold: hasDigits,
		pattern: /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g,
		accepts: isCardNumber,
	},
	{
		name: 'ssn',
		mayHold: (text) => hasDigits(text) && text.includes('-'),
		pattern: /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g,
	},
	{
		name: 'phone',
		mayHold: hasDigits,
		pattern:
			/(?<![\w+.])(?:\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])/g,
		accepts: (match) => isBetween(match.replace(/\D/g, '').length, 9, 15),
	},
]

function isBetween(value: number, least: number, most: number): boolean {
	return value >= least && value <= most
}
