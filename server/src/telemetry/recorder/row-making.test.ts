import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { RowMaker } from '../call-rows/row-maker.ts'
import { callsOfMade, decodeMadeRows, encodeMadeRows } from './call-facts.ts'
import type { RowInsert } from './insert-missing.ts'
import type { LogSegment } from './log-entry.ts'
import { LoggedRecords } from './logged-records.ts'
import type { LogRecorder } from './recorder.ts'
import { type MadeRows, type MakeRows, RowMaking } from './row-making.ts'
import {
	decodeHeader,
	type FactsKind,
	factsFormats,
	headerBytes,
	kindOfFacts,
	recordKinds,
	type SegmentHeader,
	scanRecords,
} from './segment-format.ts'
import { encodeNote, makeLogDirectory, openNotesRecorder, until } from './testing.ts'

let log: Awaited<ReturnType<typeof makeLogDirectory>>
let stored: string[]
let recorder: LogRecorder
beforeEach(async () => {
	log = await makeLogDirectory()
	stored = []
	recorder = await open()
})
afterEach(async () => {
	await recorder.close(1000)
	await log.remove()
})

const store = {
	insertRowBinary: async ({ rows }: RowInsert) => {
		for (const [name] of rows.toString('latin1').matchAll(/call-\w+/g)) stored.push(name)
	},
}

function open(segmentBytes = 64 * 1024): Promise<LogRecorder> {
	return openNotesRecorder({
		...{ directory: log.directory, store, segmentBytes, make: null },
	})
}

/** Builds rows that are named after what their calls announced, three calls per record. */
const make: MakeRows = async (batch) => {
	const records = new LoggedRecords(batch)
	const found = records.readAll([...batch.calls].flatMap(({ announced, ended }) => [announced, ended]))
	records.close()
	const made: MadeRows = { records: [], unreadable: 0 }
	for (let at = 0; at < batch.calls.length; at += 3) {
		const calls = [...batch.calls].slice(at, at + 3)
		const names = calls.map((_, of) => {
			const [name, end] = [found[2 * (at + of)], found[2 * (at + of) + 1]]
			return `call-${name?.toString().slice(0, 8).trim()}${end?.length === 0 ? 'lost' : ''}`
		})
		const bytes = Buffer.concat(names.map((name) => encodeNote(name)))
		const ids = Buffer.from(calls.map(({ id }) => id).join(''), 'hex')
		const count = calls.length
		made.records.push({
			...{ workspaceId: 'ws_1', calls: count, count },
			bytes: encodeMadeRows(ids, [{ rowFormat: 1, count, bytes }]),
		})
	}
	return made
}

async function call(name: string, bytes = 100, kind: FactsKind = 'model'): Promise<void> {
	const intent = await recorder.announce(kind, 'ws_1', Buffer.from(name.padEnd(bytes)))
	await recorder.conclude(intent, Buffer.from('secret end'))
}

const onDisk = () =>
	readdirSync(log.directory)
		.filter((name) => name.endsWith('.seg'))
		.map((name) => readFileSync(join(log.directory, name), 'latin1'))
		.join('')

it('the rows of calls are built from the log, once each and in order, and the log holds nothing of a call in plain text', async () => {
	const names = Array.from({ length: 200 }, (_, at) => `n${at}`)
	for (const name of names) await call(name)
	expect(onDisk()).not.toMatch(/n42|secret/)
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: 200, pendingRows: 200, storedRows: 0 })
	recorder.makeRows(make)
	await recorder.whenRowsMade()
	await until(() => stored.length >= 200)
	expect(stored).toEqual(names.map((name) => `call-${name}`))
	await until(() => recorder.stats().pendingRows === 0)
	expect(recorder.stats()).toMatchObject({
		acknowledgedRows: 200,
		storedRows: 200,
		damagedRows: 0,
		openCalls: 0,
	})
})

it('a start builds missing rows and those of calls whose process died, and no row a second time', async () => {
	recorder.makeRows(make)
	await call('first')
	await recorder.whenRowsMade()
	await until(() => stored.length === 1)
	await recorder.close(1000)
	recorder = await open()
	await call('second', 100, 'tool')
	await recorder.announce('model', 'ws_1', Buffer.from('dead    '))
	await call('third')
	await recorder.close(0)
	recorder = await open()
	recorder.makeRows(make)
	await recorder.whenRowsMade()
	await until(() => recorder.stats().pendingRows === 0)
	expect(stored.toSorted()).toEqual(['call-deadlost', 'call-first', 'call-second', 'call-third'])
})

it('a call whose announcement is damaged is not made from its outcome', async () => {
	await call('one')
	await call('two')
	await recorder.close(0)
	const file = join(log.directory, readdirSync(log.directory).find((name) => name.endsWith('.seg')) as string)
	const bytes = readFileSync(file)
	const { marker } = decodeHeader(bytes) as SegmentHeader
	const ends: number[] = []
	scanRecords(bytes, headerBytes, bytes.length, marker, ({ kind }, _, end) => {
		if (kind === recordKinds.intent) ends.push(end)
	})
	const last = (ends[0] as number) - 1
	bytes[last] = (bytes[last] as number) ^ 1
	writeFileSync(file, bytes)
	recorder = await open()
	recorder.makeRows(make)
	await recorder.whenRowsMade()
	await until(() => recorder.stats().pendingRows === 0)
	expect(stored).toEqual(['call-undefined', 'call-two'])
})

it('a segment is kept while rows are still to be built from it, and then deleted', async () => {
	const first = await recorder.announce('model', 'ws_1', Buffer.from('long'))
	for (let calls = 0; calls < 40; calls += 1) await call(`f${calls}`, 5000)
	await recorder.conclude(first, Buffer.from('end'))
	expect(readdirSync(log.directory).filter((name) => name.endsWith('.seg')).length).toBeGreaterThan(2)
	recorder.makeRows(make)
	await recorder.whenRowsMade()
	expect(await recorder.shed(5000)).toBe(true)
	expect(stored).toHaveLength(41)
	expect(stored.at(-1)).toBe('call-long')
})

it('calls of many callers are all in a log that was copied while it ran, however often more of it was prepared', async () => {
	await recorder.close(0)
	recorder = await open(16 * 1024 * 1024)
	const callers = Array.from({ length: 64 }, (_, caller) => caller)
	await Promise.all(
		callers.map(async (caller) => {
			for (let n = 0; n < 40; n += 1) await call(`c${caller}n${n}`, 2000)
		}),
	)
	const killed = await makeLogDirectory()
	cpSync(log.directory, killed.directory, { recursive: true })
	await recorder.close(0)
	const running = log
	log = killed
	recorder = await open()
	recorder.makeRows(make)
	await recorder.whenRowsMade()
	await until(() => recorder.stats().pendingRows === 0)
	expect(new Set(stored).size).toBe(64 * 40)
	expect(stored).toHaveLength(64 * 40)
	expect(recorder.stats()).toMatchObject({ damagedRows: 0, damagedRecords: 0, openCalls: 0 })
	await running.remove()
})

it('calls whose rows cannot be built are retried one by one, and block nothing permanently', async () => {
	let failures = 0
	recorder.makeRows(async (batch) => {
		if (!batch.bare && failures++ < 10) throw new Error('no memory')
		return make(batch)
	})
	for (const name of ['a', 'b', 'c']) await call(name)
	await recorder.whenRowsMade()
	await until(() => stored.length === 3)
	expect(stored).toEqual(['call-a', 'call-b', 'call-c'])
})

it('a call whose end makes no rows, even without bodies, blocks nothing permanently', async () => {
	const module =
		'export const createRows = () => ({ make({ ended }) { if (ended !== null) throw new Error() } })'
	const rowMaker = new RowMaker({ recorder, log: silentLog })
	rowMaker.add('model', { module: new URL(`data:text/javascript,${module}`), rulesOf: () => null })
	rowMaker.start()
	for (const name of ['a', 'b']) await call(name)
	await recorder.whenRowsMade()
	await rowMaker.close()
})

it('calls of all kinds keep the order in which they ended, and their kind, also after a restart', async () => {
	const kinds: string[] = []
	await call('one', 100, 'tool')
	await call('two', 100, 'model')
	await recorder.close(0)
	recorder = await open()
	await call('three', 100, 'tool')
	recorder.makeRows((batch) => {
		kinds.push(...[...batch.calls].map(({ rowFormat }) => kindOfFacts(rowFormat)))
		return make(batch)
	})
	await recorder.whenRowsMade()
	await until(() => stored.length === 3)
	expect(kinds).toEqual(['tool', 'model', 'tool'])
	expect(stored).toEqual(['call-one', 'call-two', 'call-three'])
})

it.each([
	['comes soon', 3],
	['never comes', Number.POSITIVE_INFINITY],
])(
	"rows wait for a turn in which they can be written without the log's thread, which %s",
	async (_, turns) => {
		const written: Uint8Array[] = []
		let asked = 0
		const making = new RowMaking({
			...{ directory: log.directory, segments: new Map(), retryMs: 1, log: silentLog },
			keyOf: () => Buffer.alloc(32),
			writer: {
				fitsLater: () => asked++ < turns,
				add: (entry) => {
					written.push(entry.record.bytes)
					entry.onFlushed?.({} as LogSegment)
				},
			},
			onMade: () => undefined,
		})
		const place = { segment: 1, at: 0, bytes: 100 }
		making.add({
			...{ id: 'a'.repeat(32), rowFormat: factsFormats.model, workspaceId: 'ws_1' },
			announced: place,
			ended: place,
			atMs: 0,
		})
		const bytes = Buffer.from('rows')
		making.start(async () => ({
			records: [{ workspaceId: 'ws_1', calls: 1, count: 1, bytes }],
			unreadable: 0,
		}))
		await making.settled()
		expect(written).toEqual([bytes])
		expect(asked).toBe(Math.min(turns + 1, 51))
		expect(making.size).toBe(0)
		await making.stop()
	},
)

it('calls that fill a batch are not collected any longer, nor are those left over from a batch', async () => {
	// A batch that is still being collected would wait for a timer.
	vi.useFakeTimers({ toFake: ['setTimeout'] })
	try {
		const batches: number[] = []
		const making = new RowMaking({
			...{ directory: log.directory, segments: new Map(), retryMs: 1, log: silentLog },
			keyOf: () => Buffer.alloc(32),
			writer: { fitsLater: () => false, add: () => undefined },
			onMade: () => undefined,
		})
		making.start(async ({ calls }) => {
			batches.push(calls.length)
			return { records: [], unreadable: 0 }
		})
		const place = { segment: 1, at: 0, bytes: 100 }
		for (let count = 0; count < 5000; count += 1)
			making.add({
				...{ id: 'a'.repeat(32), rowFormat: factsFormats.model, workspaceId: 'ws_1' },
				...{ announced: place, ended: place, atMs: 0 },
			})
		for (let turns = 0; turns < 20; turns += 1) await turn()
		expect(batches).toEqual([2048, 2048, 904])
		await making.stop()
	} finally {
		vi.useRealTimers()
	}
})

it('a call with rows that an earlier version wrote is finished', () => {
	const rows = Buffer.concat([Buffer.from([1, 1, 0, 0, 0, 3, 0, 0, 0]), Buffer.from('row')])
	const record = { rowFormat: 254, key: 'a'.repeat(32), bytes: rows }
	expect(callsOfMade(record)).toEqual(['a'.repeat(32)])
	expect(decodeMadeRows(record)).toEqual([{ rowFormat: 1, count: 1, bytes: Buffer.from('row') }])
	const ids = Buffer.from('b'.repeat(32) + 'c'.repeat(32), 'hex')
	const many = { rowFormat: 252, key: '', bytes: encodeMadeRows(ids, decodeMadeRows(record)) }
	expect(callsOfMade(many)).toEqual(['b'.repeat(32), 'c'.repeat(32)])
	expect(decodeMadeRows(many)).toEqual(decodeMadeRows(record))
})
