/** A private part of a text. */
export interface SearchMatch {
	start: number
	end: number
	/** How much of its start stays readable, such as the name before a value. */
	kept: number
}

/**
 * Linear-time versions of patterns that would examine the same characters again and again; each of these examines a character only
 * a few times.
 */

/** A run of `[\w-]`, of which tokens and names in tokens consist. */
const run = /[\w-]*/y

function endOfRun(text: string, from: number): number {
	run.lastIndex = from
	run.test(text)
	return run.lastIndex
}

/** `\beyJ[\w-]{8,4096}\.[\w-]{8,8192}\.[\w-]{0,2048}`: if a run does not match, no other start within it can. */
export function findJwt(text: string, from: number): SearchMatch | null {
	const start = /\beyJ/g
	start.lastIndex = from
	for (let match = start.exec(text); match; match = start.exec(text)) {
		const head = endOfRun(text, match.index)
		const body = text[head] === '.' ? endOfRun(text, head + 1) : head
		if (text[body] !== '.' || !isBetween(body - head - 1, 8, 8192)) start.lastIndex = head
		else {
			const first = firstWithin(text, match.index, head)
			const end = Math.min(endOfRun(text, body + 1), body + 1 + 2048)
			if (first !== null) return { start: first, end, kept: 0 }
			start.lastIndex = head
		}
	}
	return null
}

/** The first start of a token's head, between two positions, for which the head has a valid length. */
function firstWithin(text: string, from: number, head: number): number | null {
	const start = /\beyJ/g
	start.lastIndex = Math.max(from, head - 3 - 4096)
	const index = start.exec(text)?.index ?? head
	return head - index - 3 >= 8 ? index : null
}

const begin = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g
const end = /-----END [A-Z ]{0,40}PRIVATE KEY-----/g
const maxKey = 16_384

/** From a BEGIN line to the next END line, or to the end of the text, if that is not too far. */
export function findPrivateKey(text: string, from: number): SearchMatch | null {
	begin.lastIndex = from
	/** The first END line after the current start; several starts share it. */
	let next: RegExpExecArray | null | undefined
	for (let match = begin.exec(text); match; match = begin.exec(text)) {
		const body = begin.lastIndex
		if (next === undefined || (next && next.index < body)) {
			end.lastIndex = body
			next = end.exec(text)
		}
		const found = { start: match.index, kept: 0 }
		if (next && next.index - body <= maxKey) return { ...found, end: next.index + next[0].length }
		if (!next && text.length - body <= maxKey) return { ...found, end: text.length }
		// Another BEGIN line may follow inside.
		begin.lastIndex = match.index + 1
	}
	return null
}

const nameOfSecret =
	'(?:password|passwd|passphrase|secret|client_secret|api[_-]?key|access[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|credential)s?'
/** A quoted value ends with its quote, any other with the word. */
const secret = new RegExp(
	`(${nameOfSecret}\\\\?["']?\\s{0,3}[:=]\\s{0,3})(?:(\\\\?["'])[^"'\\\\[]{6,256}|[^\\s"',;&<>\\\\{}[\\]]{6,256})`,
	'i',
)
/** Maximum lengths from the first letter of a name to its separator, and from there to the end of the longest value. */
const [maxLead, maxRest] = [20, 264]
/** The last three letters of the names. */
const endsOfNames = new Set(['ord', 'swd', 'ase', 'ret', 'key', 'ken', 'ial'].map((end) => lettersAt(end, 3)))

/**
 * A value after the name of a secret and a colon or an equals sign. It searches backwards from each of these characters: a pattern
 * would be tried at every letter of a text.
 */
export function findSecret(text: string, from: number): SearchMatch | null {
	let colon = text.indexOf(':', from)
	let equals = text.indexOf('=', from)
	while (colon >= 0 || equals >= 0) {
		const at = equals < 0 || (colon >= 0 && colon < equals) ? colon : equals
		if (at === colon) colon = text.indexOf(':', at + 1)
		else equals = text.indexOf('=', at + 1)
		if (!mayEndName(text, at)) continue
		const start = Math.max(from, at - maxLead)
		const match = secret.exec(text.slice(start, at + maxRest))
		const [whole, lead, quote] = match ?? []
		// A separator further on is found by its own iteration.
		if (!match || whole === undefined || lead === undefined || start + match.index > at) continue
		const found = start + match.index
		return { start: found, end: found + whole.length, kept: lead.length + (quote?.length ?? 0) }
	}
	return null
}

/** Whether the text before a position may be the name of a secret; true if that is uncertain. */
function mayEndName(text: string, at: number): boolean {
	let end = at
	for (let spaces = 0; spaces < 3 && isSpace(text.charCodeAt(end - 1)); spaces += 1) end -= 1
	const quote = text.charCodeAt(end - 1)
	if (quote === 34 || quote === 39) end -= 1
	if (text.charCodeAt(end - 1) === 92) end -= 1
	if (endsOfNames.has(lettersAt(text, end))) return true
	return (text.charCodeAt(end - 1) | 32) === 115 && endsOfNames.has(lettersAt(text, end - 1))
}

/** The three letters before a position in lower case, as one number. */
function lettersAt(text: string, end: number): number {
	const code = (at: number) => text.charCodeAt(at) | 32
	return (code(end - 3) << 16) | (code(end - 2) << 8) | code(end - 1)
}

/** A superset of `\s`. */
function isSpace(code: number): boolean {
	return code <= 32 || code > 127
}

const phone = /(?<![\w+.])(?:\+(?=[1-9])|\(\d{3}\) ?\d{3}-\d{4}(?![\w-])|\d{3}-\d{3}-\d{4}(?![\w-]))/g

/** A number with its country code, or in one of two North American formats. */
export function findPhone(text: string, from: number): SearchMatch | null {
	phone.lastIndex = from
	for (let match = phone.exec(text); match; match = phone.exec(text)) {
		const start = match.index
		const to = match[0] === '+' ? endOfInternational(text, start) : phone.lastIndex
		if (to !== null && isBetween(digitsIn(text, start, to), 9, 15)) return { start, end: to, kept: 0 }
		phone.lastIndex = start + 1
	}
	return null
}

/** Maximum number of digit groups after the first. */
const maxGroups = 4
/** Longer than any number. */
const maxPhone = 48
/** Memoisation for one number, by position, with one bit per group count: positions from which no match is possible. */
const deadEnds = new Uint8Array(maxPhone)

/**
 * The end of `\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}(?![\w-])`. Digits can be grouped in many
 * ways, so dead ends are memoised.
 */
function endOfInternational(text: string, plus: number): number | null {
	if (!mayEnd(text, plus)) return null
	deadEnds.fill(0)
	for (let country = digitsAt(text, plus + 1, 3); country > 0; country -= 1) {
		const to = separated(text, plus, plus + 1 + country, endOfRest)
		if (to !== null) return to
	}
	return null
}

/** A quick check whether a number with a valid count of digits can end anywhere after the plus; most cannot. */
function mayEnd(text: string, plus: number): boolean {
	let digits = 0
	for (let at = plus + 1; at < plus + maxPhone; at += 1) {
		const code = text.charCodeAt(at)
		if (isDigit(code)) digits += 1
		else if (digits >= 9 && digits <= 15 && isDigit(text.charCodeAt(at - 1)) && !isWordCharacter(code))
			return true
		else if (digits > 15 || !(isSeparator(code) || code === 40 || code === 41)) return false
	}
	return false
}

type Continuation = (text: string, plus: number, at: number) => number | null

/** Continues after an optional separator, or without consuming it. */
function separated(text: string, plus: number, at: number, on: Continuation): number | null {
	return (isSeparator(text.charCodeAt(at)) ? on(text, plus, at + 1) : null) ?? on(text, plus, at)
}

/** With or without an area code in parentheses. */
function endOfRest(text: string, plus: number, at: number): number | null {
	const area = areaAt(text, at)
	return (area === null ? null : separated(text, plus, area, endOfFirst)) ?? endOfFirst(text, plus, at)
}

function endOfFirst(text: string, plus: number, at: number): number | null {
	return endOfGroup(text, plus, at, 1, 0)
}

/** Tries the longest group of digits first, then shorter ones. */
function endOfGroup(text: string, plus: number, at: number, min: number, groups: number): number | null {
	for (let count = digitsAt(text, at, 4); count >= min; count -= 1) {
		const to = endBehind(text, plus, at + count, groups)
		if (to !== null) return to
	}
	return null
}

function endBehind(text: string, plus: number, at: number, groups: number): number | null {
	const bit = 1 << groups
	if ((deadEnds[at - plus] as number) & bit) return null
	let to: number | null = null
	if (groups < maxGroups) {
		if (isSeparator(text.charCodeAt(at))) to = endOfGroup(text, plus, at + 1, 2, groups + 1)
		to ??= endOfGroup(text, plus, at, 2, groups + 1)
	}
	if (to === null && groups > 0 && !isWordCharacter(text.charCodeAt(at))) to = at
	if (to === null) deadEnds[at - plus] = (deadEnds[at - plus] as number) | bit
	return to
}

/** The position after `\(\d{1,4}\)`. */
function areaAt(text: string, at: number): number | null {
	if (text[at] !== '(') return null
	const digits = digitsAt(text, at + 1, 4)
	return digits > 0 && text[at + 1 + digits] === ')' ? at + digits + 2 : null
}

/** The number of digits at a position, up to `most`. */
function digitsAt(text: string, at: number, max: number): number {
	let count = 0
	while (count < max && isDigit(text.charCodeAt(at + count))) count += 1
	return count
}

function digitsIn(text: string, from: number, to: number): number {
	let count = 0
	for (let at = from; at < to; at += 1) if (isDigit(text.charCodeAt(at))) count += 1
	return count
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57
}

function isSeparator(code: number): boolean {
	return code === 32 || code === 45 || code === 46
}

/** `[\w-]` by character code; false beyond the end of a text. */
function isWordCharacter(code: number): boolean {
	return isDigit(code) || code === 45 || code === 95 || ((code | 32) >= 97 && (code | 32) <= 122)
}

function isBetween(value: number, min: number, max: number): boolean {
	return value >= min && value <= max
}

const maxName = 64
const domain = /(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])/y

/** `[\w.%+-]` by character code. */
const isNameCharacter = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.%+-')
	isNameCharacter[character.charCodeAt(0)] = 1

/**
 * The first e-mail address at or after a position. It searches only around each at sign: a pattern that begins with the name would
 * be tried at every word of the text, which took most of the time of all detectors together.
 */
export function findEmail(text: string, from: number): SearchMatch | null {
	for (let at = text.indexOf('@', from); at >= 0; at = text.indexOf('@', at + 1)) {
		const start = startOfName(text, at)
		if (start < from || start === at || at - start > maxName) continue
		domain.lastIndex = at + 1
		if (domain.test(text)) return { start, end: domain.lastIndex, kept: 0 }
	}
	return null
}

/**
 * The start of the word before the at sign. For a word that is too long for a name, it returns a position that makes it too long.
 */
function startOfName(text: string, at: number): number {
	let start = at
	while (start > 0 && at - start <= maxName && isNameCharacter[text.charCodeAt(start - 1)] === 1) start--
	return start
}
