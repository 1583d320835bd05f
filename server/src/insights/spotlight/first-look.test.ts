import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { startTestApp } from '../../accounts/identity/testing.ts'
import { systemClock } from '../../platform/clock.ts'
import { openTestSqlite } from '../../platform/database/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { encodeSpanBlock } from '../../telemetry/blocks/span-block.ts'
import { newSpanRow, openRecorder } from '../../telemetry/index.ts'
import { spanBlockFormat } from '../../telemetry/span-columns.ts'
import { startTelemetryStore } from '../../telemetry/store.testing.ts'
import { openSpotlight } from './spotlight.ts'

test('the first reader of figures gets everything that arrived while nobody was reading', async () => {
	const directory = await mkdtemp(join(tmpdir(), 'signalbox-looks-'))
	const engine = await startTelemetryStore()
	const control = await openTestSqlite()
	const recorder = await openRecorder({
		...{ directory, store: engine.store, log: silentLog, clock: systemClock },
		keyOf: (name) => Buffer.from(name.padEnd(64).slice(-32)),
		tuning: { batchDelayMs: 100 },
	})
	const stored = {
		count: async () => recorder.stats().storedRows,
		onMore: (tell: () => void) => void recorder.onStored(tell),
		takeArrived: (storedMs: number, rows: number) => recorder.takeArrived(storedMs, rows),
	}
	const app = await startTestApp(control.store, {
		open: (core) => {
			const { operations, routes } = openSpotlight({ ...core, telemetry: engine.store, recorder, stored })
			return { operations, routes }
		},
	})
	const { workspaceId } = app.owner
	let calls = 0
	const record = () =>
		recorder.append({
			...{ workspaceId, count: 300, rowFormat: spanBlockFormat },
			bytes: encodeSpanBlock(
				Array.from({ length: 300 }, () => {
					const id = (++calls).toString(16)
					return newSpanRow({
						...{ workspaceId, traceId: id.padStart(32, '0'), spanId: id.padStart(16, '0'), name: 'search' },
						...{ source: 'gateway', kind: 'tool_call', toolName: 'search', status: 'ok' },
						startNs: BigInt(Date.now() - 1000) * 1_000_000n,
					})
				}),
			),
		})
	// On a busy machine the parts may take so long to arrive that the log stores some of them by itself.
	await vi.waitFor(async () => {
		await record()
		await expect.poll(() => recorder.stats().pendingRows, { timeout: 10_000 }).toBe(0)
		for (let part = 0; part < 5; part++) {
			await sleep(200)
			await record()
		}
		expect(recorder.stats().pendingRows).toBe(1500)
	}, 40_000)
	const { body } = await app.request('GET', '/v1/spotlight/overview', { token: app.owner.token })
	expect(body).toMatchObject({ calls })
	await app.close()
	await recorder.close(5000)
	await control.end()
	await engine.close()
	await rm(directory, { recursive: true, force: true })
}, 60_000)
