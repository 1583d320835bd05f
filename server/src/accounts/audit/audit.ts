import type { ServerResponse } from 'node:http'
import { auditExport, auditOperations } from '@signalbox/contract'
import { currentChannel } from '../../platform/change-scope.ts'
import { appendChange, type ChangeKind, lockNumbering } from '../../platform/changes.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { csvLine } from '../../platform/csv.ts'
import { type ControlStore, type DatabaseTransaction, transact } from '../../platform/database/database.ts'
import { Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { createQueryReader, drained } from '../../platform/http/read-body.ts'
import { principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { type Log, silentLog } from '../../platform/log.ts'
import { createCursors } from '../../platform/paging.ts'
import { redactText } from '../../platform/redaction/redact.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { appendEvent } from '../events/events.ts'
import { findTotals, listUnsealed, saveAnchor, saveTotals } from './anchors-repository.ts'
import {
	type AuditFilter,
	type AuditRow,
	insertRecord,
	listRecords,
	listRecordsFrom,
} from './audit-repository.ts'
import { DenialCounter, denialRoutes } from './denials/denial-counter.ts'
import { anchorMac, anchorRecord, chainLink, readHead, totalsMac, verifyChain } from './verify-audit.ts'

export type { AuditRow } from './audit-repository.ts'
export { lastSeq, listChain, listNewestOf, newestRecordMs } from './audit-repository.ts'
export { verifyAudit } from './verify-audit.ts'

interface AuditRouteDependencies {
	store: ControlStore
	sealer: Sealer
	clock: Clock
}

function auditRoutes({ store, sealer, clock }: AuditRouteDependencies): BoundOperation[] {
	const cursors = createCursors(sealer, 'audit_cursor')
	return bind(auditOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const before = query.cursor === undefined ? null : Number(cursors.open(workspaceId, query.cursor))
			const filter = readFilter(query, clock.nowMs())
			const rows = await listRecords(store.db, workspaceId, filter, before, query.limit + 1)
			const shown = rows.slice(0, query.limit)
			const last = rows.length > query.limit ? shown.at(-1) : undefined
			return {
				audit: shown.map(presentRecord),
				next_cursor: last ? cursors.seal(workspaceId, String(last.seq)) : null,
			}
		},
		verify: async ({ context }) => {
			const { records, head, bad } = await verifyChain(store, sealer, principalIn(context).workspaceId)
			return {
				intact: bad === null,
				records,
				head,
				bad: bad && { seq: bad.seq, id: bad.id, reason: bad.reason },
			}
		},
	})
}

/** Parameters that the list and the export share. */
interface AuditQuery {
	actor?: string
	action?: string
	target?: string
	start?: string
	end?: string
}

/** The query in the form of the repository; without `start` and `end` it covers all time. Throws `invalid_request`. */
function readFilter({ actor, action, target, start, end }: AuditQuery, nowMs: number): AuditFilter {
	if (action !== undefined && !/^[a-z-]+(\.([a-z_-]+|\*))?$/.test(action))
		throw new Problem('invalid_request', 'action: is neither area.verb nor area.*.', {
			errors: [{ pointer: '/action', code: 'action', detail: 'is neither area.verb nor area.*' }],
		})
	const filter: AuditFilter = { actor, action, target }
	if (start === undefined && end === undefined) return filter
	const range = readTimeRange(
		{ start: start ?? '1970-01-01T00:00:00Z', ...(end !== undefined && { end }) },
		nowMs,
	)
	return { ...filter, startMs: range.startMs, ...(end !== undefined && { endMs: range.endMs }) }
}

interface ExportFormat {
	contentType: string
	head: string
	line(row: AuditRow): string
}

const columns = [
	'seq',
	'id',
	'at',
	'action',
	'actor_kind',
	'actor_id',
	'actor_name',
	'target_kind',
	'target_id',
	'target_name',
	'request_id',
	'detail',
	'chain',
] as const

/** Both formats include the position in the chain and the link, so that an export can later be checked against the log. */
const exportFormats = {
	jsonl: {
		contentType: 'application/x-ndjson; charset=utf-8',
		head: '',
		line: (row) => `${JSON.stringify({ seq: row.seq, ...presentRecord(row), chain: row.chain })}\n`,
	},
	csv: {
		contentType: 'text/csv; charset=utf-8; header=present',
		head: csvLine(columns),
		line: (row) => csvLine(columns.map((name) => (name === 'at' ? toIso(row.at) : row[name]))),
	},
} satisfies Record<string, ExportFormat>

/** Number of records in memory at once, however slowly the client reads. */
const batchRows = 500

interface ExportDependencies {
	store: ControlStore
	clock: Clock
}

const readQuery = createQueryReader(auditExport.query)

/** `GET /v1/audit/export`: the records of a period as a file, oldest first, written as fast as the client reads. */
function exportRoute({ store, clock }: ExportDependencies): Route {
	return {
		id: auditExport.id,
		method: auditExport.method,
		path: auditExport.path,
		access: auditExport.access,
		family: 'api',
		streams: true,
		handle: async (request, response, context) => {
			const { workspaceId } = principalIn(context)
			const query = readQuery(context.search)
			const format: ExportFormat = exportFormats[query.format]
			const filter = readFilter(query, clock.nowMs())
			response.writeHead(200, {
				'content-type': format.contentType,
				'content-disposition': `attachment; filename="audit.${query.format}"`,
				'cache-control': 'no-store',
			})
			if (request.method === 'HEAD') return void response.end()
			await writeRecords(store, workspaceId, filter, format, response)
		},
	}
}

async function writeRecords(
	store: ControlStore,
	workspaceId: string,
	filter: AuditFilter,
	format: ExportFormat,
	response: ServerResponse,
): Promise<void> {
	response.write(format.head)
	for (let afterSeq = 0; !response.destroyed; ) {
		const rows = await listRecordsFrom(store.db, workspaceId, filter, afterSeq, batchRows)
		const last = rows.at(-1)
		if (!last) break
		afterSeq = last.seq
		if (!response.write(rows.map(format.line).join(''))) await drained(response)
	}
	response.end()
}

export interface Audit {
	operations: BoundOperation[]
	/** The export route. */
	routes: Route[]
	/** Appends a record to the workspace's chain, in the transaction of the change that it records. */
	record(tx: DatabaseTransaction, entry: AuditEntry): Promise<void>
	/** Appends a refused management call, in a separate transaction; denials on the data plane are telemetry. */
	recordDenial(denial: Denial): Promise<void>
	/** Counts a refusal of an unknown caller; ignores problems other than 401, 403 and 429. */
	countDenial(clientAddress: string, problem: Problem): void
	/** Call it before the first record of a start: seals the heads of chains from before anchors. */
	start(): Promise<void>
	/** Writes pending counts. */
	close(): Promise<void>
}

export interface Denial {
	principal: Principal
	/** The refused operation. */
	routeId: string
	problem: Problem
	requestId: string
}

export interface AuditDependencies {
	store: ControlStore
	sealer: Sealer
	clock: Clock
	log?: Log
}

/** For records without a workspace. */
const instance = { workspaceId: '', actor: systemActor('Signalbox') }

const deniedStatuses: ReadonlySet<number> = new Set([401, 403, 429])

export function openAudit({ store, sealer, clock, log = silentLog }: AuditDependencies): Audit {
	const denials = new DenialCounter({ store, clock, log })
	const record: Audit['record'] = (tx, entry) => appendRecord(tx, entry, sealer, clock)
	return {
		operations: [...auditRoutes({ store, sealer, clock }), ...denialRoutes(store, sealer, denials)],
		routes: [exportRoute({ store, clock })],
		record,
		recordDenial: async ({ principal, routeId, problem, requestId }) => {
			const { workspaceId } = principal
			const detail = { operation: routeId, reason: problem.message }
			// A call that had been sent was cut rather than denied: it may have taken effect.
			const action = problem.code === 'call_cut' ? 'cut' : 'denied'
			const entry = { workspaceId, actor: actorOf(principal), action, detail, requestId }
			await transact(store.db, (tx) => record(tx, entry))
		},
		countDenial: (clientAddress, problem) => {
			if (deniedStatuses.has(problem.status)) denials.note(clientAddress, problem.code)
		},
		start: () =>
			sealAnchors(store, sealer, (tx, detail) => record(tx, { ...instance, action: 'audit.seal', detail })),
		close: () => denials.close(),
	}
}

export function actorOf(principal: Principal): Actor {
	if (principal.kind === 'user') return { kind: 'user', id: principal.userId, name: principal.email }
	return { kind: principal.kind, id: principal.keyId, name: principal.name }
}

/** A change that a caller makes in its workspace. */
export interface RequestedChange extends Pick<AuditEntry, 'action' | 'detail'> {
	target: { kind: string; id: string; name: string }
	/** The kind under which views read the target again; absent if no view contains it. */
	viewKind?: ChangeKind
}

/** Records a change in its transaction: in the audit log, and in the change feed if views contain its target. */
export async function recordChange(
	tx: DatabaseTransaction,
	{ audit, clock }: { audit: Pick<Audit, 'record'>; clock: Clock },
	request: RequestContext,
	{ viewKind, ...change }: RequestedChange,
): Promise<void> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	await audit.record(tx, { workspaceId, actor: actorOf(principal), requestId: request.requestId, ...change })
	if (viewKind) await appendChange(tx, viewKind, change.target.id, clock)
}

/** The program or its command line, distinguished by `name`. */
export function systemActor(name: string): Actor {
	return { kind: 'system', id: null, name }
}

/**
 * Seals the heads of chains from before anchors. This happens once in the life of a store, and `note` records it: anybody who
 * clears the MACs to hide a truncation causes another such record.
 */
async function sealAnchors(
	store: ControlStore,
	sealer: Sealer,
	note: (tx: DatabaseTransaction, sealed: { chains: number; records: number }) => Promise<void>,
): Promise<void> {
	await transact(store.db, async (tx) => {
		await lockNumbering(tx)
		const anchors = await listUnsealed(tx)
		const totals = await findTotals(tx)
		if (anchors.length === 0 && totals?.mac !== '') return
		for (const anchor of anchors) await saveAnchor(tx, { ...anchor, mac: anchorMac(sealer, anchor) })
		if (totals?.mac === '') await saveTotals(tx, { ...totals, mac: totalsMac(sealer, totals) })
		await note(tx, { chains: anchors.length, records: anchors.reduce((sum, { seq }) => sum + seq, 0) })
	})
}

/** Who made a change, as recorded in the audit log. */
export interface Actor {
	kind: Principal['kind'] | 'system'
	/** Null for the program itself. */
	id: string | null
	/** E-mail of a person, name of a key. */
	name: string
}

interface AuditEntry {
	workspaceId: string
	actor: Actor
	/** `area.verb`, as in `agents.create`. */
	action: string
	target?: { kind: string; id: string; name: string } | null
	/** What changed. Never a secret. */
	detail?: Record<string, unknown>
	requestId?: string | null
}

/** Appends a record to its workspace's chain and advances the chain's anchor. */
async function appendRecord(
	tx: DatabaseTransaction,
	entry: AuditEntry,
	sealer: Sealer,
	clock: Clock,
): Promise<void> {
	await lockNumbering(tx)
	const head = await readHead(tx, sealer, entry.workspaceId)
	const row = toRow(entry, head.seq + 1, clock.nowMs())
	const record = { ...row, chain: chainLink(sealer, row, head.chain) }
	await insertRecord(tx, record)
	await anchorRecord(tx, sealer, record, head)
	await appendEvent(
		tx,
		{ workspaceId: entry.workspaceId, type: entry.action, data: eventData(record) },
		clock,
	)
}

/** Every change with an audit record is also an event, so areas need not emit events for their changes. */
function eventData(row: AuditRow): Record<string, unknown> {
	const { actor, target, detail, request_id, id } = presentRecord(row)
	return { actor, target, detail, request_id, audit_id: id }
}

function toRow(entry: AuditEntry, seq: number, nowMs: number): Omit<AuditRow, 'chain'> {
	return {
		workspace_id: entry.workspaceId,
		seq,
		id: newId(nowMs),
		at: nowMs,
		actor_kind: entry.actor.kind,
		actor_id: entry.actor.id,
		actor_name: entry.actor.name,
		action: entry.action,
		target_kind: entry.target?.kind ?? null,
		target_id: entry.target?.id ?? null,
		target_name: entry.target?.name ?? null,
		detail: JSON.stringify(detailOf(entry), redactValue),
		request_id: entry.requestId ?? null,
	}
}

/** Adds the channel of changes that did not come through the platform API. */
function detailOf({ detail = {} }: AuditEntry): Record<string, unknown> {
	const via = currentChannel()
	return via ? { ...detail, via } : detail
}

function redactValue(_name: string, value: unknown): unknown {
	return typeof value === 'string' ? redactText(value) : value
}

/** A record in the API and the export. */
export function presentRecord(row: AuditRow) {
	return {
		id: row.id,
		at: toIso(row.at),
		actor: { kind: row.actor_kind as 'user', id: row.actor_id, name: row.actor_name },
		action: row.action,
		target:
			row.target_kind === null
				? null
				: { kind: row.target_kind, id: row.target_id ?? '', name: row.target_name ?? '' },
		detail: JSON.parse(row.detail) as Record<string, unknown>,
		request_id: row.request_id,
	}
}

/** Whether a record is about a call that was refused, or cut after it had been sent. */
export function isRefusal({ action }: Pick<AuditRow, 'action'>): boolean {
	return action === 'denied' || action === 'cut'
}
