import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomCases } from '../../platform/random-cases.testing.ts'
import {
	decodeHeader,
	encodeHeader,
	headerBytes,
	type LogRecord,
	newSegmentHeader,
	recordBytes,
	recordKinds,
	scanRecords,
	sealRecords,
	writeRecord,
} from './segment-format.ts'

const header = newSegmentHeader(1)

const anyRecord: fc.Arbitrary<LogRecord> = fc
	.record({
		kind: fc.constantFrom(...Object.values(recordKinds)),
		// 255 is encrypted: see row-making.test.ts.
		rowFormat: fc.nat(252),
		key: fc.uint8Array({ minLength: 16, maxLength: 16 }),
		workspaceId: fc.string({ maxLength: 40 }),
		count: fc.nat(),
		bytes: fc.uint8Array({ maxLength: 300 }),
	})
	.map((given) => ({
		...given,
		workspaceId: given.workspaceId.toWellFormed(),
		key: given.kind === recordKinds.rows ? '' : Buffer.from(given.key).toString('hex'),
		bytes: Buffer.from(given.bytes),
	}))

function encode(records: readonly LogRecord[]): { run: Buffer; starts: number[] } {
	const run = Buffer.alloc(records.reduce((sum, record) => sum + recordBytes(record), 0))
	const starts: number[] = []
	let at = 0
	for (const record of records) {
		starts.push(at)
		at = writeRecord(run, at, record, header.marker)
	}
	sealRecords(run)
	return { run, starts }
}

function scan(run: Buffer) {
	const found: LogRecord[] = []
	const result = scanRecords(run, 0, run.length, header.marker, (record) =>
		found.push({ ...record, bytes: Buffer.from(record.bytes) }),
	)
	return { found, ...result }
}

test('whatever bytes are damaged, exactly the undamaged records are read back', () => {
	const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 8 })
	fc.assert(
		fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 20 }), damage, (records, flips) => {
			const { run, starts } = encode(records)
			const changed = Buffer.from(run)
			for (const [place, flip] of flips)
				changed[place % run.length] = (changed[place % run.length] ?? 0) ^ flip
			const sound = records.filter((_, index) => {
				const [from, to] = [starts[index] ?? 0, starts[index + 1] ?? run.length]
				return changed.subarray(from, to).equals(run.subarray(from, to))
			})
			const { found, damagedRecords, torn } = scan(changed)
			expect(found).toEqual(sound)
			if (sound.length < records.length) expect(damagedRecords > 0 || torn).toBe(true)
			else expect(damagedRecords).toBe(0)
		}),
		{ numRuns: randomCases(500) },
	)
})

test('a write cut short at any byte costs only its own record and is not damage', () => {
	const row = (id: number) => ({
		kind: recordKinds.rows,
		rowFormat: 1,
		key: '',
		workspaceId: 'ws',
		count: 1,
		bytes: Buffer.from(`row ${id}`),
	})
	const { run, starts } = encode([row(1), row(2), row(3)])
	for (let length = starts[2] ?? 0; length < run.length; length++) {
		expect(scan(run.subarray(0, length))).toMatchObject({
			found: [row(1), row(2)],
			damagedRecords: 0,
			end: starts[2],
		})
		const zeros = Buffer.alloc(run.length)
		run.copy(zeros, 0, 0, starts[2])
		expect(scan(zeros)).toMatchObject({ found: [row(1), row(2)], damagedRecords: 0, torn: true })
	}
})

test('record bytes inside the data of a damaged record are not taken for a record', () => {
	const foreign = newSegmentHeader(2)
	const inner = {
		kind: recordKinds.rows,
		rowFormat: 1,
		key: '',
		workspaceId: 'victim',
		count: 1,
		bytes: Buffer.from('forged'),
	}
	const forged = Buffer.alloc(recordBytes(inner))
	writeRecord(forged, 0, inner, foreign.marker)
	sealRecords(forged)
	const { run } = encode([{ ...inner, workspaceId: 'attacker', bytes: forged }])
	run[4] = (run[4] ?? 0) ^ 1
	expect(scan(run).found).toEqual([])
})

test('a segment stays readable when one copy of its header is damaged', () => {
	const bytes = encodeHeader(header)
	for (let place = 0; place < headerBytes; place++) {
		const changed = Buffer.from(bytes)
		changed[place] = (changed[place] ?? 0) ^ 255
		expect(decodeHeader(changed)).toEqual(header)
	}
	expect(decodeHeader(Buffer.alloc(headerBytes))).toBeUndefined()
})
