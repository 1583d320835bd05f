import { randomUUID } from 'node:crypto'

/**
 * Corrects `JSON.parse` for keys with escapes. V8 (Node 22 to 26, nodejs/node#63785) reads such a key as another one that an object of
 * the same shape had before, if the beginning of the key's source looks like it. With `\u0` as a known key, `{"\u0065nv":1}` becomes
 * `{"\\u0":1}`. A caller could so hide an argument from the rules that a grant sets for it, while the server reads it.
 *
 * The whole program needs this, packages included, so the function is replaced. Imported for its effect.
 */
type Reviver = (this: unknown, key: string, value: unknown, context?: object) => unknown

const native = JSON.parse as (text: string, reviver?: Reviver) => unknown

JSON.parse = (text: unknown, reviver?: Reviver): unknown => {
	const source = typeof text === 'string' ? text : String(text)
	return hasEscapedKey(source) ? parseWithout(source, reviver) : native(source, reviver)
}

/** Replaces the escaped keys for the time of parsing. Throws what `JSON.parse` throws. */
function parseWithout(text: string, reviver?: Reviver): unknown {
	native(text)
	// Random, so that nobody can write a document that contains it.
	const mark = `#${randomUUID()}#`
	const names = new Map<string, string>()
	let plain = ''
	let from = 0
	for (const [start, end] of escapedKeys(text)) {
		const name = `${mark}${names.size}`
		// A single string has no shape that V8 could compare it with.
		names.set(name, native(text.slice(start, end)) as string)
		plain += `${text.slice(from, start)}"${name}"`
		from = end
	}
	const restore: Reviver = function (key, value, context) {
		const restored = withNames(value, names)
		return reviver ? reviver.call(this, names.get(key) ?? key, restored, context) : restored
	}
	return native(plain + text.slice(from), restore)
}

function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
	const entries = Object.entries(value)
	if (!entries.some(([key]) => names.has(key))) return value
	return Object.fromEntries(entries.map(([key, one]) => [names.get(key) ?? key, one]))
}

function hasEscapedKey(text: string): boolean {
	return text.includes('\\') && escapedKeys(text).next().done === false
}

/** Start and end of each key with an escape, quotes included. */
function* escapedKeys(text: string): Generator<[number, number]> {
	let at = text.indexOf('\\')
	while (at >= 0) {
		const end = endOfString(text, at)
		if (end < 0) return
		if (isColonNext(text, end)) yield [text.lastIndexOf('"', at - 1), end]
		at = text.indexOf('\\', end)
	}
}

/** The position behind the string whose first escape is at `at`; -1 if it does not end. */
function endOfString(text: string, at: number): number {
	for (let from = at; ; ) {
		const quote = text.indexOf('"', from)
		if (quote < 0) return -1
		let before = quote
		while (before > from && text.charCodeAt(before - 1) === backslash) before -= 1
		// After an odd number of backslashes, the quote belongs to the string.
		if ((quote - before) % 2 === 0) return quote + 1
		from = quote + 1
	}
}

function isColonNext(text: string, at: number): boolean {
	let next = at
	while (spaces.has(text.charCodeAt(next))) next += 1
	return text.charCodeAt(next) === colon
}

const backslash = 0x5c
const colon = 0x3a
const spaces: ReadonlySet<number> = new Set([...' \n\r\t'].map((sign) => sign.charCodeAt(0)))
