import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { encodeMadeRows } from './call-facts.ts'
import { LoggedRecords } from './logged-records.ts'
import type { LogRecorder } from './recorder.ts'
import type { MakeRows } from './row-making.ts'
import type { RowInsert } from './shipper.ts'
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
		...{ directory: log.directory, store, segmentBytes, rowFormat: 1 },
		keyOf: (name) => Buffer.from(name.padEnd(64).slice(-32)),
	})
}

/** A row that is named after what its call announced. */
const make: MakeRows = async (batch) => {
	const records = new LoggedRecords(batch)
	const made = batch.calls.map(({ announced, ended }) => {
		const [name, end] = [records.read(announced), records.read(ended)]
		if (!name || !end) return null
		const id = `call-${name.toString().slice(0, 8).trim()}${end.length === 0 ? 'lost' : ''}`
		return { count: 1, bytes: encodeMadeRows([{ rowFormat: 1, count: 1, bytes: encodeNote(id) }]) }
	})
	records.close()
	return made
}

async function call(name: string, bytes = 100): Promise<void> {
	const intent = await recorder.announce('ws_1', Buffer.from(name.padEnd(bytes)))
	await recorder.conclude(intent, Buffer.from('secret end'))
}

const onDisk = () =>
	readdirSync(log.directory)
		.filter((name) => name.endsWith('.seg'))
		.map((name) => readFileSync(join(log.directory, name), 'latin1'))
		.join('')

it('the rows of calls are made from the log, once each and in their order, and nothing of a call can be read there', async () => {
	const names = Array.from({ length: 200 }, (_, at) => `n${at}`)
	for (const name of names) await call(name)
	expect(onDisk()).not.toMatch(/n42|secret/)
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: 200, pendingRows: 200, storedRows: 0 })
	recorder.makeRows(make)
	await recorder.rowsMade()
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

it('a start makes the rows that were not made, and those of calls whose process died, and no row again', async () => {
	recorder.makeRows(make)
	await call('first')
	await recorder.rowsMade()
	await until(() => stored.length === 1)
	await recorder.close(1000)
	recorder = await open()
	await call('second')
	await recorder.announce('ws_1', Buffer.from('dead    '))
	await call('third')
	await recorder.close(0)
	recorder = await open()
	recorder.makeRows(make)
	await recorder.rowsMade()
	await until(() => recorder.stats().pendingRows === 0)
	expect(stored.toSorted()).toEqual(['call-deadlost', 'call-first', 'call-second', 'call-third'])
})

it('a segment stays as long as rows are to be made of what it holds, and goes then', async () => {
	const first = await recorder.announce('ws_1', Buffer.from('long'))
	for (let calls = 0; calls < 40; calls += 1) await call(`f${calls}`, 5000)
	await recorder.conclude(first, Buffer.from('end'))
	expect(readdirSync(log.directory).filter((name) => name.endsWith('.seg')).length).toBeGreaterThan(2)
	recorder.makeRows(make)
	await recorder.rowsMade()
	expect(await recorder.shed(5000)).toBe(true)
	expect(stored).toHaveLength(41)
	expect(stored.at(-1)).toBe('call-long')
})

it('what cannot be made is tried again call by call, and holds up nothing for good', async () => {
	let failures = 0
	recorder.makeRows(async (batch) => {
		if (!batch.bare && failures++ < 10) throw new Error('no memory')
		return make(batch)
	})
	for (const name of ['a', 'b', 'c']) await call(name)
	await recorder.rowsMade()
	await until(() => stored.length === 3)
	expect(stored).toEqual(['call-a', 'call-b', 'call-c'])
})
