import { type AuditRow, isRefusal, presentRecord } from '../../accounts/audit/index.ts'

const severities = { info: 9, warning: 13 } as const

/** Audit records as an OTLP logs request in its JSON form: what one filters by as attributes, the whole record as the body. */
export function toAuditLogs(rows: readonly AuditRow[]): object {
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
