import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type Database, duplicateOf, type Queryable } from './database.ts'
import { openControlStore, refuseLostControlStore } from './open-control-store.ts'
import { openSqlite } from './sqlite/driver.ts'
import { openBareSqlite } from './testing.ts'

let opened: ReturnType<typeof openBareSqlite>
let db: Database
beforeEach(async () => {
	opened = openBareSqlite()
	db = opened.store.db
	await sql`create table notes (id integer primary key, text text not null unique,
		after integer references notes (id) deferrable initially deferred)`.execute(db)
})
afterEach(() => opened.end())

const add = (on: Queryable, text: string) => sql`insert into notes (text) values (${text})`.execute(on)
const texts = async (on: Queryable = db) =>
	(await sql<{ text: string }>`select text from notes order by id`.execute(on)).rows.map(({ text }) => text)

it('reads see committed rows and wait for no transaction', async () => {
	await db.transaction().execute(async (tx) => {
		await add(tx, 'one')
		expect(await texts()).toEqual([])
		expect(await texts(tx)).toEqual(['one'])
	})
	expect(await texts()).toEqual(['one'])
})

it('transactions run one after the other, and one that fails rolls back only its own rows', async () => {
	let inside = 0
	const outcomes = await Promise.allSettled(
		['a', 'b', 'c', 'd'].map((text) =>
			db.transaction().execute(async (tx) => {
				inside += 1
				await add(tx, text)
				await pause(2)
				expect(inside).toBe(1)
				inside -= 1
				if (text === 'b') throw new Error('no')
			}),
		),
	)
	expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
	expect(await texts()).toEqual(['a', 'c', 'd'])
})

it('a refused commit is rolled back and blocks nobody', async () => {
	const refused = db.transaction().execute(async (tx) => {
		await sql`insert into notes (text, after) values ('lost', 99)`.execute(tx)
	})
	const next = db.transaction().execute((tx) => add(tx, 'next'))
	await expect(refused).rejects.toThrow('FOREIGN KEY')
	await next
	expect(await texts()).toEqual(['next'])
})

it('a duplicate value is recognised, inside and outside of a transaction', async () => {
	await add(db, 'one')
	for (const write of [() => add(db, 'one'), () => db.transaction().execute((tx) => add(tx, 'one'))])
		expect(duplicateOf(await write().catch((error: unknown) => error))).toContain('notes.text')
})

function threadTimeUs(): number {
	const { user, system } = process.threadCpuUsage()
	return user + system
}

it('a long transaction lets the event loop turn', async () => {
	let turns = 0
	let isOver = false
	const counting = (async () => {
		while (!isOver) {
			await nextTurn()
			turns += 1
		}
	})()
	await db.transaction().execute(async (tx) => {
		// CPU time of this thread, because other processes may take most of the elapsed time on a busy machine.
		const startUs = threadTimeUs()
		for (let made = 0; threadTimeUs() - startUs < 100_000; made += 1) await add(tx, `note ${made}`)
	})
	isOver = true
	await counting
	expect(turns).toBeGreaterThan(5)
})

it('waiting for the write lock of another process does not block the event loop', async () => {
	const other = new DatabaseSync(opened.path)
	other.exec('begin immediate')
	let done = 0
	const writes = [add(db, 'alone'), db.transaction().execute((tx) => add(tx, 'together'))].map((write) =>
		write.then(() => {
			done += 1
		}),
	)
	await pause(20)
	expect(done).toBe(0)
	other.exec('commit')
	other.close()
	await Promise.all(writes)
	expect((await texts()).sort()).toEqual(['alone', 'together'])
})

it('commits of this process and of others wake the watcher, and nothing else does', async () => {
	let wakes = 0
	const stop = opened.store.watch(() => {
		wakes += 1
	})
	const untilWoken = async () => {
		const before = wakes
		for (const deadline = performance.now() + 10_000; wakes === before; await pause(10))
			if (performance.now() > deadline) throw new Error('A commit did not wake the watcher')
	}
	// The file system may still have events of earlier writes to deliver.
	await pause(300)
	const atFirst = wakes
	await texts()
	await pause(300)
	expect(wakes).toBe(atFirst)
	const own = untilWoken()
	await add(db, 'own')
	await own
	const other = new DatabaseSync(opened.path)
	const foreign = untilWoken()
	other.exec("insert into notes (text) values ('foreign')")
	await foreign
	other.close()
	await stop()
})

it('the log is emptied when it has grown by 8 MB, while others write, and nothing is lost', async () => {
	const logBytes = () => statSync(`${opened.path}-wal`).size
	let largest = 0
	let written = 0
	const deadline = performance.now() + 20_000
	while (performance.now() < deadline && !(largest > 8 * 2 ** 20 && logBytes() < largest)) {
		// Once the log is large enough, writes continue, but slowly enough that a busy machine gets to the checkpoint.
		if (largest > 8 * 2 ** 20) await new Promise((resolve) => setTimeout(resolve, 10))
		await add(db, `${written} ${'x'.repeat(largest > 8 * 2 ** 20 ? 100 : 100_000)}`)
		written += 1
		largest = Math.max(largest, logBytes())
	}
	expect(logBytes()).toBeLessThan(largest)
	expect(await texts()).toHaveLength(written)
})

it('writes requested before the store is closed are kept', async () => {
	const writes = Array.from({ length: 20 }, (_, index) => add(db, `note ${index}`))
	// Kysely acquires a connection in a microtask.
	await Promise.resolve()
	await Promise.all([...writes, nextTurn().then(() => opened.store.close())])
	const again = openSqlite(opened.path)
	expect(await texts(again.db)).toHaveLength(20)
	await again.close()
})

it('a damaged file is named, and so is the way back', async () => {
	const dataDir = mkdtempSync(join(dirname(opened.path), 'damaged-'))
	const path = join(dataDir, 'control.db')
	writeFileSync(path, Buffer.alloc(8192, 7))
	await expect(openControlStore(null, dataDir, silentLog)).rejects.toThrow(
		`${path} is damaged (file is not a database). Restore a backup`,
	)
})

it.each([
	['empty', 'wal'],
	['missing', 'chdb'],
])(
	'a file that is %s beside the telemetry of an instance in %s is refused and not created again',
	async (state, folder) => {
		const dataDir = mkdtempSync(join(dirname(opened.path), 'lost-'))
		const path = join(dataDir, 'control.db')
		if (state === 'empty') {
			writeFileSync(path, '')
			writeFileSync(`${path}-wal`, 'changes')
		}
		mkdirSync(join(dataDir, folder))
		// A program that was killed at its first start may leave an empty folder.
		expect(() => refuseLostControlStore(dataDir)).not.toThrow()
		writeFileSync(join(dataDir, folder, '1.seg'), 'records')
		const before = readdirSync(dataDir)
		await expect(openControlStore(null, dataDir, silentLog)).rejects.toThrow(
			`${path} is ${state}, but ${dataDir} holds the telemetry of an instance. Put the file back, or restore`,
		)
		expect(readdirSync(dataDir)).toEqual(before)
	},
)
