import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4096)
let used = pool.length
// Reused for each id: slicing a hex string five times took twice as long.
const uuid = Buffer.alloc(16)
const text = Buffer.alloc(36, '-')
/** Index in the text of each byte's two digits. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const digits = Buffer.from('0123456789abcdef')

/** Takes bytes from the pool; returns their offset in it. */
function takeRandom(count: number): number {
	if (used + count > pool.length) {
		randomFillSync(pool)
		used = 0
	}
	used += count
	return used - count
}

/** A UUIDv7 (RFC 9562): sorts by creation time. */
export function newId(nowMs = Date.now()): string {
	const random = takeRandom(10)
	uuid.writeUIntBE(nowMs, 0, 6)
	pool.copy(uuid, 6, random, random + 10)
	uuid[6] = ((uuid[6] as number) & 0x0f) | 0x70
	uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80
	for (let index = 0; index < 16; index += 1) {
		const byte = uuid[index] as number
		const place = places[index] as number
		text[place] = digits[byte >> 4] as number
		text[place + 1] = digits[byte & 15] as number
	}
	return text.toString('latin1')
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text has the form of an id of `newId`, in contrast to a name. */
export function isId(given: string): boolean {
	return idPattern.test(given)
}

/** A random trace id: 32 lower-case hex digits. */
export function newTraceId(): string {
	const at = takeRandom(16)
	return pool.toString('hex', at, at + 16)
}

/** A random span id: 16 lower-case hex digits. */
export function newSpanId(): string {
	const at = takeRandom(8)
	return pool.toString('hex', at, at + 8)
}

/** Counts up from the number after `last`: ids that are unique among those of one counter. */
export function createCounter(last = 0): () => number {
	let id = last
	return () => ++id
}
