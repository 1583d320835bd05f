import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4096)
let used = pool.length

function randomBytesFromPool(count: number): Buffer {
	if (used + count > pool.length) {
		randomFillSync(pool)
		used = 0
	}
	used += count
	return pool.subarray(used - count, used)
}

/** A UUIDv7 (RFC 9562): sorts by creation time. */
export function newId(nowMs = Date.now()): string {
	const bytes = Buffer.allocUnsafe(16)
	bytes.writeUIntBE(nowMs, 0, 6)
	randomBytesFromPool(10).copy(bytes, 6)
	bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70
	bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
	const hex = bytes.toString('hex')
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A random trace id: 32 lower-case hex digits. */
export function newTraceId(): string {
	return randomBytesFromPool(16).toString('hex')
}

/** A random span id: 16 lower-case hex digits. */
export function newSpanId(): string {
	return randomBytesFromPool(8).toString('hex')
}
