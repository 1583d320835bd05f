import { sql } from 'kysely'
import type { Database, DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { numberedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type EventRow = ControlSchema['events']
export type DeliveryRow = ControlSchema['webhook_deliveries']

/** Rows deleted per statement: other transactions must get their turn in between. */
const chunk = 5000

/** Numbers and stores an event; call it under `lockNumbering`. False if there is no workspace or it was deleted. */
export async function insertEvent(
	tx: DatabaseTransaction,
	{ workspace_id, id, type, at, data }: Omit<EventRow, 'seq'>,
): Promise<boolean> {
	const { numAffectedRows } = await sql`insert into events (workspace_id, seq, id, type, at, data)
		select id, (select coalesce(max(seq), 0) + 1 from events where workspace_id = ${workspace_id}),
			${id}, ${type}, ${at}, ${data}
		from workspaces where id = ${workspace_id}`.execute(tx)
	return Number(numAffectedRows ?? 0) > 0
}

export const { listAfter: listEvents, newestSeq } = numberedRows('events')

/** The number of an event by its id, or null if it is not (or no longer) stored. */
export async function seqOf(db: Queryable, workspaceId: string, id: string): Promise<number | null> {
	const found = db
		.selectFrom('events')
		.select('seq')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
	return (await found.executeTakeFirst())?.seq ?? null
}

/** The data of a workspace's stored events of one type. */
export async function listDataOf(
	tx: DatabaseTransaction,
	workspaceId: string,
	type: string,
): Promise<string[]> {
	const found = tx
		.selectFrom('events')
		.select('data')
		.where('workspace_id', '=', workspaceId)
		.where('type', '=', type)
	return (await found.execute()).map(({ data }) => data)
}

/** For the background job, which spans workspaces: deletes old events, except the newest, from which the next number follows. */
export async function deleteOldEvents(db: Database, beforeMs: number): Promise<boolean> {
	const old = db
		.selectFrom('events')
		.select('id')
		.where('at', '<', beforeMs)
		.where('seq', '<', (eb) =>
			eb
				.selectFrom('events as own')
				.select((own) => own.fn.max('own.seq').as('seq'))
				.whereRef('own.workspace_id', '=', 'events.workspace_id'),
		)
		.limit(chunk)
	const { numDeletedRows } = await db.deleteFrom('events').where('id', 'in', old).executeTakeFirst()
	return Number(numDeletedRows) === chunk
}

/** The enabled webhooks of a workspace, and their event types. */
export function listSubscribers(
	tx: DatabaseTransaction,
	workspaceId: string,
): Promise<{ id: string; events: string }[]> {
	return tx
		.selectFrom('webhooks')
		.select(['id', 'events'])
		.where('workspace_id', '=', workspaceId)
		.where('enabled', '=', 1)
		.execute()
}

export async function insertDeliveries(tx: DatabaseTransaction, rows: readonly DeliveryRow[]): Promise<void> {
	await tx
		.insertInto('webhook_deliveries')
		.values([...rows])
		.execute()
}
