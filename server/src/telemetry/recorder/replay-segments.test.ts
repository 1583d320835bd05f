import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RowInsert } from './insert-missing.ts'
import { segmentPath } from './log-files.ts'
import { replaySegments } from './replay-segments.ts'
import {
	encodeHeader,
	headerBytes,
	type LogRecord,
	newSegmentHeader,
	recordBytes,
	recordKinds,
	sealRecords,
	writeRecord,
} from './segment-format.ts'
import {
	announceNote,
	deadStore,
	encodeNote,
	makeLogDirectory,
	notes,
	openNotesRecorder,
	until,
} from './testing.ts'

let log: Awaited<ReturnType<typeof makeLogDirectory>>
beforeEach(async () => {
	log = await makeLogDirectory()
})
afterEach(() => log.remove())

const unsealed = { number: 1, sealedEnd: null, open: [], takenTo: headerBytes }

/** The first segment of a log with these records, one after the other, and the end of each. */
async function record(steps: readonly ('append' | 'begin')[]): Promise<{ bytes: Buffer; ends: number[] }> {
	const recorder = await openNotesRecorder({ directory: log.directory, store: deadStore })
	const ends: number[] = []
	for (const step of steps) {
		if (step === 'append') await recorder.append(notes(['a', 'b']))
		else await announceNote(recorder, 'call')
		// The file itself may be longer, because space for further records is prepared.
		ends.push(replaySegments(log.directory, [unsealed]).segments[0]?.end ?? 0)
	}
	await recorder.close(0)
	return { bytes: readFileSync(segmentPath(log.directory, 1)).subarray(0, ends.at(-1)), ends }
}

test('a segment cut at any byte of its last record replays everything before it', async () => {
	const { bytes, ends } = await record(['append', 'begin', 'append'])
	const directory = join(log.directory, 'cut')
	mkdirSync(directory)
	const before = ends[1] ?? 0
	for (let length = before; length <= bytes.length; length++) {
		writeFileSync(segmentPath(directory, 1), bytes.subarray(0, length))
		const { segments, openIntents } = replaySegments(directory, [unsealed])
		const whole = length === bytes.length
		expect(segments[0]).toMatchObject({
			rows: whole ? 4 : 2,
			end: whole ? length : before,
			damagedRecords: 0,
		})
		expect(openIntents.length).toBe(1)
	}
})

test('a segment that is shorter than its final length counts as damaged', async () => {
	const { bytes } = await record(['append', 'append'])
	writeFileSync(segmentPath(log.directory, 1), bytes.subarray(0, -1))
	const { segments } = replaySegments(log.directory, [{ ...unsealed, sealedEnd: bytes.length }])
	expect(segments[0]).toMatchObject({ rows: 2, damagedRecords: 1 })
})

test('a damaged acknowledged record is counted in records and rows, and affects nothing else', async () => {
	const { ends } = await record(['append', 'append', 'append'])
	const path = segmentPath(log.directory, 1)
	const changed = readFileSync(path)
	changed[(ends[1] ?? 0) - 1] = 255
	writeFileSync(path, changed)
	const recorder = await openNotesRecorder({ directory: log.directory, store: deadStore })
	const stats = recorder.stats()
	await recorder.close(0)
	expect(stats).toMatchObject({ acknowledgedRows: 6, pendingRows: 4, damagedRows: 2, damagedRecords: 1 })
})

test('a segment without a readable header is quarantined as a whole and counted, and does not prevent the start', async () => {
	const { bytes } = await record(['append', 'append'])
	writeFileSync(
		segmentPath(log.directory, 1),
		Buffer.concat([Buffer.alloc(headerBytes), bytes.subarray(headerBytes)]),
	)
	for (let start = 0; start < 2; start++) {
		const recorder = await openNotesRecorder({ directory: log.directory, store: deadStore })
		const stats = recorder.stats()
		await recorder.close(0)
		expect(stats).toMatchObject({ acknowledgedRows: 4, pendingRows: 0, damagedRows: 4, damagedRecords: 1 })
		expect(readdirSync(join(log.directory, 'quarantine'))).toEqual(['0000000000000001.seg'])
	}
})

test('calls of an earlier version, announced and ended as rows, are read once each, also the interrupted one', async () => {
	const header = newSegmentHeader(1)
	const note = (kind: LogRecord['kind'], id: string, status: string): LogRecord => ({
		...{ kind, rowFormat: 1, key: id.padStart(32, '0'), workspaceId: 'ws_1', count: 1 },
		bytes: encodeNote(`call-${id}`, status),
	})
	const records = [
		note(recordKinds.intent, 'a', 'interrupted'),
		note(recordKinds.intent, 'b', 'interrupted'),
		note(recordKinds.outcome, 'a', 'ok'),
	]
	const run = Buffer.alloc(records.reduce((sum, record) => sum + recordBytes(record), 0))
	records.reduce((at, record) => writeRecord(run, at, record, header.marker), 0)
	sealRecords(run)
	writeFileSync(segmentPath(log.directory, 1), Buffer.concat([encodeHeader(header), run]))
	const stored: string[] = []
	const store = {
		insertRowBinary: async ({ rows }: RowInsert) => {
			for (const [name] of rows.toString('latin1').matchAll(/call-\w.(ok|interrupted)/g)) stored.push(name)
		},
	}
	for (let start = 0; start < 2; start++) {
		const recorder = await openNotesRecorder({ directory: log.directory, store })
		await until(() => recorder.stats().pendingRows === 0)
		await recorder.close(1000)
	}
	expect(stored.toSorted()).toEqual(['call-a\x02ok', 'call-b\x0binterrupted'])
})
