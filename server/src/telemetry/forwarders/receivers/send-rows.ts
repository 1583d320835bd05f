import { isIP, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { ForwardedSignal } from '@signalbox/contract'
import { type AuditRow, isRefusal, presentRecord } from '../../../accounts/audit/audit.ts'
import { toIso } from '../../../platform/clock.ts'
import { textOfFailure } from '../../../platform/errors.ts'
import type { ForwarderContext } from '../forwarder-context.ts'
import type { ForwarderRow } from '../forwarder-repository.ts'
import { openHeaders } from '../present-forwarder.ts'
import { encodeRows, otlpPaths } from '../signal-source.ts'
import { type Outcome, sendOtlp } from './send-otlp.ts'

/** Sends rows of a signal to a forwarder's receiver. Rejects only when `ending` is aborted. */
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

/** Sends a test without data: an OTLP request without rows, or a syslog message that says so. */
export function sendTest(
	context: ForwarderContext,
	row: ForwarderRow,
	signal: ForwardedSignal,
): Promise<Outcome> {
	const ending = new AbortController().signal
	if (row.kind === 'otlp') return sendRows(context, row, signal, [], ending)
	return sendSyslog(context, row.url, [syslogTestMessage(context.clock.nowMs())], ending)
}

/** The facility "log audit". */
const facility = 13
const severities = { notice: 5, warning: 4 } as const

/** An audit record as a message of RFC 5424: fields for filtering as structured data, the whole record as JSON. */
function toSyslogMessage(row: AuditRow): string {
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

/** A message without data, for the test button. */
function syslogTestMessage(nowMs: number): string {
	return syslogLine(severities.notice, toIso(nowMs), 'test', '-', 'A test of a forwarder of Signalbox.')
}

function syslogLine(severity: number, at: string, id: string, data: string, text: string): string {
	const head = `<${facility * 8 + severity}>1 ${at} ${printable(hostname(), 255)} signalbox ${process.pid}`
	return `${head} ${printable(id, 32)} ${data} \uFEFF${text}`
}

/** A message in a stream, framed by the octet counting of RFC 6587. */
function framed(message: string): string {
	return `${Buffer.byteLength(message)} ${message}`
}

function printable(text: string, max: number): string {
	return text.replace(/[^\x21-\x7e]/g, '_').slice(0, max) || '-'
}

function escaped(text: string): string {
	return text.replace(/["\\\]]/g, '\\$&')
}

const timeoutMs = 10_000
/** Syslog has no answers; a receiver that has not closed the connection by then has accepted the messages. */
const closingMs = 2000

/**
 * Sends messages over a new connection, by `tcp:` or `tls:`. Syslog has no answers: after this side is closed, the messages count
 * as accepted when the receiver closes its side or stays silent. Rejects only when `signal` is aborted.
 */
export async function sendSyslog(
	{ safeFetch }: Pick<ForwarderContext, 'safeFetch'>,
	url: string,
	messages: readonly string[],
	signal: AbortSignal,
): Promise<Outcome> {
	try {
		const socket = await openSocket(safeFetch, new URL(url))
		const abort = () => socket.destroy()
		signal.addEventListener('abort', abort, { once: true })
		try {
			await writeAll(socket, messages.map(framed).join(''))
		} finally {
			signal.removeEventListener('abort', abort)
			socket.destroy()
		}
		signal.throwIfAborted()
		return { kind: 'taken', refused: 0, reason: null }
	} catch (error) {
		signal.throwIfAborted()
		return { kind: 'later', error: textOfFailure(error, timeoutMs), afterMs: null }
	}
}

async function openSocket(
	safeFetch: ForwarderContext['safeFetch'],
	{ protocol, hostname, port }: URL,
): Promise<Socket> {
	const host = hostname.replace(/^\[|\]$/g, '')
	const socket = await safeFetch.connect(host, Number(port))
	if (protocol !== 'tls:') return socket
	return new Promise((resolve, reject) => {
		const secured = connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
		const failed = (error: Error) => {
			socket.destroy()
			reject(error)
		}
		secured.setTimeout(timeoutMs, () => secured.destroy(new Error('The TLS handshake was not answered.')))
		secured.once('error', failed).once('secureConnect', () => {
			secured.off('error', failed).setTimeout(0)
			resolve(secured)
		})
	})
}

function writeAll(socket: Socket, text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		socket.once('error', reject)
		socket.once('close', (failed) => (failed ? undefined : resolve()))
		socket.setTimeout(timeoutMs, () => socket.destroy(new Error('It stopped reading.')))
		// Without reading, a close by the receiver would never be noticed.
		socket.resume()
		socket.end(text, () => {
			socket.setTimeout(0)
			setTimeout(resolve, closingMs).unref()
		})
	})
}
