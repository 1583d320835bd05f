import type { ForwardedSignal } from '@signalbox/contract'
import { type AuditRow, isRefusal, lastSeq, listChain, presentRecord } from '../../accounts/audit/audit.ts'
import type { Queryable } from '../../platform/database/database.ts'
import {
	type ArrivalPlace,
	type ArrivalSignal,
	encodeArrivals,
	encodeRequest,
	readArrivals,
	settledMs,
	signalsWithArrivals,
} from '../index.ts'
import type { ForwarderContext } from './forwarder-context.ts'
import type { CursorRow, ForwarderRow } from './forwarder-repository.ts'
import type { OtlpPath } from './receivers/send-otlp.ts'

const severities = { info: 9, warning: 13 } as const

/** Audit records as an OTLP logs request in its JSON form: fields for filtering as attributes, the whole record as the body. */
function toAuditLogs(rows: readonly AuditRow[]): object {
	return {
		resourceLogs: [
			{
				resource: { attributes: [text('service.name', 'signalbox')] },
				scopeLogs: [{ scope: { name: 'signalbox.audit' }, logRecords: rows.map(toLogRecord) }],
			},
		],
	}
}

function toLogRecord(row: AuditRow): object {
	const nanoseconds = `${row.at}000000`
	const facts: [string, string | null][] = [
		['signalbox.workspace.id', row.workspace_id],
		['signalbox.audit.id', row.id],
		['signalbox.audit.action', row.action],
		['signalbox.audit.actor.kind', row.actor_kind],
		['signalbox.audit.actor.id', row.actor_id],
		['signalbox.audit.actor.name', row.actor_name],
		['signalbox.audit.target.kind', row.target_kind],
		['signalbox.audit.target.id', row.target_id],
		['signalbox.audit.target.name', row.target_name],
		['signalbox.request.id', row.request_id],
	]
	return {
		timeUnixNano: nanoseconds,
		observedTimeUnixNano: nanoseconds,
		severityNumber: severities[isRefusal(row) ? 'warning' : 'info'],
		eventName: 'signalbox.audit',
		body: { stringValue: JSON.stringify({ ...presentRecord(row), chain: row.chain }) },
		attributes: [
			{ key: 'signalbox.audit.seq', value: { intValue: String(row.seq) } },
			...facts.flatMap(([key, value]) => (value === null ? [] : [text(key, value)])),
		],
	}
}

function text(key: string, stringValue: string): object {
	return { key, value: { stringValue } }
}

/** The next rows of a signal. */
export interface Page {
	rows: readonly unknown[]
	/** The position after them. */
	position: string
	/** Everything stored up to this time is in this page or before it; null: unknown until the next page. */
	settledAt: number | null
}

/**
 * A position that is further ahead is from before the clock was set back. What is stored now would be behind it and never be sent, so
 * the position follows the clock.
 */
const setBackMs = 1000
/** Maximum number of rows in memory and in a request. */
const pageRows = 250

export const otlpPaths = {
	spans: 'traces',
	metrics: 'metrics',
	logs: 'logs',
	audit: 'logs',
} as const satisfies Record<ForwardedSignal, OtlpPath>

/** The position from which a newly added signal is sent. */
export async function beginningOf(
	db: Queryable,
	workspaceId: string,
	signal: ForwardedSignal,
	nowMs: number,
): Promise<string> {
	return signal === 'audit' ? String(await lastSeq(db, workspaceId)) : `${nowMs}:`
}

/** What is stored when a run of a forwarder begins. A run sends no more than this; the next one begins soon. */
export interface Arrived {
	/** See `settledMs`. */
	upToMs: number
	/** The signals that may have rows to send. */
	signals: ReadonlySet<ArrivalSignal>
}

/** Asks once for all signals of a forwarder, because mostly nothing has arrived. */
export async function readArrived(
	{ telemetry }: Pick<ForwarderContext, 'telemetry'>,
	workspaceId: string,
	cursors: readonly CursorRow[],
): Promise<Arrived> {
	// The watermark comes first: a row that becomes visible after it would otherwise be passed over.
	const upToMs = await settledMs(telemetry)
	const places = cursors
		.filter(({ signal }) => signal !== 'audit')
		.map(({ signal, position }) => [signal, placeOf(position)])
	return {
		upToMs,
		signals: await signalsWithArrivals(telemetry, workspaceId, Object.fromEntries(places), upToMs),
	}
}

export function readPage(
	context: Pick<ForwarderContext, 'store' | 'telemetry' | 'clock'>,
	row: ForwarderRow,
	cursor: CursorRow,
	arrived: () => Promise<Arrived>,
): Promise<Page> {
	return cursor.signal === 'audit' ? readAudit(context, cursor) : readTelemetry(context, row, cursor, arrived)
}

/** The body of an OTLP request. */
export function encodeRows(signal: ForwardedSignal, rows: readonly unknown[]): Buffer {
	if (signal === 'audit') return encodeRequest('logs', toAuditLogs(rows as AuditRow[]))
	return encodeArrivals(signal, rows as never)
}

/** The sequence numbers of a workspace's audit chain have no gaps, and a record is visible before the next one gets its number. */
async function readAudit(
	{ store, clock }: Pick<ForwarderContext, 'store' | 'clock'>,
	{ workspace_id, position }: CursorRow,
): Promise<Page> {
	const nowMs = clock.nowMs()
	const rows = await listChain(store.db, workspace_id, Number(position), pageRows)
	const settledAt = rows.length < pageRows ? nowMs : null
	return { rows, position: String(rows.at(-1)?.seq ?? position), settledAt }
}

async function readTelemetry(
	{ telemetry }: Pick<ForwarderContext, 'telemetry'>,
	row: ForwarderRow,
	cursor: CursorRow,
	arrived: () => Promise<Arrived>,
): Promise<Page> {
	const after = placeOf(cursor.position)
	const { upToMs, signals } = await arrived()
	if (upToMs < after.storedMs - setBackMs) return { rows: [], position: `${upToMs}:`, settledAt: upToMs }
	if (upToMs <= after.storedMs) return { rows: [], position: cursor.position, settledAt: upToMs }
	const signal = cursor.signal as ArrivalSignal
	if (!signals.has(signal)) return { rows: [], position: `${upToMs}:`, settledAt: upToMs }
	const query = { after, upToMs, filter: JSON.parse(row.filter), limit: pageRows }
	const { rows, last } = await readArrivals(telemetry, row.workspace_id, signal, query)
	if (last) return { rows, position: `${last.storedMs}:${last.hash}`, settledAt: null }
	return { rows, position: `${upToMs}:`, settledAt: upToMs }
}

function placeOf(position: string): ArrivalPlace {
	const [storedMs, hash = ''] = position.split(':')
	return { storedMs: Number(storedMs), hash }
}
