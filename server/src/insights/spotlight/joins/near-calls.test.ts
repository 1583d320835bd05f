import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomCases } from '../../../platform/random-cases.testing.ts'
import { keyStrengths } from '../../../telemetry/index.ts'
import { outcomesOf } from './join-calls.ts'
import { type ArrivedCall, forgetCalls, maxCalls, NearCalls } from './near-calls.ts'
import { placeOf, type SeenSpan } from './view.ts'

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

const seenSpan = fc.record({
	trace: fc.constantFrom('t1', 't1', 't1', 't2', 't3'),
	span: fc.constantFrom('p1', 'p2', 'p3', 'p4', 'p5', 'p6'),
	parent: fc.constantFrom('', 'p1', 'p2', 'p3', 'p4', 'p5'),
	kind: fc.constantFrom('tool_call', 'tool_call', 'model_call', 'model_call', 'mcp', 'other'),
	subject: fc.constantFrom('search', 'docs__search', 'fetch', ''),
	startUs: fc.oneof(fc.nat(3_000_000), fc.nat(3000), fc.constant(0)),
	lengthUs: fc.oneof(fc.nat(3_000_000), fc.constantFrom(-1, 0)),
	rank: fc.constantFrom(1, 1, 2, 3),
	weight: fc.nat(15),
	scope: fc.constantFrom('', 'sdk', 'framework'),
	tokens: fc.constantFrom('', '1 2', '3 4'),
	keys: fc.uniqueArray(fc.tuple(fc.nat(2), fc.nat(2)).map(([key, strength]) => `${key}0${strength}`)),
	contentHash: fc.constantFrom('', 'h', 'i'),
	names: fc.record({
		level: fc.constantFrom(0, 1, 2, 3),
		session: fc.constantFrom('s1', 's2'),
		user: fc.constantFrom('', 'jane', 'joe'),
		agentId: fc.constantFrom('', 'a1', 'a2'),
		agentName: fc.constantFrom('', 'helper'),
	}),
	tags: fc.constantFrom({}, { tag: 'beta' }, { tag: 'gamma' }),
})
const seenSpans = fc
	.uniqueArray(seenSpan, { maxLength: 14, selector: placeOf })
	.map((spans) =>
		spans.map((span): SeenSpan => ({ ...span, keys: span.keys.map((key) => `${span.kind.length}${key}`) })),
	)

/** What is known of each call, in the order of their places. */
const joined = (spans: readonly SeenSpan[]) =>
	[...outcomesOf(new Map(spans.map((span) => [placeOf(span), span])))].sort(([a], [b]) => (a < b ? -1 : 1))

it('calls are joined in the same way in whatever order their spans are read', () => {
	const view = (span: string, parent: string, weight: number, user: string): SeenSpan => ({
		...{ trace: 't1', span, parent, kind: 'model_call', subject: '', startUs: 0, lengthUs: 1, rank: 1 },
		...{ weight, scope: span, tokens: '', keys: [], contentHash: '', tags: {} },
		names: { level: 0, session: '', user, agentId: '', agentName: '' },
	})
	const views = [view('p1', '', 1, ''), view('p2', 'p1', 0, 'jane'), view('p3', 'p1', 0, 'joe')]
	expect(joined(views)[0]).toMatchObject(['t1 p1', { isHidden: 0, names: { user: 'jane' } }])
	expect(joined(views.toReversed())).toEqual(joined(views))
	const inAnyOrder = seenSpans.chain((spans) =>
		fc.tuple(
			fc.constant(spans),
			fc.shuffledSubarray(spans, { minLength: spans.length, maxLength: spans.length }),
		),
	)
	fc.assert(
		fc.property(inAnyOrder, ([spans, shuffled]) => {
			expect(joined(shuffled)).toEqual(joined(spans))
		}),
		{ numRuns: randomCases(8000) },
	)
})

it('an attribute of a call hides that of its ancestors', () => {
	const span = (name: string, parent: string, kind: string, tags: Record<string, string>): SeenSpan => ({
		...{ trace: 't', span: name, parent, kind, subject: '', rank: 1, weight: 1, scope: '', tags },
		...{ startUs: 0, lengthUs: 1, tokens: '', keys: [], contentHash: '' },
		names: { level: 0, session: '', user: '', agentId: '', agentName: '' },
	})
	const [call] = joined([
		span('b', 'a', 'tool_call', { tag: 'own' }),
		span('a', '', 'other', { tag: 'beta', other: 'x' }),
	])
	expect(call?.[1].tags).toEqual({ other: 'x' })
})

it('calls an hour later change nothing', () => {
	fc.assert(
		fc.property(seenSpans, seenSpans, (spans, others) => {
			const later = others.map((span) => ({
				...{ ...span, trace: `later ${span.trace}`, startUs: span.startUs + 3500e6 },
			}))
			const together = joined([...spans, ...later]).filter(([place]) => !place.startsWith('later'))
			expect(together).toEqual(joined(spans))
		}),
		{ numRuns: randomCases(4000) },
	)
})

it('views with the id of one answer are one call until ten minutes after its end', () => {
	const view = (trace: string, atS: number, lengthS: number): SeenSpan => ({
		...{ trace, span: trace, parent: '', kind: 'model_call', subject: '', rank: 1, weight: 1, scope: trace },
		...{ startUs: atS * 1e6, lengthUs: lengthS * 1e6, tokens: '', keys: ['901'], contentHash: '', tags: {} },
		names: { level: 0, session: '', user: '', agentId: '', agentName: '' },
	})
	const hidden = (...views: SeenSpan[]) => joined(views).map(([, { isHidden }]) => isHidden)
	expect(hidden(view('a', 0, 1), view('b', 601, 0))).toEqual([0, 1])
	expect(hidden(view('a', 0, 1), view('b', 602, 0))).toEqual([0, 0])
	// A log record is written at the end of a long call.
	expect(hidden(view('a', 0, 1800), view('b', 1800, 0))).toEqual([0, 1])
	expect(hidden(view('a', 0, 3600), view('b', 3600, 0))).toEqual([0, 0])
	// A client that asks for an answer until it is there.
	expect(hidden(view('a', 0, 1), view('b', 500, 1), view('c', 1000, 1))).toEqual([0, 1, 1])
})
