import { randomFillSync } from 'node:crypto'

/** Random bytes are generated for many ids at once: one at a time costs more than everything else in a span. */
const pool = Buffer.alloc(4096)
let used = pool.length

/** Lower-case hex, never all zeros. */
export function randomHex(bytes: 8 | 16): string {
	if (used + bytes > pool.length) {
		randomFillSync(pool)
		used = 0
	}
	const hex = pool.toString('hex', used, used + bytes)
	used += bytes
	return /[1-9a-f]/.test(hex) ? hex : randomHex(bytes)
}
