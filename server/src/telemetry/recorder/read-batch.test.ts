import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { storedAt, storedAtType } from '../columns.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { spanRows } from '../span-rows.testing.ts'
import { segmentPath } from './log-files.ts'
import { BatchMemory, readBatch } from './read-batch.ts'
import { recordBytes, recordKinds, sealRecords, writeRecord } from './segment-format.ts'

let directory: string
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'read-batch-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const marker = Buffer.from('mark')
const records = 50

/** A segment of records with one span each, and its rows as one batch. */
function writeSegment() {
	const bytes = encodeSpanBlock(fc.sample(spanRows, { numRuns: 1, seed: 7 }))
	const kind = recordKinds.rows
	const record = { kind, rowFormat: spanBlockFormat, key: '', workspaceId: 'ws_1', count: 1, bytes }
	const run = Buffer.alloc(recordBytes(record) * records)
	for (let at = 0; at < run.length; ) at = writeRecord(run, at, record, marker)
	sealRecords(run)
	const path = segmentPath(directory, 1)
	mkdirSync(dirname(path), { recursive: true })
	writeFileSync(path, run)
	const stamp = { name: storedAt, type: storedAtType }
	return { number: 1, marker, from: 0, to: run.length, storedFormats: [], stamp, tellsArrived: true }
}

it('reads a batch in small slices of work, and can yield the core between them', () => {
	const request = writeSegment()
	const [whole] = readBatch(directory, request, new BatchMemory())
	let pauses = 0
	const slices = {
		pause: () => {
			pauses += 1
		},
	}
	const [inPieces] = readBatch(directory, request, new BatchMemory(), slices)
	expect(inPieces).toMatchObject({ rows: records, rowFormat: spanBlockFormat })
	expect(Buffer.compare(inPieces?.bytes ?? Buffer.alloc(0), whole?.bytes ?? Buffer.alloc(1))).toBe(0)
	expect(inPieces?.arrived).toHaveLength(whole?.arrived?.length ?? 0)
	// One pause per record for checking it, for reading it and for noting its traces; and one per column.
	expect(pauses).toBeGreaterThan(records * 3 + 50)
})
