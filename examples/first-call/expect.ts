import { deepStrictEqual } from 'node:assert'

/** Says what was proven, or throws with both values. */
export function prove(promise: string, actual: unknown, expected: unknown): void {
	deepStrictEqual(
		actual,
		expected,
		`${promise}\n  expected ${JSON.stringify(expected)}\n  got      ${JSON.stringify(actual)}`,
	)
	console.log(`  ✓ ${promise}`)
}

/** Asks again until `accept` says yes; tells how long it took. */
export async function until<T>(
	ask: () => Promise<T>,
	accept: (value: T) => boolean,
	limitMs = 10_000,
): Promise<{ value: T; tookMs: number }> {
	const startedMs = performance.now()
	for (;;) {
		const value = await ask()
		const tookMs = performance.now() - startedMs
		if (accept(value)) return { value, tookMs }
		if (tookMs > limitMs)
			throw new Error(`Not within ${limitMs} ms; the last answer was ${JSON.stringify(value)}`)
		await new Promise((resolve) => setTimeout(resolve, 20))
	}
}
