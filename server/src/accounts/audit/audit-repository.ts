import type { ExpressionBuilder } from 'kysely'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { numberedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type AuditRow = ControlSchema['audit_log']

export async function insertRecord(db: Queryable, row: AuditRow): Promise<void> {
	await db.insertInto('audit_log').values(row).execute()
}

export interface AuditFilter {
	/** Id or name of the actor. */
	actor?: string | undefined
	/** `area.verb`, or `area.*`. */
	action?: string | undefined
	/** Id of the changed object. */
	target?: string | undefined
	/** Start of the time range; the end is exclusive. */
	startMs?: number | undefined
	endMs?: number | undefined
}

/** Records before `beforeSeq` (null: from the newest), newest first. */
export function listRecords(
	db: Queryable,
	workspaceId: string,
	filter: AuditFilter,
	beforeSeq: number | null,
	limit: number,
): Promise<AuditRow[]> {
	return filtered(db, workspaceId, filter)
		.$if(beforeSeq !== null, (query) => query.where('seq', '<', beforeSeq as number))
		.orderBy('seq', 'desc')
		.limit(limit)
		.execute()
}

/** Records after `afterSeq`, oldest first. */
export function listRecordsFrom(
	db: Queryable,
	workspaceId: string,
	filter: AuditFilter,
	afterSeq: number,
	limit: number,
): Promise<AuditRow[]> {
	return filtered(db, workspaceId, filter).where('seq', '>', afterSeq).orderBy('seq').limit(limit).execute()
}

/** The newest record of each target that has one; call it with at most 500 ids. */
export function listNewestOf(
	db: Queryable,
	workspaceId: string,
	targetIds: readonly string[],
): Promise<AuditRow[]> {
	if (targetIds.length === 0) return Promise.resolve([])
	return db
		.selectFrom('audit_log')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('seq', 'in', (eb) =>
			eb
				.selectFrom('audit_log')
				.select((each) => each.fn.max('seq').as('seq'))
				.where('workspace_id', '=', workspaceId)
				.where('target_id', 'in', [...targetIds])
				.where('action', '!=', 'denied')
				.groupBy('target_id'),
		)
		.execute()
}

function filtered(db: Queryable, workspaceId: string, filter: AuditFilter) {
	const { actor, action, target, startMs, endMs } = filter
	return db
		.selectFrom('audit_log')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.$if(actor !== undefined, (query) => query.where((eb) => isOneOf(eb, ['actor_id', 'actor_name'], actor)))
		.$if(action !== undefined, (query) => query.where((eb) => actionIs(eb, action as string)))
		.$if(target !== undefined, (query) =>
			query.where((eb) => isOneOf(eb, ['target_id', 'target_name'], target)),
		)
		.$if(startMs !== undefined, (query) => query.where('at', '>=', startMs as number))
		.$if(endMs !== undefined, (query) => query.where('at', '<', endMs as number))
}

type AuditColumn = keyof ControlSchema['audit_log'] & string
function isOneOf(
	eb: ExpressionBuilder<ControlSchema, 'audit_log'>,
	columns: readonly AuditColumn[],
	text: string | undefined,
) {
	return eb.or(columns.map((column) => eb(column, '=', text as string)))
}

/** Used instead of LIKE, whose case sensitivity differs between the databases. */
function actionIs(eb: ExpressionBuilder<ControlSchema, 'audit_log'>, action: string) {
	if (!action.endsWith('.*')) return eb('action', '=', action)
	const area = action.slice(0, -1)
	return eb(eb.fn<string>('substr', ['action', eb.val(1), eb.val(area.length)]), '=', area)
}

/** For chains: complete records, oldest first, and the number of the newest. */
export const { listAfter: listChain, newestSeq: lastSeq } = numberedRows('audit_log')

/** Every workspace that has or should have a chain. */
export async function listChainedWorkspaces(db: Queryable): Promise<string[]> {
	const rows = await db
		.selectFrom('audit_log')
		.select('workspace_id')
		.distinct()
		.orderBy('workspace_id')
		.execute()
	return rows.map((row) => row.workspace_id)
}

/** The time of the newest record of any workspace; null if there is none. */
export async function newestRecordMs(db: Queryable): Promise<number | null> {
	const newest = await db
		.selectFrom('audit_log')
		.select((eb) => eb.fn.max('at').as('at'))
		.executeTakeFirst()
	return newest?.at === null || newest?.at === undefined ? null : Number(newest.at)
}

/** An unknown caller belongs to no workspace, so no function here takes one. */
export type DenialCount = ControlSchema['denial_counts']

export async function addDenials(tx: DatabaseTransaction, rows: readonly DenialCount[]): Promise<void> {
	for (const row of rows) {
		await tx
			.insertInto('denial_counts')
			.values(row)
			.onConflict((conflict) =>
				conflict
					.columns(['minute', 'address', 'code'])
					.doUpdateSet((eb) => ({ count: eb('denial_counts.count', '+', row.count) })),
			)
			.execute()
	}
}

export async function deleteDenialsBefore(db: Queryable, beforeMs: number): Promise<void> {
	await db.deleteFrom('denial_counts').where('minute', '<', beforeMs).execute()
}

/** Newest minute first, starting after the row identified by `after`. */
export function listDenials(
	db: Queryable,
	after: Pick<DenialCount, 'minute' | 'address' | 'code'> | null,
	limit: number,
): Promise<DenialCount[]> {
	return db
		.selectFrom('denial_counts')
		.selectAll()
		.$if(after !== null, (query) => {
			const { minute, address, code } = after as DenialCount
			return query.where((eb) =>
				eb.or([
					eb('minute', '<', minute),
					eb.and([eb('minute', '=', minute), eb('address', '>', address)]),
					eb.and([eb('minute', '=', minute), eb('address', '=', address), eb('code', '>', code)]),
				]),
			)
		})
		.orderBy('minute', 'desc')
		.orderBy('address')
		.orderBy('code')
		.limit(limit)
		.execute()
}
