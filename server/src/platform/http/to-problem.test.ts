import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StoreStopped } from '../database/database.ts'
import { openTestPostgres } from '../database/testing.ts'
import { toProblem } from './refusals.ts'

let database: Awaited<ReturnType<typeof openTestPostgres>>
let store: (typeof database)['store']

beforeAll(async () => {
	database = await openTestPostgres()
	store = database.store
})
afterAll(() => database?.end())

const failureOf = (work: Promise<unknown>) =>
	work.then(
		() => null,
		(error: unknown) => toProblem(error),
	)

it('of two deadlocked transactions one is asked to retry, and the other continues', async () => {
	const bothHold = Promise.withResolvers<void>()
	let holding = 0
	const lock = (first: number, second: number) =>
		store.db.transaction().execute(async (tx) => {
			await sql`SELECT pg_advisory_xact_lock(${sql.lit(first)})`.execute(tx)
			holding += 1
			if (holding === 2) bothHold.resolve()
			await bothHold.promise
			await sql`SELECT pg_advisory_xact_lock(${sql.lit(second)})`.execute(tx)
		})
	const failures = await Promise.all([failureOf(lock(1, 2)), failureOf(lock(2, 1))])
	const problem = { code: 'store_unavailable', status: 503, headers: { 'retry-after': '2' } }
	expect(failures.filter((failure) => failure !== null)).toMatchObject([problem])
})

it('a read-only standby, a cancelled statement and a terminated session count as an unavailable store', async () => {
	const statements = [
		'SET TRANSACTION READ ONLY; CREATE TABLE t (a int)',
		"SET LOCAL statement_timeout = '20ms'; SELECT pg_sleep(5)",
		'SELECT pg_terminate_backend(pg_backend_pid())',
	]
	for (const statement of statements) {
		const failure = await failureOf(store.db.transaction().execute((tx) => sql.raw(statement).execute(tx)))
		expect(failure, statement).toMatchObject({ code: 'store_unavailable' })
	}
	await sql`SELECT 1`.execute(store.db)
})

it('a server that cannot be reached counts as an unavailable store, also over a unix socket', async () => {
	for (const host of ['/no/such/directory', 'no-such-host.invalid']) {
		const pool = new pg.Pool({ host, port: 1, connectionTimeoutMillis: 5000 })
		expect(await failureOf(pool.query('SELECT 1')), host).toMatchObject({ code: 'store_unavailable' })
		await pool.end()
	}
	const dead = new pg.Client({ connectionString: database.url })
	dead.on('error', () => {})
	await dead.connect()
	await dead.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {})
	await sleep(100)
	expect(await failureOf(dead.query('SELECT 1'))).toMatchObject({ code: 'store_unavailable' })
	for (const code of ['EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
		expect(toProblem(Object.assign(new Error(code), { code })), code).toMatchObject({ status: 503 })
})

it('a store that must be started again says so, also when its disk was full', () => {
	const cause = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
	expect(toProblem(new StoreStopped('It must be started again.', { cause }))).toMatchObject({
		...{ code: 'store_unavailable', status: 503, message: 'It must be started again.', cause },
	})
})

it('a bug stays an internal error', async () => {
	const failure = await failureOf(sql`SELECT nothing_of_this_name`.execute(store.db))
	expect(failure).toMatchObject({ code: 'internal', status: 500 })
})
