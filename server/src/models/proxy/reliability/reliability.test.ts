import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CallBody } from '../call-body.ts'
import { replaceModel } from '../routing/plan-route.ts'
import { requestedWaitMs, retryWaitMs, TargetHealth } from './target-health.ts'

describe('the wait before a retry', () => {
	it.each<[Record<string, string>, number | null]>([
		[{}, null],
		[{ 'retry-after': '3' }, 3000],
		[{ 'retry-after': '3', 'retry-after-ms': '250' }, 250],
		[{ 'retry-after': new Date(1_000_000_005_000).toUTCString() }, 5000],
		[{ 'retry-after': new Date(0).toUTCString() }, 0],
		[{ 'retry-after': 'soon' }, null],
		[{ 'retry-after': '' }, null],
		[{ 'retry-after': '-1' }, null],
		[{ 'retry-after': '3', 'retry-after-ms': '' }, 3000],
		[{ 'retry-after': '1.5' }, 1500],
	])('is read from %o', (headers, waitMs) => {
		expect(requestedWaitMs(headers, 1_000_000_000_000)).toBe(waitMs)
	})

	it('grows, has jitter, and is never shorter than requested', () => {
		fc.assert(
			fc.property(
				fc.nat(5),
				fc.double({ min: 0, max: 0.999, noNaN: true }),
				fc.nat(20_000),
				(retry, chance, asked) => {
					const own = retryWaitMs(retry, null, false, () => chance) ?? -1
					const whole = Math.min(8000, 500 * 2 ** retry)
					expect(own).toBeGreaterThanOrEqual(whole / 2)
					expect(own).toBeLessThan(whole)
					expect(retryWaitMs(retry, asked, false, () => chance)).toBeGreaterThanOrEqual(asked)
				},
			),
		)
		expect(retryWaitMs(0, 20_001, false)).toBeNull()
		expect(retryWaitMs(0, 2001, true)).toBeNull()
	})
})

describe('the health of a target', () => {
	const fail = (health: TargetHealth, nowMs: number, askedMs: number | null = null) => {
		health.begin()
		health.end('again', { nowMs, latencyMs: null, askedMs })
	}
	const succeed = (health: TargetHealth, nowMs: number, latencyMs: number) => {
		health.begin()
		health.end('good', { nowMs, latencyMs, askedMs: null })
	}

	it('opens after five failures in a row, lets one call try, and closes or opens for longer', () => {
		const health = new TargetHealth()
		for (let call = 0; call < 4; call += 1) fail(health, 0)
		expect(health.isOpen(0)).toBe(false)
		fail(health, 0)
		expect(health.isOpen(9999)).toBe(true)
		expect(health.isOpen(10_000)).toBe(false)
		health.begin()
		expect(health.isOpen(10_000)).toBe(true)
		health.end('again', { nowMs: 10_000, latencyMs: null, askedMs: null })
		expect([health.isOpen(29_999), health.isOpen(30_000)]).toEqual([true, false])
		succeed(health, 30_000, 5)
		fail(health, 30_000)
		expect(health.isOpen(30_000)).toBe(false)
	})

	it('stops calling a provider at once for as long as it requests', () => {
		const health = new TargetHealth()
		fail(health, 0, 3000)
		expect([health.isOpen(2999), health.isOpen(3000)]).toEqual([true, false])
	})

	it('calls a provider again whose pause began before the clock was set back', () => {
		const health = new TargetHealth()
		for (let call = 0; call < 5; call += 1) fail(health, 86_400_000)
		expect([health.isOpen(86_400_000), health.isOpen(0)]).toEqual([true, false])
		fail(health, 0)
		expect([health.isOpen(0), health.isOpen(20_000)]).toEqual([true, false])
	})

	it('a call whose client disconnected has no influence', () => {
		const health = new TargetHealth()
		for (let call = 0; call < 9; call += 1) {
			health.begin()
			health.end(null, { nowMs: 0, latencyMs: null, askedMs: null })
		}
		expect(health.isOpen(0)).toBe(false)
	})

	it('weights latency by running calls, and forgets it', () => {
		const health = new TargetHealth()
		succeed(health, 0, 100)
		expect(health.loadAt(1)).toBe(100)
		health.begin()
		expect(health.loadAt(1)).toBe(200)
		health.end('good', { nowMs: 1, latencyMs: 200, askedMs: null })
		expect(health.loadAt(2)).toBeCloseTo(130)
		expect(health.loadAt(60_001)).toBe(0)
	})
})

const read = (text: string) => CallBody.read({}, Buffer.from(text), 1e6)

describe('replacing the model in a body', () => {
	it('changes nothing else, whatever the body contains', async () => {
		const other = fc
			.dictionary(fc.string(), fc.jsonValue())
			.filter((fields) => !JSON.stringify(fields).includes('"__proto__"'))
		await fc.assert(
			fc.asyncProperty(
				other,
				other,
				fc.string(),
				fc.string(),
				fc.boolean(),
				async (before, after, model, next, wide) => {
					const fields = { ...without(before), model, ...without(after) }
					const text = JSON.stringify(fields, null, wide ? '\t' : undefined)
					const changed = replaceModel(await read(text), next)
					expect(JSON.parse(String(changed?.bytes))).toEqual(
						JSON.parse(JSON.stringify({ ...fields, model: next })),
					)
					expect(String(replaceModel(changed as CallBody, model)?.bytes)).toBe(text)
				},
			),
		)
		expect(replaceModel(await read('{"models":["model"],"x":{"model":"a"}}'), 'b')).toBeNull()
	})
})

function without(fields: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields).filter(([name]) => name !== 'model' && name !== '__proto__'),
	)
}
