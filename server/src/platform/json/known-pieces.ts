/** An object that was scanned before, with its bytes. */
export interface KnownObject {
	readonly bytes: Buffer
	readonly value: Readonly<Record<string, unknown>>
	/** Number of values in it. */
	readonly values: number
	/** Number of objects and arrays in it, including itself. */
	readonly containers: number
}

const maxKnown = 64
const closeObject = 0x7d

/**
 * Objects that recur as the member of one name, always in the same place of a document. Their bytes are compared instead of scanned
 * again: what was valid there once is valid there again.
 */
export class KnownObjects {
	readonly name: string
	readonly #all: KnownObject[] = []
	#last: KnownObject | null = null
	#oldest = 0

	constructor(name: string) {
		this.name = name
	}

	/** The known object at `from`; null if it is a different one. */
	at(bytes: Buffer, from: number): KnownObject | null {
		if (this.#last && isAt(this.#last.bytes, bytes, from)) return this.#last
		for (const known of this.#all) {
			if (!isAt(known.bytes, bytes, from)) continue
			this.#last = known
			return known
		}
		return null
	}

	/** Remembers an object that was scanned. */
	add(known: KnownObject): void {
		this.#all[this.#oldest] = known
		this.#oldest = (this.#oldest + 1) % maxKnown
	}
}

/** Comparing the bytes is enough: an object ends with its closing brace, so following bytes cannot belong to it. */
function isAt(known: Buffer, bytes: Buffer, from: number): boolean {
	const { length } = known
	if (bytes[from + length - 1] !== closeObject || bytes[from + (length >> 1)] !== known[length >> 1])
		return false
	return bytes.compare(known, 0, length, from, from + length) === 0
}

/**
 * Recent keys, hashed by some of their bytes: most documents have the same few keys, and creating a string from bytes costs more
 * than a comparison.
 */
const recentKeys = new Array<string>(512).fill('')
const maxKept = 64

/** The text of a key in ASCII without escapes. */
export function plainKey(bytes: Buffer, from: number, to: number): string {
	const length = to - from
	if (length > maxKept || length === 0) return bytes.toString('latin1', from, to)
	const signs =
		(bytes[from] as number) * 31 + (bytes[from + (length >> 1)] as number) * 7 + (bytes[to - 1] as number) * 3
	const place = (signs + length * 17) % recentKeys.length
	const late = recentKeys[place] as string
	if (late.length === length) {
		let at = 0
		while (at < length && late.charCodeAt(at) === bytes[from + at]) at += 1
		if (at === length) return late
	}
	const key = bytes.toString('latin1', from, to)
	recentKeys[place] = key
	return key
}
