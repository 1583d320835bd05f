import { isCardNumber, isIban } from './checksums.ts'
import { findEmail } from './find-email.ts'
import { type Found, findJwt, findPhone, findPrivateKey } from './searches.ts'

/** One kind of private text and how it is found. */
export interface Detector {
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

/** The engine looks for one character many times as fast as for two, and most texts have none. */
const hasDigits = (text: string) => /\d/.test(text) && /\d{2}/.test(text)

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
		mayHold: (text) => /[_-]|AKIA|ASIA|AIza|ya29/.test(text),
		find: byPattern(new RegExp(`\\b(?:${issuedKeys})`, 'g')),
	},
	{
		name: 'token',
		mayHold: (text) => /bearer|basic/i.test(text),
		find: byPattern(/\b(Bearer|Basic)\s{1,4}[\w.~+/=-]{12,4096}/gi, {
			keeps: (match) => (match[1] as string).length + 1,
		}),
	},
	{
		name: 'secret',
		// To look for the names here costs more than the pattern does.
		mayHold: (text) => text.includes(':') || text.includes('='),
		// A value in quotes ends with them, any other with the word.
		find: byPattern(
			/((?:password|passwd|passphrase|secret|client_secret|api[_-]?key|access[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|credential)s?\\?["']?\s{0,3}[:=]\s{0,3})(?:(\\?["'])[^"'\\[]{6,256}|[^\s"',;&<>\\{}[\]]{6,256})/gi,
			{ keeps: (match) => (match[1] as string).length + (match[2]?.length ?? 0) },
		),
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
