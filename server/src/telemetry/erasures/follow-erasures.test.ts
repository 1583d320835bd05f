import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import type { TestPerson } from '../../accounts/identity/testing-people.ts'
import { StoreUnavailable } from '../../platform/clickhouse/store.ts'
import { systemClock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { singleProcess } from '../../platform/processes/processes.ts'
import { openShedOfAll } from '../recorder/across-processes.ts'
import type { RowStore } from '../recorder/insert-missing.ts'
import { openRecorder } from '../recorder/open-recorder.ts'
import type { LogRecorder } from '../recorder/recorder.ts'
import { newSpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { applyErasures, type ErasureContext } from './erase-rows.ts'
import { ErasureFollower, openErasures } from './erasures.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const signal = new AbortController().signal

describeWithStore('an erasure that another program carries out', (store) => {
	let app: TestApp
	let first: ErasureContext
	let person: TestPerson
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-follow-'))
	const markFile = join(directory, 'erasures.json')
	/** For the second program: the store takes none of its rows while this is true. */
	let isAway = false
	let second: LogRecorder
	beforeAll(async () => {
		const reached: RowStore = {
			insertRowBinary: async (batch) => {
				if (isAway) throw new StoreUnavailable('away')
				return server.store.insertRowBinary(batch)
			},
		}
		const tuning = { batchDelayMs: 20 }
		second = await openRecorder({
			...{ directory: join(directory, 'wal'), store: reached, log: silentLog, clock: systemClock, tuning },
		})
		app = await startTestApp(store(), {
			open: (core) => {
				const shedLogs = openShedOfAll({ ...core, recorder: server.recorder, processes: singleProcess }, 1)
				first = { ...core, shedLogs, telemetry: server.store, pauseMs: 0 }
				return openErasures({ ...first, ...core, processes: singleProcess, dataDir: directory })
			},
		})
	})
	afterAll(async () => {
		await app.close()
		await second.close(1000)
		rmSync(directory, { recursive: true, force: true })
	})
	beforeEach(async () => {
		person = await app.register()
	})

	const follower = () => {
		const feed = { add: () => undefined, catchUp: async () => undefined }
		const shedLogs = openShedOfAll({ recorder: second, feed, processes: singleProcess }, 1)
		return new ErasureFollower({ ...first, shedLogs, feed, log: silentLog, markFile })
	}
	const record = (sessionId: string) => {
		const { workspaceId } = person
		const ids = { workspaceId, traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: sessionId }
		const startNs = BigInt(Date.now() - 1000) * 1_000_000n
		const row = newSpanRow({ ...ids, source: 'gateway', kind: 'tool_call', sessionId, startNs })
		return second.append({ workspaceId, count: 1, bytes: encodeSpanRow(row) })
	}
	const left = async () => {
		const of = { workspaceId: person.workspaceId }
		const sql = 'SELECT name FROM spans WHERE workspace_id = {workspaceId:String}'
		return (await server.store.query<{ name: string }>(sql, of)).map(({ name }) => name)
	}
	const erase = async (session_id: string) => {
		const body = { session_id }
		await app.request('POST', '/v1/telemetry/erasures', { token: person.token, body })
		await applyErasures(first, signal)
		const { body: list } = await app.request('GET', '/v1/telemetry/erasures', { token: person.token })
		expect(list.erasures[0].status).toBe('done')
	}

	it('reaches what the log of this program still held, also after a restart', async () => {
		const running = follower()
		running.poll()
		await vi.waitFor(() => expect(readFileSync(markFile, 'utf8')).toContain('through_ms'))
		isAway = true
		await record('s1')
		await erase('s1')
		expect(await left()).toEqual([])
		await running.close()
		isAway = false
		await vi.waitFor(async () => expect(await left()).toEqual(['s1']), 30_000)
		const again = follower()
		again.poll()
		await vi.waitFor(async () => expect(await left()).toEqual([]), 30_000)
		await vi.waitFor(() => expect(second.stats().pendingRows).toBe(0))
		await again.close()
	})

	it('waits until the log can be emptied, then continues by itself', async () => {
		const running = follower()
		isAway = true
		await record('s2')
		await erase('s2')
		running.poll()
		await new Promise((resolve) => setTimeout(resolve, 300))
		isAway = false
		await vi.waitFor(() => expect(second.stats().pendingRows).toBe(0), 30_000)
		running.poll()
		await vi.waitFor(async () => expect(await left()).toEqual([]), 30_000)
		await running.close()
	})

	it("is ignored if it is this program's own", async () => {
		const running = follower()
		await record('s3')
		await vi.waitFor(async () => expect(await left()).toEqual(['s3']), 30_000)
		const body = { session_id: 's3' }
		const made = await app.request('POST', '/v1/telemetry/erasures', { token: person.token, body })
		running.carriesOut(made.body.id)
		await store()
			.db.updateTable('telemetry_erasures')
			.set({ erased_at: Date.now() })
			.where('id', '=', made.body.id)
			.execute()
		running.poll()
		await new Promise((resolve) => setTimeout(resolve, 500))
		await running.close()
		expect(await left()).toEqual(['s3'])
	})
})
