import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../../config/config.ts'
import { sideTableStatement } from '../../platform/clickhouse/frozen-table.ts'
import { replicatedDdl } from '../../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { systemClock } from '../../platform/clock.ts'
import { openBareSqlite, openTestSqlite } from '../../platform/database/testing.ts'
import { openLocalSocket } from '../../platform/local-socket.ts'
import {
	type LogSnapshot,
	type Recorder,
	telemetryMigrations,
	telemetryTables,
} from '../../telemetry/index.ts'
import { createBackup } from '../backup/backup.ts'
import { makeBackupDirectory } from '../backup/manifest.ts'
import { refuseHalfRestored, restoreBackup } from '../backup/restore-backup.ts'
import { clusterDdl, makeBackup, readMigrationStatus } from './offline-stores.ts'
import { sizeOf } from './store-commands.ts'

const program = fileURLToPath(new URL('../../platform/clickhouse/keeper.testing.ts', import.meta.url))
const onCluster = / ON CLUSTER `lights`/
let statements: string[]
beforeAll(async () => {
	statements = await clusterDdl('lights', 30)
})

const directory = mkdtempSync(join(tmpdir(), 'signalbox-keeper-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The result of each statement in an engine with a keeper. */
async function runWithKeeper(sql: readonly string[]): Promise<string[]> {
	const stdio = ['pipe', 'pipe', 'inherit'] as const
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, directory], {
		stdio: [...stdio],
	})
	child.stdin.end(JSON.stringify(sql))
	return JSON.parse(await text(child.stdout)) as string[]
}

test('every table of a migrated store is created on the cluster, replicated, and an engine with a keeper accepts it', async () => {
	const creates = statements.slice(0, -1)
	// The engine parses ON CLUSTER but does not execute it, because there is one node.
	const read = creates.map((create) => `EXPLAIN AST ${create}`)
	const made = creates.map((create) => create.replace(onCluster, ''))
	const answers = await runWithKeeper([
		...read,
		...made,
		`EXPLAIN AST ${statements.at(-1)}`,
		'SELECT table, zookeeper_path, replica_name FROM system.replicas ORDER BY table',
		"SELECT engine_full FROM system.tables WHERE name = 'spans'",
	])
	expect(answers.filter((answer) => answer.startsWith('failed'))).toEqual([])
	expect(creates.filter((create) => !onCluster.test(create))).toEqual([])
	const tables = creates.flatMap((create) => /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(create)?.[1] ?? [])
	expect(tables).toEqual(expect.arrayContaining([...telemetryTables, 'schema_migrations']))
	expect((answers.at(-2) ?? '').trim().split('\n')).toEqual(
		tables.sort().map((table) => `${table}\t/clickhouse/tables/1/default/${table}\ta`),
	)
	expect(answers.at(-1)).toContain('fsync_after_insert = 1')
	const beside = sideTableStatement('beside_spans', 'spans', (answers.at(-1) ?? '').trim())
	const engineOf = "SELECT engine FROM system.tables WHERE name = 'beside_spans'"
	expect(await runWithKeeper([beside, engineOf])).toEqual(['', 'MergeTree\n'])
})

test('a store created this way is at the newest version', () => {
	expect(statements.at(-1)).toContain(`numbers(${telemetryMigrations.length})`)
})

test('the name of a cluster must be a plain identifier', async () => {
	const never = { query: () => Promise.reject(new Error('It was asked')) }
	await expect(replicatedDdl(never, 'a` b')).rejects.toThrow('name of a cluster')
})

test.each([
	[0, '0 KB'],
	[1, '1 KB'],
	[49_200, '50 KB'],
	[1_000_000, '1.0 MB'],
	[23_456_789, '23.5 MB'],
])('shows the size of a backup, also of a small one: %i bytes', (bytes, text) => {
	expect(sizeOf(bytes)).toBe(text)
})

/** What a backup reads: an empty control store, telemetry without tables, and the given files of the log. */
async function openSource(files: LogSnapshot['files'] = []) {
	const control = await openTestSqlite()
	const keys = { keyIds: ['older'] }
	const recorder: Pick<Recorder, 'snapshot'> = {
		snapshot: async (work) => {
			keys.keyIds = ['newer', 'older']
			return work({ files, pendingRows: 0 })
		},
	}
	const telemetry = {
		command: async () => {},
		query: async (sql: string) =>
			/engine_full/.test(sql)
				? [{ engine: 'MergeTree' }]
				: /version\(\)/.test(sql)
					? [{ version: '26.3' }]
					: [],
	}
	const source = { control: control.store, recorder, telemetry, keys, version: '1', clock: systemClock }
	return {
		source: source as typeof source & { recorder: Recorder; telemetry: TelemetryStore },
		end: control.end,
	}
}

test('a directory in which nothing can be created is refused', () => {
	expect(() => makeBackupDirectory('/proc/backups/monday')).toThrow(/^No folder can be created in \/proc: /)
	const made = join(directory, 'made', 'for', 'backup')
	makeBackupDirectory(made)
	expect(() => makeBackupDirectory(made)).toThrow('is not empty')
})

test('a backup needs the master key of the moment at which secrets are copied, and a restore is marked before it opens the stores', async () => {
	const { source, end } = await openSource()
	const backup = join(directory, 'backup')
	const made = await createBackup(source, backup)
	expect(made.master_key_ids).toEqual(['newer', 'older'])
	const openStores = () => Promise.reject(new Error('They were opened'))
	const target = { dataDir: directory, masterKeyIds: ['newer'], hasTelemetry: true, openStores }
	await expect(restoreBackup(target, backup)).rejects.toThrow(
		/the master key older,.* Put newer into master\.key of .* and older into master\.key\.previous/,
	)
	const dataDir = mkdtempSync(join(directory, 'restored-'))
	const config = { dataDir, DATABASE_URL: null, CLICKHOUSE_URL: null, MASTER_KEY: null } as Config
	// A start after a kill at this moment.
	const startNow = async () => refuseHalfRestored(dataDir)
	const opening = async () => {
		await expect(startNow()).rejects.toThrow('was cut off')
		await expect(readMigrationStatus(config)).rejects.toThrow('was cut off')
		mkdirSync(join(dataDir, 'wal'))
		await expect(makeBackup(config, join(directory, 'of-half'))).rejects.toThrow('was cut off')
		mkdirSync(join(dataDir, 'chdb/data'), { recursive: true })
		return openStores()
	}
	const restored = { dataDir, masterKeyIds: ['newer', 'older'], hasTelemetry: true, openStores: opening }
	await expect(restoreBackup(restored, backup)).rejects.toThrow('They were opened')
	expect(readdirSync(dataDir)).toEqual([])
	const control = openBareSqlite()
	const full = () => Promise.reject(new Error('The disk is full'))
	const query = async (sql: string) => (/version\(\)/.test(sql) ? [{ version: '26.3' }] : [])
	const telemetry = { query, command: full } as unknown as TelemetryStore
	const openFull = async () => {
		mkdirSync(join(dataDir, 'chdb'))
		return { control: control.store, telemetry, close: async () => {} }
	}
	const other = { ...restored, hasTelemetry: false, openStores: openFull }
	await expect(restoreBackup(other, backup)).rejects.toThrow('is full')
	await expect(startNow()).rejects.toThrow('was cut off')
	await expect(restoreBackup(other, backup)).rejects.toThrow('was cut off')
	// In the directory, what a kill left is replaced.
	await expect(restoreBackup({ ...other, hasTelemetry: true }, backup)).rejects.toThrow('is full')
	expect(readdirSync(dataDir)).toEqual([])
	await control.end()
	await end()
})

test.each([
	[
		'ENOSPC',
		/^The disk that .*cut-off is on is too full for the backup.* name a directory on another disk\.$/,
	],
	['EROFS', /^The backup cannot be written to .*cut-off \(EROFS\): name a directory in which the user/],
	['ECONNRESET', /^ECONNRESET$/],
])(
	'a backup that fails with %s says why and leaves nothing, so that it can be repeated there',
	async (code, said) => {
		const read = async function* () {
			yield Buffer.alloc(100_000)
			throw Object.assign(new Error(code), { code })
		}
		const { source, end } = await openSource([{ path: '1.seg', read }])
		const backup = join(directory, 'cut-off')
		await expect(createBackup(source, backup)).rejects.toThrow(said)
		expect(readdirSync(backup)).toEqual([])
		await end()
	},
)

test('a backup whose program is killed fails with a sentence that says what to do', async () => {
	const dataDir = mkdtempSync(join(directory, 'killed-'))
	const asked = Promise.withResolvers<void>()
	const close = await openLocalSocket(dataDir, {
		backup: () => {
			asked.resolve()
			return new Promise(() => {})
		},
	})
	const made = makeBackup({ dataDir } as Config, '/backups/new').catch((error: Error) => error.message)
	await asked.promise
	await close()
	expect(await made).toMatch(
		/^The program ended before the backup was finished: \/backups\/new does not hold a backup\. Repeat/,
	)
})
