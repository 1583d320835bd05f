import { afterEach, beforeEach, expect, test } from 'vitest'
import { RecentArrivals } from '../blocks/arrived-spans.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { newSpanRow } from '../span-row.ts'
import type { RowInsert, RowStore } from './insert-missing.ts'
import type { LogRecorder } from './recorder.ts'
import { makeLogDirectory, openNotesRecorder, until } from './testing.ts'

let log: Awaited<ReturnType<typeof makeLogDirectory>>
let recorder: LogRecorder
/** The inserts according to the stored rows: their time and number of rows. */
const stored: { ms: number; rows: number }[] = []
let failures = 0

const store: RowStore = {
	engine: {},
	insertRowBinary: async ({ rows, columns }: RowInsert) => {
		if (failures-- > 0) throw new Error('The engine is away.')
		expect(columns.at(-1)).toBe('stored_at')
		stored.push({ ms: Number(rows.readBigInt64LE(rows.length - 8)), rows: rows[1] as number })
	},
}

beforeEach(async () => {
	log = await makeLogDirectory()
	recorder = await openNotesRecorder({ directory: log.directory, store })
	stored.length = 0
	failures = 0
})
afterEach(async () => {
	await recorder.close(0)
	await log.remove()
})

async function record(workspaceId: string, traceId: string): Promise<void> {
	const before = stored.length
	const rows = [1, 2].map((at) =>
		newSpanRow({
			...{ workspaceId, traceId, spanId: `${at}`.repeat(16), startNs: 1n },
			...{ name: 'n', source: 'otlp', kind: 'other' },
		}),
	)
	const bytes = encodeSpanBlock(rows)
	await recorder.append({ workspaceId, rowFormat: spanBlockFormat, count: rows.length, bytes })
	await until(() => stored.length > before)
}

const traceA = 'a'.repeat(32)
const traceB = 'b'.repeat(32)
const take = (at: number) => recorder.takeArrived(stored[at]?.ms as number, stored[at]?.rows as number)

test('what an insert brought can be taken once, after the first request for any', async () => {
	await record('w1', traceA)
	expect(take(0)).toBeNull()
	await record('w2', traceB)
	expect(recorder.takeArrived(stored[1]?.ms as number, 1)).toBeNull()
	expect(take(1)).toMatchObject([{ workspace: 'w2', ids: new Uint8Array(Buffer.from(traceB, 'hex')) }])
	expect(take(1)).toBeNull()
})

test('the arrivals are those of the attempt that was stored', async () => {
	recorder.takeArrived(0, 0)
	failures = 2
	await record('w1', traceA)
	expect(take(0)).toMatchObject([{ workspace: 'w1' }])
})

test('arrivals that nobody takes are dropped', () => {
	const arrivals = new RecentArrivals()
	const one = { workspace: 'w1', ids: new Uint8Array(16), times: new Float64Array(4), sides: [] }
	arrivals.keep(1000, 1, [{ ...one, mixed: new Uint8Array(1) }])
	arrivals.keep(100_000, 1, [{ ...one, mixed: new Uint8Array(1) }])
	arrivals.keep(200_000, 1, [{ ...one, mixed: new Uint8Array(1) }])
	expect([1000, 100_000].map((ms) => arrivals.take(ms, 1) !== null)).toEqual([false, true])
	arrivals.keep(200_001, 1, [{ ...one, mixed: new Uint8Array(200_000) }])
	expect([200_000, 200_001].map((ms) => arrivals.take(ms, 1) !== null)).toEqual([false, true])
})
