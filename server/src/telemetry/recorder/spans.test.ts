import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { ReusableMemory } from '../../platform/free-bytes.ts'
import { silentLog } from '../../platform/log.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { newSpanRow } from '../span-row.ts'
import { startTelemetryStore } from '../store.testing.ts'
import { segmentPath } from './log-files.ts'
import { openRecorder } from './open-recorder.ts'
import { writeNewest } from './read-batch.ts'
import { newSegmentHeader, recordBytes, recordKinds, sealRecords, writeRecord } from './segment-format.ts'
import { announceNote, concludeNote, makeLogDirectory, makeRowsBy, testKeyOf, until } from './testing.ts'

test('a finished call and an interrupted one are in the spans table with their figures', async () => {
	const engine = await startTelemetryStore()
	const log = await makeLogDirectory()
	const options = {
		...{ directory: log.directory, store: engine.store, log: silentLog, clock: systemClock },
		keyOf: testKeyOf,
	}
	try {
		const call = newSpanRow({
			workspaceId: 'ws_1',
			traceId: 'ab'.repeat(16),
			spanId: 'cd'.repeat(8),
			name: '',
			source: 'gateway',
			kind: 'tool_call',
			startNs: process.hrtime.bigint() + 1_700_000_000_000_000_000n,
			status: 'interrupted',
		})
		const before = await openRecorder(options)
		const make = makeRowsBy((name, end) => ({
			rowFormat: spanBlockFormat,
			count: 1,
			bytes: encodeSpanBlock([{ ...call, name, ...(end && { status: 'ok', costNanoUsd: 42n }) }]),
		}))
		before.makeRows(make)
		const intent = await announceNote(before, 'call')
		await announceNote(before, 'cut off')
		await concludeNote(before, intent)
		await before.close(5000)
		const after = await openRecorder(options)
		after.makeRows(make)
		await until(() => after.stats().pendingRows === 0)
		await after.close(5000)
		expect(
			await engine.store.query(
				'SELECT name, toString(status) status, cost_nano_usd cost FROM spans ORDER BY name',
			),
		).toEqual([
			{ name: 'call', status: 'ok', cost: '42' },
			{ name: 'cut off', status: 'interrupted', cost: null },
		])
	} finally {
		await engine.close()
		await log.remove()
	}
})

test('the spans of a trace are found in the log past damage, and in records of several blocks, without reading the others', async () => {
	const log = await makeLogDirectory()
	try {
		const { number, marker } = newSegmentHeader(1)
		const blockOf = (trace: number, spans: number) =>
			encodeSpanBlock(
				Array.from({ length: spans }, (_, span) =>
					newSpanRow({
						...{ workspaceId: 'ws_1', traceId: `${trace}`.repeat(32), spanId: `${span}`.padStart(16, 'a') },
						...{ name: `span ${span}`, source: 'otlp', kind: 'other', startNs: 1n },
					}),
				),
			)
		const blocks = [[blockOf(1, 2)], [blockOf(2, 300)], [blockOf(3, 300), blockOf(4, 2), blockOf(3, 1)]]
		const records = blocks.map((parts, index) => {
			const [count, bytes] = [index + 1, Buffer.concat(parts)]
			const fields = { kind: recordKinds.keyedRows, rowFormat: spanBlockFormat, key: 'ab'.repeat(16) }
			const record = { ...fields, workspaceId: 'ws_1', count, bytes }
			const run = Buffer.alloc(recordBytes(record))
			writeRecord(run, 0, record, marker)
			sealRecords(run)
			return run
		})
		const all = Buffer.concat(records)
		const memory = new ReusableMemory()
		/** The rows found, as the engine gets them. */
		const find = (bytes: Buffer, traces?: number[]) => {
			writeFileSync(segmentPath(log.directory, number), bytes)
			const range = { number, marker, from: 0, to: bytes.length, storedFormats: [] }
			const request = { ranges: [range], formats: [spanBlockFormat], workspaceId: 'ws_1' }
			const ids = traces && { traces: traces.map((trace) => `${trace}`.repeat(32)) }
			const path = join(log.directory, 'found')
			const parts = writeNewest(log.directory, { ...request, ...ids, path }, memory)
			return parts.map((part) => readFileSync(part.path))
		}
		for (const [index, record] of records.entries()) {
			const [whole] = find(record)
			expect(whole?.length).toBeGreaterThan(0)
			expect(find(all, [index + 1])).toEqual([whole])
		}
		expect(find(all, [4])).toEqual(find(records[2] as Buffer))
		expect(find(all, [5])).toEqual([])
		// Positions of the record's length, its marker, the workspace's name, the block's head, and the last byte.
		const middle = records[0]?.length as number
		for (const damaged of [0, 2, 10, 32, 42, (records[1] as Buffer).length - 1]) {
			const flipped = Buffer.from(all)
			flipped[middle + damaged] = (flipped[middle + damaged] as number) ^ 0x55
			expect(find(flipped, [1, 3]), `byte ${damaged}`).toEqual(
				find(Buffer.concat([records[0] as Buffer, records[2] as Buffer])),
			)
			expect(find(flipped, [2]), `byte ${damaged}`).toEqual([])
		}
	} finally {
		await log.remove()
	}
})
