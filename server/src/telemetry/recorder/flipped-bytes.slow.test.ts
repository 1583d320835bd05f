import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { segmentPath } from './log-files.ts'
import { replaySegments } from './replay-segments.ts'
import { headerBytes, type LogRecord, recordKinds, scanRecords } from './segment-format.ts'
import {
	announceNote,
	concludeNote,
	deadStore,
	makeLogDirectory,
	notes,
	openNotesRecorder,
} from './testing.ts'

const flips = process.env.LONG_TESTS ? 10_000 : 200

let log: Awaited<ReturnType<typeof makeLogDirectory>>
beforeAll(async () => {
	log = await makeLogDirectory()
})
afterAll(() => log.remove())

interface Placed {
	start: number
	end: number
	rows: number
}

/** A real segment with records of every kind, and the position of each. */
async function writeSegment(): Promise<{ bytes: Buffer; records: Placed[] }> {
	const recorder = await openNotesRecorder({ directory: log.directory, store: deadStore })
	for (let n = 0; n < 25; n++) {
		const call = await announceNote(recorder, `call ${n}`)
		await recorder.append(notes([`a${n}`, `b${n}`], 'x'.repeat(n * 7)))
		await recorder.append({ ...notes([`c${n}`]), key: String(n).padStart(32, '0') })
		await concludeNote(recorder, call)
	}
	await recorder.close(0)
	const bytes = readFileSync(segmentPath(log.directory, 1))
	const { segments } = replay(null)
	const marker = Buffer.from(segments[0]?.header?.marker ?? [])
	const records: Placed[] = []
	scanRecords(bytes, headerBytes, bytes.length, marker, (record, start, end) =>
		records.push({ start, end, rows: isAnnouncement(record) ? 0 : record.count }),
	)
	return { bytes, records }
}

const isAnnouncement = (record: LogRecord) => record.kind === recordKinds.intent
const replay = (sealedEnd: number | null) =>
	replaySegments(log.directory, [{ number: 1, sealedEnd, open: [], takenTo: headerBytes }])

test(`a flipped byte costs exactly the record that contains it, and is counted (${flips} flips)`, async () => {
	const { bytes, records } = await writeSegment()
	const allRows = records.reduce((sum, { rows }) => sum + rows, 0)
	expect(records.length).toBeGreaterThan(100)
	for (let flip = 0; flip < flips; flip++) {
		const place = Math.floor(Math.random() * bytes.length)
		const changed = Buffer.from(bytes)
		changed[place] = (changed[place] ?? 0) ^ (1 + Math.floor(Math.random() * 255))
		writeFileSync(segmentPath(log.directory, 1), changed)
		const hit = records.find(({ start, end }) => place >= start && place < end)
		const [segment] = replay(bytes.length).segments
		expect({ place, rows: segment?.rows, damaged: segment?.damagedRecords }).toEqual({
			place,
			rows: allRows - (hit?.rows ?? 0),
			damaged: hit ? 1 : 0,
		})
	}
}, 300_000)
