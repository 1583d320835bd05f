import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { createSideTable, dropAbandonedTables, freezeTable } from '../../platform/clickhouse/frozen-table.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { manualClock } from '../../platform/clock.ts'
import { DataDisk } from '../../platform/data-disk.ts'
import { openTestSqlite } from '../../platform/database/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { spanColumnNames } from '../span-columns.ts'
import { newSpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryStore } from '../store.testing.ts'
import { guardDisk } from './retention.ts'

const dayMs = 24 * 60 * 60 * 1000
const nowMs = Date.UTC(2026, 9, 10, 12)
const mebibyte = 1024 * 1024

describe('a disk that is nearly full', () => {
	let engine: TestStore
	let app: TestApp
	let endStore: () => Promise<void>
	beforeAll(async () => {
		engine = await startTelemetryStore({ fresh: true })
		const control = await openTestSqlite()
		endStore = control.end
		app = await startTestApp(control.store)
		// Completed days are recompressed; for a while they are on the disk twice, and free twice their size.
		await engine.store.command('SYSTEM STOP MERGES spans')
		await engine.store.command('SYSTEM STOP TTL MERGES spans')
	})
	afterAll(async () => {
		await app.close()
		await endStore()
		await engine.close()
	})

	/** Some 3 MB that cannot be compressed, so that what the engine does otherwise is small in comparison. */
	async function fill(daysAgo: number, retentionDays: number, workspaceId = app.owner.workspaceId) {
		const rows = Array.from({ length: 6 }, (_, index) =>
			encodeSpanRow(
				newSpanRow({
					...{ workspaceId, traceId: 'a'.repeat(32), spanId: `${index}`.repeat(16), retentionDays },
					...{ name: `${daysAgo}`, source: 'otlp', kind: 'other' },
					startNs: BigInt(nowMs - daysAgo * dayMs) * 1_000_000n,
					statusMessage: randomBytes(375_000).toString('base64'),
				}),
			),
		)
		const deduplicationToken = `disk-${daysAgo}-${retentionDays}-${workspaceId}`
		await engine.store.insertRowBinary({ table: 'spans', columns: spanColumnNames, rows, deduplicationToken })
	}
	const days = async () => {
		const rows = await engine.store.query<{ name: string }>('SELECT DISTINCT name FROM spans ORDER BY name')
		return rows.map(({ name }) => name)
	}
	const backupTables = async () => {
		const sql = "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE 'backup\\_%'"
		return (await engine.store.query<{ name: string }>(sql)).map(({ name }) => name)
	}
	/** A disk with just this much free space in addition to what the store uses at present. */
	const diskWith = (freeBytes: number, reserveBytes: number) => {
		const size = sizeOf(engine.dataDir) + freeBytes
		return { reserveBytes, measure: async () => size - sizeOf(engine.dataDir) }
	}
	const guard = (disk: { reserveBytes: number; measure(): Promise<number> }, freedWithinMs?: number) =>
		guardDisk(
			{ ...app, telemetry: engine.store, disk, clock: manualClock(nowMs), log: silentLog },
			freedWithinMs,
		)

	it('loses its oldest days, no more than necessary, and affected workspaces are notified', async () => {
		const other = await app.register()
		await fill(9, 30)
		await fill(9, 365, other.workspaceId)
		await fill(5, 365)
		await fill(2, 30)
		await fill(0, 30)
		expect(await guard(diskWith(25 * mebibyte, 20 * mebibyte))).toEqual([])
		expect(await days()).toEqual(['0', '2', '5', '9'])
		// The first day is not enough. A busy engine deletes its files only after seconds.
		expect(await guard(diskWith(10 * mebibyte, 17.5 * mebibyte), 60_000)).toEqual([
			'2026-10-01',
			'2026-10-05',
		])
		expect(await days()).toEqual(['0', '2'])
		const events = await app.store.db
			.selectFrom('events')
			.select(['workspace_id', 'data'])
			.where('type', '=', 'telemetry.dropped')
			.execute()
		const dropped = events.map(({ workspace_id, data }) => [
			workspace_id,
			JSON.parse(data).day,
			JSON.parse(data).rows,
		])
		expect(dropped).toHaveLength(3)
		expect(dropped).toContainEqual([other.workspaceId, '2026-10-01', 6])
		expect(dropped).toContainEqual([app.owner.workspaceId, '2026-10-05', 6])
	})

	it('never loses the current day, and no second one if dropping the first frees no space', async () => {
		await fill(3, 30)
		const full = { reserveBytes: mebibyte, measure: async () => 0 }
		expect(await guard(full, 2000)).toEqual(['2026-10-07'])
		expect(await days()).toEqual(['0', '2'])
		expect(await guard(full, 2000)).toEqual(['2026-10-08'])
		expect(await guard(full)).toEqual([])
		expect(await days()).toEqual(['0'])
	})

	it('notifies once of a day whose drop was cut off, and of one that leaves no room for the notice before it', async () => {
		const full = { reserveBytes: mebibyte, measure: async () => 0 }
		const context = { ...app, disk: full, clock: manualClock(nowMs), log: silentLog }
		const noticesOf = async (day: string) => {
			const events = app.store.db.selectFrom('events').select('data').where('type', '=', 'telemetry.dropped')
			const all = (await events.execute()).map(
				({ data }) => JSON.parse(data) as { day: string; rows: number },
			)
			return all.filter((data) => data.day === day).map(({ rows }) => rows)
		}
		const cutOff = (isDropped: boolean) => ({
			query: engine.store.query,
			command: async (sql: string, parameters?: Record<string, unknown>) => {
				if (isDropped || !sql.includes('DROP')) await engine.store.command(sql, parameters)
				if (sql.includes('DROP')) throw new Error('The program is killed here.')
			},
		})
		await fill(7, 30)
		for (const isDropped of [false, true])
			await expect(guardDisk({ ...context, telemetry: cutOff(isDropped) }, 0)).rejects.toThrow('killed')
		expect(await days()).toEqual(['0'])
		expect(await noticesOf('2026-10-03')).toEqual([6])
		await fill(6, 30)
		let isFull = true
		const telemetry = {
			query: engine.store.query,
			command: async (sql: string, parameters?: Record<string, unknown>) => {
				await engine.store.command(sql, parameters)
				isFull = false
			},
		}
		const mutate: typeof app.mutate = async (work) => {
			if (isFull) throw new Error('The disk is full.')
			return app.mutate(work)
		}
		expect(await guardDisk({ ...context, mutate, telemetry }, 0)).toEqual(['2026-10-04'])
		expect(await noticesOf('2026-10-04')).toEqual([6])
	})

	it('loses no day while a backup holds its files, and first loses what a killed backup left', async () => {
		const full = { reserveBytes: mebibyte, measure: async () => 0 }
		await fill(8, 30)
		const frozen = await freezeTable(engine.store, 'spans', nowMs)
		expect(await guard(full, 0)).toEqual([])
		await frozen.drop()
		await createSideTable(engine.store, 'backup_1790000000000_spans', 'spans')
		const roomy = {
			reserveBytes: mebibyte,
			measure: async () => ((await backupTables()).length > 0 ? 0 : mebibyte),
		}
		expect(await guard(roomy, 0)).toEqual([])
		expect(await backupTables()).toEqual([])
		expect(await days()).toEqual(['0', '8'])
		expect(await guard(full, 0)).toEqual(['2026-10-02'])
	})

	it('of a server that others use, what a backup left goes after a day', async () => {
		for (const madeMs of [nowMs - dayMs - 1, nowMs - dayMs + 1])
			await createSideTable(engine.store, `backup_${madeMs}_spans`, 'spans')
		await dropAbandonedTables(engine.store, nowMs, false)
		expect(await backupTables()).toEqual([`backup_${nowMs - dayMs + 1}_spans`])
		await dropAbandonedTables(engine.store, nowMs, true)
		expect(await backupTables()).toEqual([])
	})

	it('knows the free room from the start, and keeps the default reserve unless another is set', () => {
		const [usual, own, none] = [null, 5, 0].map((reserve) => new DataDisk(engine.dataDir, reserve))
		expect(usual?.freeBytes).toBeGreaterThan(0)
		expect(usual?.reserveBytes).toBeGreaterThan(0)
		expect(usual?.reserveBytes).toBeLessThanOrEqual(1024 * mebibyte)
		expect([own?.reserveBytes, none?.reserveBytes]).toEqual([5, 0])
	})
})

function sizeOf(directory: string): number {
	for (;;) {
		try {
			return sizeAtOnce(directory)
		} catch (error) {
			// The engine deletes a merge's directory while it is being read.
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
		}
	}
}

function sizeAtOnce(directory: string): number {
	// The engine has two names for a table's directory, one of them a symbolic link.
	const files = new Map<number, number>()
	for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
		// The file in which the rows of a batch reach the engine is removed after five idle seconds.
		if (!entry.isFile() || entry.parentPath.endsWith('inserts')) continue
		const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })
		if (found) files.set(found.ino, found.size)
	}
	return [...files.values()].reduce((sum, size) => sum + size, 0)
}
