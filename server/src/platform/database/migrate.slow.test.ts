import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import type { ControlStore } from './database.ts'
import type { MigrateTask } from './migrate.testing.ts'
import { appliedMigrations, controlMigrations, runMigrations } from './migrate.ts'
import { openPostgres } from './open-control-store.ts'
import { openSqlite } from './sqlite/driver.ts'
import { onServer, startPostgres } from './testing.ts'

const names = Object.keys(controlMigrations)
const first = names[0] as string
/** The short form kills within the newest steps, which no release contains yet, and runs through the others at once. */
const late = process.env.LONG_TESTS ? names : names.slice(-3)
const program = fileURLToPath(new URL('./migrate.testing.ts', import.meta.url))

interface Place {
	task: MigrateTask
	open(): Promise<ControlStore>
}

async function migrate(task: MigrateTask) {
	const child = spawn(process.execPath, [program, JSON.stringify(task)], {
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	const exited = new Promise<NodeJS.Signals | number | null>((resolve) =>
		child.on('exit', (code, signal) => resolve(signal ?? code)),
	)
	const [output, errors, end] = await Promise.all([text(child.stdout), text(child.stderr), exited])
	return { end, errors, applied: output === '' ? null : (JSON.parse(output) as string[]) }
}

/** Tables with their columns, and indexes: equal if two paths lead to the same schema. */
async function schemaOf({ db, kind }: ControlStore): Promise<string[]> {
	const { rows } = await (kind === 'sqlite'
		? sql<{
				text: string
			}>`select type || name || sql as text from sqlite_master where sql is not null`.execute(db)
		: sql<{ text: string }>`
			select table_name || column_name || data_type || is_nullable || coalesce(column_default, '') as text
				from information_schema.columns where table_schema = 'public'
			union all select indexdef from pg_indexes where schemaname = 'public'
			union all select conrelid::regclass || pg_get_constraintdef(oid) from pg_constraint
				where connamespace = 'public'::regnamespace`.execute(db))
	return rows.map((row) => row.text).sort()
}

/** A store as the first release left it, with a row of each important kind. */
async function fillFirst(store: ControlStore): Promise<void> {
	const { db } = store
	await runMigrations(store, { [first]: controlMigrations[first] as never }, silentLog)
	for (const statement of [
		`insert into workspaces values ('w', 'W', 1, 1)`,
		`insert into users (id, email, name, verified, operator, created_at, updated_at) values ('u', 'u@example.org', 'U', 1, 1, 1, 1)`,
		`insert into members values ('w', 'u', 'owner', 1)`,
		`insert into agents (id, workspace_id, name, description, status, created_at, updated_at) values ('a', 'w', 'A', '', 'active', 1, 1)`,
		`insert into mcp_servers (id, workspace_id, name, slug, description, endpoint_url, transport_type, hosting_mode, status,
			health_status, failures, last_health_check, configuration, created_at, updated_at) values
			('s', 'w', 'S', 's', '', 'http://x', 'http', 'remote', 'active', 'healthy', 0, 1, '{}', 1, 1)`,
		`insert into access_grants values ('g', 'w', 's', 'a', 'selected', '["echo"]', 1, 1, 2)`,
		`insert into audit_log values ('w', 1, 'r', 1, 'user', 'u', 'U', 'agent.create', null, null, null, '{}', null, 'chain')`,
	])
		await sql.raw(statement).execute(db)
}

async function countRows({ db }: ControlStore): Promise<unknown[]> {
	const { rows } = await sql<object>`select (select count(*) from workspaces) as workspaces,
		(select email from users) as email, (select role from members) as role,
		(select allowed_tools from access_grants) as tools, (select chain from audit_log) as chain`.execute(db)
	return rows.map((row) => ({ ...row }))
}

/** Copies from before the last three migrations. */
async function expectCopies(path: string, rows: unknown[]): Promise<void> {
	const snapshots = join(path, '..', 'snapshots')
	expect(readdirSync(snapshots).sort()).toEqual(names.slice(-3).map((name) => `control.before-${name}.db`))
	const copy = openSqlite(join(snapshots, `control.before-${names.at(-1)}.db`))
	expect(await countRows(copy)).toEqual(rows)
	expect(await appliedMigrations(copy)).toEqual(names.slice(0, -1))
	await copy.close()
}

describe.each(['sqlite', 'postgres'] as const)('migrations that are killed (%s)', (kind) => {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-migrate-'))
	let server: Awaited<ReturnType<typeof startPostgres>> | null = null
	let made = 0
	let schema: string[]
	beforeAll(async () => {
		if (kind === 'postgres') server = await startPostgres()
		const place = await newPlace()
		expect((await migrate(place.task)).applied).toEqual(names)
		schema = await read(place, schemaOf)
	})
	afterAll(async () => {
		await server?.stop()
		rmSync(directory, { recursive: true, force: true })
	})

	const newPlace = async (): Promise<Place> => {
		made += 1
		const path = join(directory, String(made), 'control.db')
		if (!server) {
			mkdirSync(join(directory, String(made)))
			return { task: { path }, open: async () => openSqlite(path) }
		}
		const database = `migrate_${process.pid}_${made}`
		await onServer(server.url, `create database ${database}`)
		const url = new URL(server.url)
		url.pathname = `/${database}`
		return { task: { url: url.href }, open: () => openPostgres(url.href, silentLog) }
	}
	const read = async <T>(place: Place, work: (store: ControlStore) => Promise<T>): Promise<T> => {
		const store = await place.open()
		try {
			return await work(store)
		} finally {
			await store.close()
		}
	}
	/** Kills at two moments of each step. The short form alternates between them, and the two databases take opposite ones. */
	const killEverywhere = async (place: Place, pending: readonly string[]) => {
		const moments = [2, 'end'] as const
		const isTried = (at: number) => process.env.LONG_TESTS || at % 2 === Number(kind === 'sqlite')
		for (const [index, name] of pending.entries())
			for (const statement of moments.filter((_, at) => isTried(index + at))) {
				expect((await migrate({ ...place.task, killIn: { name, statement } })).end, name).toBe('SIGKILL')
				expect(await read(place, appliedMigrations)).toEqual(names.slice(0, names.indexOf(name)))
			}
	}

	it('resume where they were, in steps of a new store', async () => {
		const place = await newPlace()
		// The short form kills within the oldest and the newest step.
		const steps = process.env.LONG_TESTS
			? names
			: names.filter((name) => name === first || name === names.at(-1))
		await killEverywhere(place, steps)
		expect((await migrate(place.task)).applied).toEqual(names.slice(-1))
		expect(await read(place, schemaOf)).toEqual(schema)
	}, 240_000)

	it('resume where they were, in steps of a store of the first release, and keep its rows', async () => {
		const place = await newPlace()
		await read(place, fillFirst)
		const before = await read(place, countRows)
		await killEverywhere(
			place,
			late.filter((name) => name !== first),
		)
		expect((await migrate(place.task)).end).toBe(0)
		if (place.task.path) await expectCopies(place.task.path, before)
		expect(await read(place, schemaOf)).toEqual(schema)
		expect(await read(place, countRows)).toEqual(before)
	}, 240_000)

	it('are done once when several programs start together', async () => {
		const place = await newPlace()
		await read(place, fillFirst)
		const ends = await Promise.all(Array.from({ length: 3 }, () => migrate(place.task)))
		expect(ends.map(({ end, errors }) => [end, errors])).toEqual(ends.map(() => [0, '']))
		expect(ends.flatMap(({ applied }) => applied ?? []).sort()).toEqual(names.slice(1))
		expect(await read(place, schemaOf)).toEqual(schema)
	}, 60_000)
})
