import { isUtf8 } from 'node:buffer'
import './escaped-keys.ts'
import { type KnownObject, type KnownObjects, plainKey } from './known-pieces.ts'

/**
 * Why a text was refused. `syntax` is not JSON at all, `unsafe` is JSON that two parsers could read differently, `large` exceeds
 * the limits.
 */
export class JsonFault extends Error {
	readonly kind: 'syntax' | 'unsafe' | 'large'
	constructor(kind: 'syntax' | 'unsafe' | 'large', message: string) {
		super(message)
		this.kind = kind
	}
}

/** Maximum size of a document's contents, checked before anything is built from it. */
export interface JsonLimits {
	depth: number
	/** All values; keys do not count. */
	values: number
	/** Objects and arrays, which cost the most memory and processing later. */
	containers: number
}

/** Limits for untrusted input: far more than any client sends, and little enough to be built at once. */
export const requestLimits: JsonLimits = { depth: 64, values: 500_000, containers: 100_000 }

export interface ScanOptions {
	limits: JsonLimits
	/** Records the members of the outermost object. */
	members?: boolean
	/** Also records the members of this member, if it is an object. */
	within?: string
	/** Records the positions of string values, two numbers each. */
	strings?: boolean
	/** Known members of `within`, which are not scanned again. */
	known?: KnownObjects
}

/** Position of the value of an object's member. */
export interface JsonMember {
	name: string
	from: number
	to: number
	/** Set if it is a known object. */
	known?: KnownObject | null
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const minus = 0x2d
const plus = 0x2b
const dot = 0x2e
const zero = 0x30
const letterE = 0x65
const letterU = 0x75
/** A flag above the bits of a byte. */
const escaped = 0x100
/** No meaningful number is longer. */
const maxNumber = 1024
/** Any double represents this many decimal digits exactly. */
const exactDigits = 15

/** Classes of a byte: digit, hex digit, escape character after a backslash (except `u`), white space. */
const kinds = new Uint8Array(256)
const kind = { digit: 1, hex: 2, escape: 4, space: 8 } as const
for (const [of, signs] of Object.entries({
	digit: '0123456789',
	hex: '0123456789abcdefABCDEF',
	escape: '"\\/bfnrt',
	space: ' \n\r\t',
}))
	for (const sign of signs)
		kinds[sign.charCodeAt(0)] = (kinds[sign.charCodeAt(0)] ?? 0) | kind[of as keyof typeof kind]
/** Not 0 for bytes that need handling in a string: its end, a backslash and control characters. */
const stops = new Uint8Array(256).fill(1, 0, 32)
for (const stop of [quote, backslash]) stops[stop] = 1
const words = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]))

/** What may follow. */
const next = { value: 0, firstItem: 1, firstKey: 2, key: 3, colon: 4, rest: 5, end: 6 } as const
type Next = (typeof next)[keyof typeof next]

/** Marks an array, in place of the index of an object's first key. */
const noKeys = -1
/** Up to this many keys of an object are compared one by one; beyond that a set is used. */
const maxCompared = 16

/** Parses a document that is known to be short; it is built only after it was checked. Throws `JsonFault`. */
export function parseStrictJson(bytes: Buffer): unknown {
	JsonScan.read(bytes, { limits: requestLimits })
	return JSON.parse(bytes.toString())
}

/**
 * Checks one JSON document strictly and in one pass, without building values: UTF-8, grammar, duplicate keys (compared after
 * unescaping) and `__proto__`, depth and counts. It is resumable, so that a long document does not block the event loop.
 */
export class JsonScan {
	readonly #bytes: Buffer
	readonly #options: ScanOptions
	/** For each open object the index of its first key in `#keys`; `noKeys` for an open array. */
	readonly #open: number[] = []
	/** The keys of all open objects, outermost first. Those from `#keyCount` on belong to closed objects. */
	readonly #keys: string[] = []
	#keyCount = 0
	/** For open objects with many keys, by depth: the same keys as a set. */
	#manyKeys: Map<number, Set<string>> | null = null
	#next: Next = next.value
	#at = 0
	/** For the current string: its start, or -1, and the bitwise OR of its bytes. */
	#stringFrom = -1
	#stringBits = 0
	#member: JsonMember | null = null
	#innerMember: JsonMember | null = null
	readonly members: JsonMember[] = []
	/** The members of the member that `within` names. */
	readonly innerMembers: JsonMember[] = []
	/** For each string value its start and end, including the quotes. */
	readonly strings: number[] = []
	/** Whether every number is written as JavaScript would write it. */
	exactNumbers = true
	/** Counts so far. */
	values = 0
	containers = 0

	constructor(bytes: Buffer, options: ScanOptions) {
		this.#bytes = bytes
		this.#options = options
	}

	/** Scans the whole document at once. Throws `JsonFault`. */
	static read(bytes: Buffer, options: ScanOptions): JsonScan {
		const scan = new JsonScan(bytes, options)
		scan.advance(bytes.length)
		return scan
	}

	/** Scans about so many more bytes; false if there is more to scan. Throws `JsonFault`. */
	advance(count: number): boolean {
		const bytes = this.#bytes
		if (this.#at === 0) requireUtf8(bytes)
		const until = this.#at + count
		if (this.#stringFrom >= 0) this.#readString(until)
		while (this.#stringFrom < 0 && this.#at < bytes.length) {
			if (this.#at >= until) return false
			const byte = bytes[this.#at] as number
			const state = this.#next
			if ((kinds[byte] as number) & kind.space) this.#at += 1
			else if (byte === quote && state < next.colon) this.#readString(until)
			else if (byte === colon && state === next.colon) {
				this.#next = next.value
				this.#at += 1
			} else if (byte === comma && state === next.rest) {
				this.#next = this.#open[this.#open.length - 1] === noKeys ? next.value : next.key
				this.#at += 1
			} else if (byte === closeObject && (state === next.firstKey || state === next.rest)) this.#close(true)
			else if (byte === closeArray && (state === next.firstItem || state === next.rest)) this.#close(false)
			else if (state === next.value || state === next.firstItem) this.#readValue(byte)
			else throw this.#misplaced()
		}
		if (this.#at < bytes.length) return false
		if (this.#next !== next.end || this.#stringFrom >= 0)
			throw syntax(bytes.length === 0 ? 'it is empty' : 'it ends too early')
		return true
	}

	#readValue(byte: number): void {
		this.#beginValue()
		if (byte === openObject && this.#passKnown()) return
		if (byte === openObject || byte === openArray) this.#enter(byte === openObject)
		else if (byte === minus || (kinds[byte] as number) & kind.digit) this.#readNumber()
		else {
			const word = words.get(byte)
			const end = this.#at + (word?.length ?? 0)
			if (word === undefined || this.#bytes.toString('latin1', this.#at, end) !== word)
				throw this.#misplaced()
			this.#at = end
			this.#endValue()
		}
	}

	#beginValue(): void {
		if (this.#member && this.#open.length === 1) this.#member.from = this.#at
		else if (this.#innerMember && this.#open.length === 2) this.#innerMember.from = this.#at
		this.values += 1
		if (this.values > this.#options.limits.values) throw this.#tooMany()
	}

	#enter(isObject: boolean): void {
		const { depth } = this.#options.limits
		if (this.#open.push(isObject ? this.#keyCount : noKeys) > depth)
			throw new JsonFault('unsafe', `Nesting is deeper than ${depth} levels.`)
		this.containers += 1
		if (this.containers > this.#options.limits.containers) throw this.#tooMany()
		this.#next = isObject ? next.firstKey : next.firstItem
		this.#at += 1
	}

	/** Skips an object that occurred in the same place before and was found valid there; false if it is a different one. */
	#passKnown(): boolean {
		const { known, limits } = this.#options
		const member = this.#innerMember
		if (!known || !member || this.#open.length !== 2 || member.name !== known.name) return false
		const found = known.at(this.#bytes, this.#at)
		if (!found) return false
		this.values += found.values
		this.containers += found.containers
		if (this.values > limits.values || this.containers > limits.containers) throw this.#tooMany()
		member.known = found
		this.#at += found.bytes.length
		this.#endValue()
		return true
	}

	#close(isObject: boolean): void {
		const depth = this.#open.length
		const from = this.#open.pop() as number
		if ((from !== noKeys) !== isObject) throw this.#misplaced()
		if (isObject) {
			this.#keyCount = from
			this.#manyKeys?.delete(depth)
		}
		this.#at += 1
		this.#endValue()
	}

	#endValue(): void {
		const { length } = this.#open
		this.#next = length === 0 ? next.end : next.rest
		if (length === 2 && this.#innerMember) {
			this.#innerMember.to = this.#at
			this.innerMembers.push(this.#innerMember)
			this.#innerMember = null
		} else if (length === 1 && this.#member) {
			this.#member.to = this.#at
			this.members.push(this.#member)
			this.#member = null
		}
	}

	#readNumber(): void {
		const bytes = this.#bytes
		const from = this.#at
		const first = from + (bytes[from] === minus ? 1 : 0)
		let end = this.#endOfDigits(first)
		if (bytes[first] === zero && end - first > 1) throw this.#misplaced()
		const isWhole = bytes[end] !== dot && ((bytes[end] ?? 0) | 32) !== letterE
		if (bytes[end] === dot) end = this.#endOfDigits(end + 1)
		if (((bytes[end] ?? 0) | 32) === letterE) {
			const isSigned = bytes[end + 1] === plus || bytes[end + 1] === minus
			end = this.#endOfDigits(end + (isSigned ? 2 : 1))
		}
		if (end - from > maxNumber)
			throw new JsonFault('large', `A number in it has more than ${maxNumber} digits.`)
		const isPlain = isWhole && end - from <= exactDigits && bytes[from] !== minus
		if (this.exactNumbers && !isPlain) {
			const source = bytes.toString('latin1', from, end)
			this.exactNumbers = String(Number(source)) === source
		}
		this.#at = end
		this.#endValue()
	}

	/** There must be at least one digit. */
	#endOfDigits(from: number): number {
		const bytes = this.#bytes
		let end = from
		while (end < bytes.length && (kinds[bytes[end] as number] as number) & kind.digit) end += 1
		if (end === from) throw this.#misplaced(end)
		return end
	}

	/** Scans a string, from its start or from where it stopped, to its end or about to `until`. */
	#readString(until: number): void {
		if (this.#stringFrom < 0) {
			if (this.#next === next.value || this.#next === next.firstItem) this.#beginValue()
			else this.#next = next.key
			this.#stringFrom = this.#at
			this.#stringBits = 0
			this.#at += 1
		}
		const bytes = this.#bytes
		const end = Math.min(bytes.length, Math.max(until, this.#at + 1))
		let at = this.#at
		let bits = this.#stringBits
		while (at < end) {
			// Most bytes are in long runs of ordinary ones: reading four at a time takes a third of the time.
			for (; at + 4 <= end; at += 4) {
				const a = bytes[at] as number
				const b = bytes[at + 1] as number
				const c = bytes[at + 2] as number
				const d = bytes[at + 3] as number
				if (((stops[a] as number) | (stops[b] as number) | (stops[c] as number) | (stops[d] as number)) !== 0)
					break
				bits |= a | b | c | d
			}
			while (at < end && stops[bytes[at] as number] === 0) bits |= bytes[at++] as number
			if (at >= end || bytes[at] === quote) break
			if (bytes[at] !== backslash) throw syntax('a control character stands in a string')
			at += 1 + this.#escapeLength(at)
			bits |= escaped
		}
		const isWhole = bytes[at] === quote && at < end
		this.#at = isWhole ? at + 1 : at
		this.#stringBits = bits
		if (isWhole) this.#endString()
	}

	/** The number of bytes that belong to the escape after the backslash. */
	#escapeLength(at: number): number {
		const bytes = this.#bytes
		const byte = bytes[at + 1] ?? 0
		if ((kinds[byte] as number) & kind.escape) return 1
		if (byte !== letterU) throw syntax('an escape in a string is none')
		for (let digit = at + 2; digit < at + 6; digit += 1)
			if (!((kinds[bytes[digit] ?? 0] as number) & kind.hex)) throw syntax('an escape in a string is none')
		return 5
	}

	#endString(): void {
		const from = this.#stringFrom
		this.#stringFrom = -1
		if (this.#next === next.key) {
			this.#addKey(from)
			this.#next = next.colon
		} else {
			if (this.#options.strings) this.strings.push(from, this.#at)
			this.#endValue()
		}
	}

	/** Adds the key whose string began at `from`. */
	#addKey(from: number): void {
		const bytes = this.#bytes
		const isPlain = this.#stringBits < 128
		const key = isPlain
			? plainKey(bytes, from + 1, this.#at - 1)
			: (JSON.parse(bytes.toString('utf8', from, this.#at)) as string)
		if (key === '__proto__') throw new JsonFault('unsafe', 'The key `__proto__` is reserved.')
		const depth = this.#open.length
		const first = this.#open[depth - 1] as number
		if (this.#keyCount - first < maxCompared) {
			for (let at = first; at < this.#keyCount; at += 1) if (this.#keys[at] === key) throw occursTwice(key)
			this.#keys[this.#keyCount++] = key
		} else this.#addToMany(key, first)
		if (!this.#options.members || depth > 2) return
		if (depth === 1) this.#member = { name: key, from: 0, to: 0, known: null }
		else if (this.#member !== null && this.#member.name === this.#options.within)
			this.#innerMember = { name: key, from: 0, to: 0, known: null }
	}

	#addToMany(key: string, first: number): void {
		const depth = this.#open.length
		this.#manyKeys ??= new Map()
		let keys = this.#manyKeys.get(depth)
		if (!keys) {
			keys = new Set(this.#keys.slice(first, this.#keyCount))
			this.#manyKeys.set(depth, keys)
		}
		if (keys.has(key)) throw occursTwice(key)
		keys.add(key)
	}

	#tooMany(): JsonFault {
		const { values, containers } = this.#options.limits
		const most = this.values > values ? `${values} values` : `${containers} objects and arrays`
		return new JsonFault('large', `There are more than ${most} in it.`)
	}

	#misplaced(at = this.#at): JsonFault {
		return syntax(at < this.#bytes.length ? `byte ${at + 1} cannot stand there` : 'it ends too early')
	}
}

function occursTwice(key: string): JsonFault {
	return new JsonFault('unsafe', `The key ${JSON.stringify(key.slice(0, 64))} occurs twice in one object.`)
}

function syntax(reason: string): JsonFault {
	return new JsonFault('syntax', `The text is not one JSON document: ${reason}.`)
}

function requireUtf8(bytes: Buffer): void {
	const [first, second, third] = [bytes[0], bytes[1], bytes[2]]
	if (first === 0xef && second === 0xbb && third === 0xbf) throw syntax('it begins with a byte order mark')
	if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
		throw syntax('it is UTF-16, not UTF-8')
	if (!isUtf8(bytes)) throw syntax('it is not UTF-8')
}
