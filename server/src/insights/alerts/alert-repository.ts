import { type SelectQueryBuilder, sql } from 'kysely'
import {
	type Database,
	type DatabaseTransaction,
	isPostgres,
	type Queryable,
} from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import type { Page } from '../../platform/paging.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { isFailed, readStore } from '../../telemetry/index.ts'
import type { AlertRow, TransitionRow } from './alert.ts'
import type { AlertContext } from './alert-context.ts'

/** Number of rows deleted per statement, so that other statements can run in between. */
const chunk = 5000

export interface AlertListing extends Page {
	sort: 'created_at' | 'updated_at' | 'name' | 'status'
	order: 'asc' | 'desc'
	status?: string
	question_id?: string
}

/** Order by status: firing alerts have the highest number, so that they come first in descending order. */
const urgency = sql<number>`case status when 'firing' then 4 when 'unknown' then 3 when 'no_data' then 2 else 1 end`

export async function listAlerts(
	db: Queryable,
	workspaceId: string,
	{ page, limit, sort, order, status, question_id }: AlertListing,
): Promise<{ rows: AlertRow[]; total: number }> {
	const found = db
		.selectFrom('alerts')
		.where('workspace_id', '=', workspaceId)
		.$if(status !== undefined, (query) => query.where('status', '=', status as string))
		.$if(status === 'firing', (query) => query.where('enabled', '=', 1))
		.$if(question_id !== undefined, (query) => query.where('question_id', '=', question_id as string))
	const ordered =
		sort === 'status' ? byUrgency(found.selectAll(), order) : found.selectAll().orderBy(sort, order)
	const rows = await ordered
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	return { rows, total: Number(total) }
}

type Found = SelectQueryBuilder<ControlSchema, 'alerts', AlertRow>

function byUrgency(found: Found, order: 'asc' | 'desc'): Found {
	return found.orderBy('enabled', order).orderBy(urgency, order).orderBy('status_since', order)
}

export async function countAlerts(db: Queryable, workspaceId: string): Promise<number> {
	const counted = db
		.selectFrom('alerts')
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.where('workspace_id', '=', workspaceId)
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export function findAlert(db: Queryable, workspaceId: string, id: string): Promise<AlertRow | undefined> {
	return db
		.selectFrom('alerts')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

/** The alerts that send e-mails, always in the same order. */
export function listAlertsWithEmails(tx: DatabaseTransaction, workspaceId: string): Promise<AlertRow[]> {
	const own = tx.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId)
	return own.where('emails', '<>', '[]').orderBy('id').execute()
}

/** Alerts that the workspace already has are skipped. */
export async function insertAlerts(tx: DatabaseTransaction, rows: readonly AlertRow[]): Promise<void> {
	await tx
		.insertInto('alerts')
		.values([...rows])
		.onConflict((conflict) => conflict.doNothing())
		.execute()
}

export async function updateAlert(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Partial<AlertRow>,
): Promise<void> {
	await tx
		.updateTable('alerts')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

export async function deleteAlert(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx.deleteFrom('alerts').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** For the background job, which covers all workspaces: the alerts that are due, longest overdue first. */
export function listDueAlerts(db: Database, nowMs: number, limit: number): Promise<AlertRow[]> {
	return (
		db
			.selectFrom('alerts')
			.selectAll()
			.where('enabled', '=', 1)
			// An alert that is due much later than its interval was scheduled before the clock was set back.
			.where((eb) =>
				eb.or([eb('due_at', '<=', nowMs), eb(sql<number>`due_at - interval_s * 2000`, '>', nowMs)]),
			)
			.orderBy('due_at')
			.orderBy('id')
			.limit(limit)
			.execute()
	)
}

/**
 * For the background job, which covers all workspaces: workspaces that lack an alert of one of these kinds. Inside a transaction they
 * are not deleted before its end.
 */
export async function listWorkspacesWithoutAlerts(
	db: Queryable,
	kinds: readonly string[],
	limit: number,
): Promise<string[]> {
	const rows = await db
		.selectFrom('workspaces')
		.select('id')
		.where(
			({ selectFrom, fn }) =>
				selectFrom('alerts')
					.select(fn.countAll().as('alerts'))
					.whereRef('alerts.workspace_id', '=', 'workspaces.id')
					.where('alerts.kind', 'in', kinds),
			'<',
			kinds.length,
		)
		.orderBy('id')
		.limit(limit)
		.$if(isPostgres(db), (query) => query.forKeyShare())
		.execute()
	return rows.map(({ id }) => id)
}

export async function insertTransition(tx: DatabaseTransaction, row: TransitionRow): Promise<void> {
	await tx.insertInto('alert_transitions').values(row).execute()
}

export function listTransitions(
	db: Queryable,
	workspaceId: string,
	alertId: string,
	limit: number,
): Promise<TransitionRow[]> {
	return db
		.selectFrom('alert_transitions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('alert_id', '=', alertId)
		.orderBy('id', 'desc')
		.limit(limit)
		.execute()
}

/** For the background job, which covers all workspaces: deletes old history; returns whether there may be more. */
export async function deleteOldTransitions(db: Database, beforeMs: number): Promise<boolean> {
	const old = db.selectFrom('alert_transitions').select('id').where('at', '<', beforeMs).limit(chunk)
	const { numDeletedRows } = await db
		.deleteFrom('alert_transitions')
		.where('id', 'in', old)
		.executeTakeFirst()
	return Number(numDeletedRows) === chunk
}

interface WatchedServer {
	id: string
	name: string
	health_status: string
}

/** The active servers of a workspace. */
export function listServers(db: Queryable, workspaceId: string): Promise<WatchedServer[]> {
	return db
		.selectFrom('mcp_servers')
		.select(['id', 'name', 'health_status'])
		.where('workspace_id', '=', workspaceId)
		.where('status', '=', 'active')
		.orderBy('name')
		.orderBy('id')
		.execute()
}

export interface ChangedTool {
	server_id: string
	server: string
	tool: string
	hash: string
}

/** Approved tools that wait for a decision about their changed definition. `hash` is when they began to wait. */
export function listSuspendedTools(db: Queryable, workspaceId: string): Promise<ChangedTool[]> {
	return db
		.selectFrom('tool_pins as pin')
		.innerJoin('mcp_servers as server', 'server.id', 'pin.server_id')
		.select((eb) => [
			'pin.server_id',
			'server.name as server',
			'pin.name as tool',
			eb.cast<string>('pin.since', 'text').as('hash'),
		])
		.where('pin.workspace_id', '=', workspaceId)
		.where('pin.state', '=', 'suspended')
		.where('pin.reason', '!=', 'rejected')
		.where('pin.approved_hash', 'is not', null)
		.orderBy('server.name')
		.orderBy('pin.name')
		.execute()
}

/** Definitions first seen since a time, of tools that had another one before. */
export function listChangedTools(
	db: Queryable,
	workspaceId: string,
	sinceMs: number,
): Promise<ChangedTool[]> {
	return db
		.selectFrom('tool_definitions as now')
		.innerJoin('mcp_servers as server', 'server.id', 'now.server_id')
		.select(['now.server_id', 'server.name as server', 'now.name as tool', 'now.hash'])
		.where('now.workspace_id', '=', workspaceId)
		.where('now.first_seen', '>=', sinceMs)
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom('tool_definitions as older')
					.select('older.hash')
					.whereRef('older.server_id', '=', 'now.server_id')
					.whereRef('older.name', '=', 'now.name')
					.whereRef('older.first_seen', '<', 'now.first_seen'),
			),
		)
		.orderBy('server.name')
		.orderBy('now.name')
		.execute()
}

type Telemetry = AlertContext['telemetry']

/** Time of the first model call before another time, to five minutes, as spans are sorted; null if there is none. */
export async function firstModelCallMs(
	telemetry: Telemetry,
	workspaceId: string,
	endMs: number,
): Promise<number | null> {
	const [found] = await readStore(() =>
		telemetry.query<{ first: string }>(
			`SELECT toString(toUnixTimestamp64Milli(started_at)) AS first FROM spans
			WHERE workspace_id = {workspace:String} AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC') AND kind = 'model_call'
			ORDER BY workspace_id, toStartOfFiveMinutes(started_at) LIMIT 1`,
			{ workspace: workspaceId, end: endMs },
		),
	)
	return found ? Number(found.first) : null
}

/** Similar calls of one tool by one agent: with the same arguments, or the same failure. */
export interface RepeatedCalls {
	/** The id of a registered agent, otherwise its service. */
	agent: string
	is_registered: number
	agent_label: string
	/** '' if the name of the server is not known. */
	server_label: string
	tool: string
	/** The failure; '' for calls that are similar by their arguments. */
	failure: string
	calls: string
}

/**
 * Most frequent first. Sources are grouped separately, so that the same call recorded by the gateway and by an SDK is not counted
 * twice.
 */
export function listRepeatedCalls(
	telemetry: Telemetry,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
	atLeast: number,
): Promise<RepeatedCalls[]> {
	return readStore(() =>
		telemetry.query<RepeatedCalls>(
			`SELECT agent, max(agent_id != '') AS is_registered, any(label) AS agent_label, max(server_name) AS server_label, tool, failure, count() AS calls
			FROM (
				SELECT source, agent_id, if(server_id != '', toString(server_id), server_name) AS server, server_name, toString(tool_name) AS tool,
					if(agent_id != '', toString(agent_id), service_name) AS agent,
					if(agent_name != '', agent_name, service_name) AS label,
					${isFailed()} AS failed, error_type,
					attributes['gen_ai.tool.call.arguments'] AS arguments,
					arrayJoin(arrayConcat(
						if(failed, [(if(error_type != '', toString(error_type), 'an error without a type'), toUInt64(0))], []),
						if(arguments != '', [('', cityHash64(arguments))], [])) AS alike) AS likeness,
					likeness.1 AS failure
				FROM spans WHERE ${inRange} AND kind = 'tool_call'
			)
			WHERE agent != ''
			GROUP BY source, agent, server, tool, likeness, failure
			HAVING calls >= {least:Float64}
			ORDER BY calls DESC, agent, tool, failure LIMIT 1000`,
			{ workspace: workspaceId, start: startMs, end: endMs, least: atLeast },
		),
	)
}

const inRange = `workspace_id = {workspace:String}
	AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
