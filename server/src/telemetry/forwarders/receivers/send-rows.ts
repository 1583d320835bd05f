import type { ForwardedSignal } from '@signalbox/contract'
import type { AuditRow } from '../../../accounts/audit/audit.ts'
import type { ForwarderContext } from '../forwarder-context.ts'
import type { ForwarderRow } from '../forwarder-repository.ts'
import { openHeaders } from '../present-forwarder.ts'
import { encodeRows, otlpPaths } from '../signal-source.ts'
import { type Outcome, sendOtlp } from './send-otlp.ts'
import { sendSyslog, syslogTestMessage, toSyslogMessage } from './send-syslog.ts'

/** Sends rows of a signal to a forwarder's receiver. Rejects only when `ending` ends. */
export function sendRows(
	context: ForwarderContext,
	row: ForwarderRow,
	signal: ForwardedSignal,
	rows: readonly unknown[],
	ending: AbortSignal,
): Promise<Outcome> {
	if (row.kind === 'syslog')
		return sendSyslog(context, row.url, (rows as AuditRow[]).map(toSyslogMessage), ending)
	const receiver = { url: row.url, headers: openHeaders(context.sealer, row) }
	const encode = (some: readonly unknown[]) => encodeRows(signal, some)
	return sendOtlp(context, receiver, otlpPaths[signal], { rows, encode }, ending)
}

/** Sends what a receiver takes and has nothing of: an OTLP request without rows, or a syslog message that says so. */
export function sendTest(
	context: ForwarderContext,
	row: ForwarderRow,
	signal: ForwardedSignal,
): Promise<Outcome> {
	const ending = new AbortController().signal
	if (row.kind === 'otlp') return sendRows(context, row, signal, [], ending)
	return sendSyslog(context, row.url, [syslogTestMessage(context.clock.nowMs())], ending)
}
