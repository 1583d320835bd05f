import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { keyStrengths } from '../../../telemetry/index.ts'
import { type ArrivedCall, forgetCalls, maxCalls, NearCalls } from './near-calls.ts'

const id = (at: number, digits: number) => at.toString(16).padStart(digits, '0')
/** A call in a trace of its own, with a key that all share and two unique keys. */
const callAt = (at: number, more: Partial<ArrivedCall> = {}): ArrivedCall => ({
	trace: id(at, 32),
	span: id(at, 16),
	kind: 'tool_call',
	keys: [4 + keyStrengths.strong, 2e9 + at * 8 + keyStrengths.exact, 7e12 + at * 8 + keyStrengths.exact],
	start_us: at * 1000,
	length_us: 500,
	rank: 3,
	tells: 0,
	...more,
})
const callsOf = (count: number, first = 0) => Array.from({ length: count }, (_, at) => callAt(first + at))

it('a call without other views takes less than a kilobyte', () => {
	setFlagsFromString('--expose-gc')
	const collect = runInNewContext('gc') as () => void
	const heap = () => {
		collect()
		return process.memoryUsage().heapUsed
	}
	const before = heap()
	const near = new NearCalls()
	// In batches, as from the store.
	for (let first = 0; first < 40_000; first += 400)
		near.add(JSON.parse(JSON.stringify(callsOf(400, first))) as ArrivedCall[], first)
	expect((heap() - before) / near.size).toBeLessThan(1000)
})

it('calls are forgotten when their time has passed, also in a workspace without new calls', () => {
	const near = new Map([
		['busy', new NearCalls()],
		['silent', new NearCalls()],
	])
	near.get('silent')?.add(callsOf(100), 1000)
	near.get('busy')?.add(callsOf(100), 1000)
	near.get('busy')?.add(callsOf(100, 100), 9000)
	forgetCalls(near, 5000)
	expect([...near].map(([name, { size }]) => [name, size])).toEqual([['busy', 100]])
	// A forgotten call matches no other.
	for (const [of, views] of [
		[0, []],
		[150, [id(150, 32), id(1150, 32)]],
	] as const) {
		const trace = id(1000 + of, 32)
		const keys = callAt(of).keys.slice(1)
		near.get('busy')?.add([callAt(of, { rank: 1, span: id(1000 + of, 16), trace, keys })], 9000)
		expect(near.get('busy')?.around([trace]).decided.toSorted()).toEqual(views)
	}
})

it('the number of calls in all workspaces together is limited; the largest workspace gives way', () => {
	const near = new Map(['one', 'two', 'three'].map((name) => [name, new NearCalls()]))
	near.get('one')?.add(callsOf(10), 1)
	near.get('two')?.add(callsOf(60), 1)
	near.get('three')?.add(callsOf(30), 1)
	forgetCalls(near, 0, 80)
	expect([...near.values()].map(({ size }) => size)).toEqual([10, 35, 30])
	forgetCalls(near, 0, 80)
	expect([...near.values()].map(({ size }) => size)).toEqual([10, 35, 30])
	expect(maxCalls).toBe(200_000)
})
