import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { newSpanRow } from '../span-row.ts'
import { startTelemetryStore } from '../store.testing.ts'
import { openRecorder } from './index.ts'
import { announceNote, concludeNote, makeLogDirectory, makeRowsBy, testKeyOf, until } from './testing.ts'

test('a finished call and an interrupted one stand in the spans table with their figures', async () => {
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
