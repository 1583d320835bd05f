import { randomBytes, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { createSealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { openAudit, systemActor, verifyAudit } from './audit.ts'

const tables = ['audit_log', 'audit_heads', 'audit_totals'] as const
type Table = (typeof tables)[number]
type Rows = Record<Table, Record<string, unknown>[]>

const pick = <T>(of: readonly T[]): T => of[randomInt(of.length)] as T

async function read({ db }: ControlStore): Promise<Rows> {
	const rows = {} as Rows
	for (const table of tables) {
		const all = sql<Record<string, unknown>>`select * from ${sql.table(table)}`
		rows[table] = (await all.execute(db)).rows.map((row) => ({ ...row }))
	}
	rows.audit_log.sort((a, b) => order(a, b))
	return rows
}

function order(a: Record<string, unknown>, b: Record<string, unknown>): number {
	const [left, right] = [a.workspace_id as string, b.workspace_id as string]
	return left === right ? Number(a.seq) - Number(b.seq) : left < right ? -1 : 1
}

/** Simulates somebody with direct access to the database, bypassing the program. */
async function write({ db }: ControlStore, rows: Rows): Promise<void> {
	await db.transaction().execute(async (tx) => {
		for (const table of tables) {
			await sql`delete from ${sql.table(table)}`.execute(tx)
			for (const row of rows[table])
				await tx
					.insertInto(table)
					.values(row as never)
					.execute()
		}
	})
}

/** Every way to tamper with stored rows; each returns null if it would change nothing. */
const tamperings: Record<string, (now: Rows, earlier: Rows) => Rows | null> = {
	'one field of one record is edited': (rows) => {
		const row = pick(rows.audit_log)
		const column = pick(Object.keys(row).filter((name) => name !== 'workspace_id' && name !== 'seq'))
		const before = row[column]
		row[column] = column === 'at' ? Number(before) + 1 : before === null ? 'x' : `${before} `
		return rows
	},
	'one record is deleted': (rows) => {
		rows.audit_log.splice(randomInt(rows.audit_log.length), 1)
		return rows
	},
	'two records change places': (rows) => {
		const of = pick(rows.audit_log).workspace_id
		const own = rows.audit_log.filter((row) => row.workspace_id === of)
		const [first, second] = [pick(own), pick(own)]
		if (first === second) return null
		;[first.seq, second.seq] = [second.seq, first.seq]
		return rows
	},
	'records are cut off the end': (rows) => {
		const { workspace_id, seq } = pick(rows.audit_log)
		const isKept = (row: Record<string, unknown>) =>
			row.workspace_id !== workspace_id || Number(row.seq) < Number(seq)
		return { ...rows, audit_log: rows.audit_log.filter(isKept) }
	},
	'records are cut off the end and the anchor moved back': (rows) => {
		const { workspace_id, seq } = pick(rows.audit_log)
		const isKept = (row: Record<string, unknown>) =>
			row.workspace_id !== workspace_id || Number(row.seq) < Number(seq)
		const kept = rows.audit_log.filter(isKept)
		const last = kept.filter((row) => row.workspace_id === workspace_id).at(-1)
		const head = rows.audit_heads.find((row) => row.workspace_id === workspace_id)
		if (!last || !head) return null
		Object.assign(head, { seq: last.seq, chain: last.chain })
		return { ...rows, audit_log: kept }
	},
	'a chain is put back as it was earlier, with its true anchor of then': (rows, earlier) => {
		const { workspace_id } = pick(rows.audit_log)
		const isOther = (row: Record<string, unknown>) => row.workspace_id !== workspace_id
		const of = (table: Table) => [
			...rows[table].filter(isOther),
			...earlier[table].filter((row) => !isOther(row)),
		]
		if (of('audit_log').length === rows.audit_log.length) return null
		return { ...rows, audit_log: of('audit_log'), audit_heads: of('audit_heads') }
	},
	'a whole chain is gone with its anchor': (rows) => {
		const { workspace_id } = pick(rows.audit_log)
		const isOther = (row: Record<string, unknown>) => row.workspace_id !== workspace_id
		return {
			...rows,
			audit_log: rows.audit_log.filter(isOther),
			audit_heads: rows.audit_heads.filter(isOther),
		}
	},
	'an anchor is edited': (rows) => {
		const head = pick(rows.audit_heads)
		const column = pick(['seq', 'chain', 'mac'])
		head[column] = column === 'seq' ? Number(head.seq) + pick([-1, 1]) : pick(['', 'broken', 'abc'])
		return rows
	},
	'an anchor is gone': (rows) => {
		rows.audit_heads.splice(randomInt(rows.audit_heads.length), 1)
		return rows
	},
	'the counts are edited': (rows) => {
		const column = pick(['chains', 'records'])
		for (const row of rows.audit_totals) row[column] = Number(row[column]) - 1
		return rows
	},
	'everything but the counts is gone': (rows) => ({ ...rows, audit_log: [], audit_heads: [] }),
	'the counts are gone': (rows) => ({ ...rows, audit_totals: [] }),
}

describeWithStore('tampering with the audit log', (store) => {
	const sealer = createSealer(randomBytes(32))
	const clock = manualClock()
	const audit = () => openAudit({ store: store(), sealer, clock })
	const record = (workspaceId: string) => {
		const entry = { workspaceId, actor: systemActor('test'), action: `test.a${randomInt(9)}` }
		clock.advance(randomInt(3))
		return store()
			.db.transaction()
			.execute((tx) => audit().record(tx, entry))
	}
	const recordSome = async (most: number) => {
		for (let left = 1 + randomInt(most); left > 0; left -= 1) await record(pick(['w1', 'w2', 'w3']))
	}

	it('is never reported for untouched histories', async () => {
		for (let round = 0; round < 40; round += 1) {
			await write(store(), { audit_log: [], audit_heads: [], audit_totals: [] })
			await recordSome(12)
			expect(await verifyAudit(store(), sealer)).toMatchObject({ intact: true, bad: null })
		}
	})

	it.each(Object.keys(tamperings))('is found in random histories: %s', async (name) => {
		let done = 0
		for (let round = 0; round < 12; round += 1) {
			await write(store(), { audit_log: [], audit_heads: [], audit_totals: [] })
			await recordSome(5)
			const earlier = await read(store())
			await recordSome(8)
			const now = await read(store())
			const changed = tamperings[name]?.(structuredClone(now), earlier)
			if (!changed) continue
			done += 1
			await write(store(), changed)
			const { intact, bad } = await verifyAudit(store(), sealer)
			expect([intact, typeof bad?.reason], JSON.stringify({ now, changed })).toEqual([false, 'string'])
			await record('w1')
			await record('w2')
			expect((await verifyAudit(store(), sealer)).intact, 'going on hides it').toBe(false)
			await write(store(), now)
			expect((await verifyAudit(store(), sealer)).intact).toBe(true)
		}
		expect(done).toBeGreaterThan(2)
	})

	it('names the first record after the truncation', async () => {
		await write(store(), { audit_log: [], audit_heads: [], audit_totals: [] })
		for (let count = 0; count < 5; count += 1) await record('w1')
		await store().db.deleteFrom('audit_log').where('seq', '>', 3).execute()
		expect((await verifyAudit(store(), sealer)).bad).toEqual({
			workspaceId: 'w1',
			seq: 4,
			id: null,
			reason: 'is missing',
		})
	})

	it('is not reported while records are being written', async () => {
		await write(store(), { audit_log: [], audit_heads: [], audit_totals: [] })
		const writing = Promise.all(Array.from({ length: 60 }, (_, i) => record(`w${i % 3}`)))
		for (let round = 0; round < 20; round += 1)
			expect(await verifyAudit(store(), sealer)).toMatchObject({ bad: null })
		await writing
		expect(await verifyAudit(store(), sealer)).toMatchObject({ intact: true, records: 60 })
	})

	it('the chains of a store from before anchors are sealed once, with a record of it', async () => {
		await write(store(), { audit_log: [], audit_heads: [], audit_totals: [] })
		for (let count = 0; count < 5; count += 1) await record(`w${count % 2}`)
		const rows = await read(store())
		for (const row of [...rows.audit_heads, ...rows.audit_totals]) row.mac = ''
		await write(store(), rows)
		await record('w0')
		expect((await verifyAudit(store(), sealer)).bad).toMatchObject({ reason: 'has an unsealed anchor' })
		await audit().start()
		await audit().start()
		expect(await verifyAudit(store(), sealer)).toMatchObject({ intact: true, records: 7 })
		const seals = store().db.selectFrom('audit_log').select('detail').where('action', '=', 'audit.seal')
		expect((await seals.execute()).map(({ detail }) => detail)).toEqual(['{"chains":2,"records":6}'])
	})
})
