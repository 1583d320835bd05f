import { hostname } from 'node:os'
import { type AuditRow, isRefusal, presentRecord } from '../../../accounts/audit/index.ts'
import { toIso } from '../../../platform/clock.ts'

/** The facility "log audit". */
const facility = 13
const severities = { notice: 5, warning: 4 } as const

/** An audit record as a message of RFC 5424: what one filters by as structured data, the whole record as JSON. */
export function toSyslogMessage(row: AuditRow): string {
	const severity = severities[isRefusal(row) ? 'warning' : 'notice']
	const facts: [string, string | null][] = [
		['id', row.id],
		['seq', String(row.seq)],
		['workspace', row.workspace_id],
		['action', row.action],
		['actor', row.actor_name],
		['target', row.target_id],
		['request', row.request_id],
	]
	const data = facts.flatMap(([name, value]) => (value === null ? [] : [` ${name}="${escaped(value)}"`]))
	const record = JSON.stringify({ seq: row.seq, ...presentRecord(row), chain: row.chain })
	return syslogLine(severity, toIso(row.at), row.action, `[signalbox@32473${data.join('')}]`, record)
}

/** A message that tells of nothing, for the test button. */
export function syslogTestMessage(nowMs: number): string {
	return syslogLine(severities.notice, toIso(nowMs), 'test', '-', 'A test of a forwarder of Signalbox.')
}

function syslogLine(severity: number, at: string, id: string, data: string, text: string): string {
	const head = `<${facility * 8 + severity}>1 ${at} ${printable(hostname(), 255)} signalbox ${process.pid}`
	return `${head} ${printable(id, 32)} ${data} \uFEFF${text}`
}

/** A message in a stream, by the counting of octets of RFC 6587. */
export function framed(message: string): string {
	return `${Buffer.byteLength(message)} ${message}`
}

function printable(text: string, most: number): string {
	return text.replace(/[^\x21-\x7e]/g, '_').slice(0, most) || '-'
}

function escaped(text: string): string {
	return text.replace(/["\\\]]/g, '\\$&')
}
