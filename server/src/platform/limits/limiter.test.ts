import { expect, it } from 'vitest'
import { openPrimaryProcesses } from '../processes/processes.ts'
import { newTestWorker } from '../processes/testing.ts'
import { type Bound, createLimiter, type EnterResult } from './limiter.ts'

const clock = { nowMs: () => 1_000_000, deletionMs: () => 1_000_000 }
const bound = (limit: Partial<Bound['limit']>, tokensPerMinute: number | null = null): Bound => ({
	...{ key: 'agent', subject: 'The agent A', tokensPerMinute },
	limit: { callsPerMinute: null, concurrency: null, ...limit },
})
const reachedOf = (entered: EnterResult) => entered.reached
const leave = (entered: EnterResult, tokens?: number | null | 'unmade') => {
	if (entered.reached) throw new Error(`reached: ${entered.reached.kind}`)
	entered.leave(tokens)
}

function program() {
	const primary = openPrimaryProcesses()
	const limiter = createLimiter(clock, primary)
	const workers = [1, 2].map((number) => newTestWorker(primary, number))
	return { limiter, workers, limiters: workers.map((worker) => createLimiter(clock, worker)) }
}

it('counts calls of all processes together, exactly', async () => {
	const { limiter, limiters } = program()
	const all = [limiter, ...limiters, ...limiters]
	const entered = await Promise.all(all.map((each) => each.enter([bound({ callsPerMinute: 3 })])))
	expect(entered.filter(({ reached }) => reached === null).length).toBe(3)
	expect(entered.flatMap(({ reached }) => reached ?? [])).toEqual([
		{ kind: 'rate', subject: 'The agent A', limit: 3, retryAfterMs: 20_000 },
		{ kind: 'rate', subject: 'The agent A', limit: 3, retryAfterMs: 20_000 },
	])
	const taken = await Promise.all(all.map((each) => each.take('api', 'key', { requests: 2, windowMs: 1000 })))
	expect(taken.at(-1)).toEqual({ waitMs: 500, remaining: 0, resetMs: 1000 })
})

it('releases a lease of a worker when its call ends, and when the worker ends', async () => {
	const { limiter, workers, limiters } = program()
	const bounds = [bound({ concurrency: 1 }, 100)]
	const [first, second] = limiters
	leave(await (first as typeof limiter).enter(bounds, 60), 10)
	const held = await (second as typeof limiter).enter(bounds, 60)
	expect(held.reached).toBe(null)
	expect(reachedOf(await limiter.enter(bounds, 60))?.kind).toBe('concurrency')
	workers[1]?.end()
	// The usage of the ended worker's call is unknown, so its estimate counts besides what the first one used.
	expect(reachedOf(await limiter.enter(bounds, 60))).toMatchObject({ kind: 'tokens', retryAfterMs: 18_000 })
	leave(await limiter.enter(bounds, 30))
})

it('counts a call against all limits or none: a caller beyond its own limit uses up no other one', async () => {
	const limiter = createLimiter(clock)
	const all = bound({ callsPerMinute: 10 }, 1000)
	const own = { ...bound({ callsPerMinute: 1 }, 1000), key: 'own' }
	expect(reachedOf(await limiter.enter([all, own], 1))).toBe(null)
	for (let call = 0; call < 20; call += 1)
		expect(reachedOf(await limiter.enter([all, own], 1))?.kind).toBe('rate')
	const entered = await limiter.enter([all], 1)
	expect(entered.reached === null && entered.left.map(({ remaining }) => remaining)).toEqual([8, 998])
})

it('takes tokens from all limits or from none, and reports what each has left', async () => {
	const limiter = createLimiter(clock)
	const [wide, narrow] = [bound({ callsPerMinute: 10 }, 1000), { ...bound({}, 100), key: 'narrow' }]
	expect(reachedOf(await limiter.enter([wide, narrow], 100))).toBe(null)
	expect(reachedOf(await limiter.enter([wide, narrow], 50))?.kind).toBe('tokens')
	const entered = await limiter.enter([wide], 50)
	expect(entered.reached === null && entered.left).toEqual([
		{ kind: 'calls', at: 0, quota: 10, remaining: 8, resetMs: 12_000 },
		{ kind: 'tokens', at: 0, quota: 1000, remaining: 850, resetMs: 9000 },
	])
})

it('counts a call that was never made nowhere, also if a worker says so', async () => {
	const { limiter, limiters } = program()
	const bounds = [bound({ callsPerMinute: 1, concurrency: 1 }, 100)]
	for (const each of [limiter, ...limiters]) leave(await each.enter(bounds, 100), 'unmade')
	const last = limiters[0] as typeof limiter
	leave(await last.enter(bounds, 100), 0)
	expect(reachedOf(await last.enter(bounds, 100))?.kind).toBe('rate')
})
