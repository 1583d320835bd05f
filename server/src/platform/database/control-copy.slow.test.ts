import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { loadControlStore, openControlSnapshot } from './control-copy.ts'
import type { ControlStore } from './database.ts'
import { appliedMigrations, migrateControlStore, refuseEmptyDatabase } from './migrate.ts'
import { openPostgres } from './open-control-store.ts'
import { openSqlite } from './sqlite/driver.ts'
import { onServer, startPostgres } from './testing.ts'

const kinds = ['sqlite', 'postgres'] as const
type Kind = (typeof kinds)[number]

describe('copies of the control store', () => {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-copy-'))
	const opened: ControlStore[] = []
	let server: Awaited<ReturnType<typeof startPostgres>>
	beforeAll(async () => {
		server = await startPostgres()
	})
	afterAll(async () => {
		for (const store of opened) await store.close()
		await server.stop()
		rmSync(directory, { recursive: true, force: true })
	})

	const open = async (kind: Kind): Promise<ControlStore> => {
		const name = `copy_${randomBytes(6).toString('hex')}`
		if (kind === 'postgres') await onServer(server.url, `create database ${name}`)
		const url = new URL(server.url)
		url.pathname = `/${name}`
		const store =
			kind === 'postgres'
				? await openPostgres(url.href, silentLog)
				: openSqlite(join(directory, `${name}.db`))
		opened.push(store)
		return store
	}
	it('an empty database beside the telemetry of an instance is refused, and stays empty', async () => {
		const dataDir = mkdtempSync(join(directory, 'data-'))
		const store = await open('postgres')
		await refuseEmptyDatabase(store, dataDir)
		mkdirSync(join(dataDir, 'wal'))
		writeFileSync(join(dataDir, 'wal', '1.seg'), 'records')
		await expect(refuseEmptyDatabase(store, dataDir)).rejects.toThrow(
			`The PostgreSQL database (DATABASE_URL) is empty, but ${dataDir} holds the telemetry of an instance.`,
		)
		expect(await appliedMigrations(store)).toEqual([])
		await migrateControlStore(store)
		await refuseEmptyDatabase(store, dataDir)
	})

	const fill = async (store: ControlStore) => {
		await migrateControlStore(store)
		await store.db
			.insertInto('workspaces')
			.values(
				Array.from({ length: 1201 }, (_, n) => ({
					...{ id: `w${n}`, name: `Nøtes "'\\ ${n}\n☃`, created_at: 1_780_000_000_000 + n, updated_at: 1 },
				})) as never,
			)
			.execute()
		await sql`insert into agents (id, workspace_id, name, description, status, created_at, updated_at)
			values ('a', 'w7', 'A', '', 'active', 1, 1)`.execute(store.db)
		await sql`insert into mcp_servers (id, workspace_id, name, slug, description, endpoint_url, transport_type, hosting_mode,
			status, health_status, failures, last_health_check, last_latency_ms, configuration, created_at, updated_at) values
			('s', 'w7', 'S', 's', '', 'http://x', 'http', 'remote', 'active', 'healthy', 0, 1, 12.75, '{}', 1, 1)`.execute(
			store.db,
		)
	}
	const read = async (store: ControlStore, meanwhile = async () => {}) => {
		const snapshot = await openControlSnapshot(store)
		await meanwhile()
		const tables: Record<string, unknown[]> = {}
		for (const table of snapshot.tables) {
			tables[table] = []
			for await (const rows of snapshot.rows(table)) tables[table].push(...rows.map((row) => ({ ...row })))
		}
		await snapshot.close()
		return { migrations: snapshot.migrations, tables }
	}
	const load = (store: ControlStore, { migrations, tables }: Awaited<ReturnType<typeof read>>) =>
		loadControlStore(store, {
			migrations,
			tables: Object.keys(tables),
			rows: async function* (table) {
				yield tables[table] as never
			},
		})

	it.each(kinds.flatMap((from) => kinds.map((to) => [from, to] as const)))(
		'from %s are restored into an empty %s, as one snapshot, with references checked',
		async (from, to) => {
			const source = await open(from)
			await fill(source)
			const copy = await read(source, async () => {
				await sql`delete from agents`.execute(source.db)
				await sql`insert into workspaces (id, name, created_at, updated_at) values ('later', 'later', 1, 1)`.execute(
					source.db,
				)
			})
			expect(copy.tables.workspaces).toHaveLength(1201)
			expect(copy.tables.agents).toHaveLength(1)
			const target = await open(to)
			await load(target, copy)
			const again = await read(target)
			const sorted = (tables: Record<string, unknown[]>) =>
				Object.entries(tables).map(([name, rows]) => [
					name,
					rows.map((row) => JSON.stringify(row, Object.keys(row as object).sort())).sort(),
				])
			expect(sorted(again.tables)).toEqual(sorted(copy.tables))
			await expect(
				sql`insert into agent_groups (agent_id, workspace_id, name) values ('nobody', 'w7', 'g')`.execute(
					target.db,
				),
			).rejects.toThrow(/foreign key/i)
			await expect(load(target, copy)).rejects.toThrow(/not empty/)
		},
	)

	it.each(kinds)('with a dangling reference are refused entirely (%s)', async (kind) => {
		const copy = await (async () => {
			const source = await open('sqlite')
			await fill(source)
			return read(source)
		})()
		copy.tables.workspaces = []
		const target = await open(kind)
		await expect(load(target, copy)).rejects.toThrow(/foreign key/i)
		expect(await appliedMigrations(target)).toEqual([])
		await load(target, { ...copy, tables: {} })
		await expect(load(await open(kind), { ...copy, migrations: ['9999-future'] })).rejects.toThrow(
			/newer Signalbox/,
		)
	})
})
