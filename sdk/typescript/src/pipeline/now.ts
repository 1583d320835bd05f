let offsetMs = Date.now() - performance.now()

/** Milliseconds since 1970 with fractions; monotonic between two corrections of the system's clock. */
export function nowMs(): number {
	const steady = offsetMs + performance.now()
	const wall = Date.now()
	if (Math.abs(wall - steady) < 50) return steady
	offsetMs = wall - performance.now()
	return wall
}

export function toNanoseconds(ms: number): bigint {
	return BigInt(Math.round(ms * 1000)) * 1000n
}
