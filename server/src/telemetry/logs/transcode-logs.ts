import { hash } from 'node:crypto'
import { attributeText, typeOfAttribute } from '../attribute-text.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { loggedCalls } from '../normalise/client-conventions.ts'
import { hotValuesOf, mapAttributes } from '../normalise/map-attributes.ts'
import { checkTime, type Decoded, type DecodeOptions, Rejected } from '../otlp/decoded.ts'
import { parseJsonBody } from '../otlp/json-fields.ts'
import type { Of } from '../otlp/message-codec.ts'
import { type LogRecord, logsRequest, type Resource } from '../otlp/messages.ts'
import { newOrigin, type Origin } from '../otlp/origin.ts'
import { encodeSender, RowCollector } from '../otlp/row-collector.ts'
import { WireReader } from '../otlp/wire-reader.ts'
import { type Redactor, redactorOf, withRedactionMark } from '../redaction/redactor.ts'
import type { RowWriter } from '../row-writer.ts'
import { type Attributes, type AttributeValue, newSpanRow, type SpanRow } from '../span-row.ts'
import { writeAttributes } from '../span-row-binary.ts'

/** A log event that reports a call, and what is known of the call. */
interface LoggedCall {
	record: LogRecord
	event: string
	endNs: bigint
	durationNs: bigint
	/** What other events of the same body say of it. */
	known: [string, AttributeValue][]
}

/**
 * Converts log events that report calls to spans: those of Claude Code, Codex, Gemini CLI and Qwen Code, see `client-conventions.ts`.
 * `records` are those of one scope in the order of arrival, already redacted.
 */
function callsToldBy(records: readonly LogRecord[], origin: Origin, options: DecodeOptions): SpanRow[] {
	const logged: LoggedCall[] = []
	const begun = new Map<string, LogRecord[]>()
	for (const record of records) {
		const event = eventOf(record)
		if (event === 'codex.api_request' && !hasFailed(record)) {
			const waiting = begun.get(conversationOf(record)) ?? []
			begun.set(conversationOf(record), [...waiting, record])
			continue
		}
		if (event === detailsEvent) addDetails(record, logged)
		if (!loggedCalls.has(event) || !isOver(event, record)) continue
		const call = loggedCallOf(record, event, options)
		if (event === 'codex.sse_event') addBegin(call, begun.get(conversationOf(record))?.shift())
		logged.push(call)
	}
	return logged.map((call) => rowOf(call, origin, options))
}

/** Rust's tracing names an unnamed event after its position in the source. */
const isPlace = /^event \S+:\d+$/

/**
 * The name of an event. Before log records had a field for it, and in some SDKs still, it is an attribute; Codex puts the position
 * in its source into the field.
 */
function eventNameOf({ eventName, attributes }: Pick<LogRecord, 'eventName' | 'attributes'>): string {
	const named = attributes.get('event.name')
	const isNamed = typeof named === 'string' && named !== ''
	return isNamed && (eventName === '' || isPlace.test(eventName)) ? named : eventName
}

/** The event's name with its program as a prefix. Claude Code has the short name in the attribute, and the full one in the body. */
function eventOf(record: LogRecord): string {
	const name = eventNameOf(record)
	if (name.includes('.')) return name
	return typeof record.body === 'string' && record.body.startsWith('claude_code.') ? record.body : name
}

const textOf = (attributes: Attributes, key: string): string => {
	const value = attributes.get(key)
	return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}
const numberOf = (attributes: Attributes, key: string): number => {
	const text = textOf(attributes, key)
	return text === '' ? Number.NaN : Number(text)
}
const conversationOf = ({ attributes }: LogRecord) => textOf(attributes, 'conversation.id')

/**
 * Codex reports every event of a stream with its duration, and then the end of the call with its tokens or an error. It names the
 * end `response.completed` in any case, also after a stream that broke off or `response.failed`.
 */
function isOver(event: string, record: LogRecord): boolean {
	if (event !== 'codex.sse_event') return true
	const { attributes } = record
	if (attributes.has('input_token_count')) return true
	const isEnd = textOf(attributes, 'event.kind') === 'response.completed' && !attributes.has('duration_ms')
	return isEnd && hasFailed(record)
}

function hasFailed({ attributes }: LogRecord): boolean {
	if (textOf(attributes, 'success') === 'false') return true
	const status = numberOf(attributes, 'http.response.status_code') || numberOf(attributes, 'status_code')
	return status >= 400 || textOf(attributes, 'error.message') !== '' || textOf(attributes, 'error') !== ''
}

function loggedCallOf(record: LogRecord, event: string, options: DecodeOptions): LoggedCall {
	const ms = numberOf(record.attributes, 'duration_ms')
	// For a stream, Codex reports the duration of its last event, which says nothing about the call.
	const isKnown = event !== 'codex.sse_event' && ms >= 0 && ms < 1e12
	const durationNs = isKnown ? BigInt(Math.round(ms * 1e6)) : 0n
	// Qwen Code also puts the answer's id into the tool calls that the answer requested.
	const answer = event === 'qwen-code.api_response' ? textOf(record.attributes, 'response_id') : ''
	const known: LoggedCall['known'] = answer === '' ? [] : [['gen_ai.response.id', answer]]
	return { record, event, endNs: timeOf(record, options), durationNs, known }
}

const timeOf = (record: LogRecord, options: DecodeOptions) =>
	record.timeUnixNano || record.observedTimeUnixNano || options.nowNs

/** Codex's request event says when the call began and in which span. */
function addBegin(call: LoggedCall, request: LogRecord | undefined): void {
	const ms = numberOf(request?.attributes ?? new Map(), 'duration_ms')
	const endNs = request?.timeUnixNano || request?.observedTimeUnixNano || 0n
	if (!request || !(ms >= 0 && ms < 1e12) || endNs === 0n || endNs > call.endNs) return
	const startNs = endNs - BigInt(Math.round(ms * 1e6))
	call.durationNs = call.endNs - startNs
	const status = request.attributes.get('http.response.status_code')
	if (status !== undefined) call.known.push(['http.response.status_code', status])
	call.record = { ...call.record, traceId: request.traceId, spanId: request.spanId }
}

/** Gemini CLI reports the id of the answer in a separate event, right after the call. */
const detailsEvent = 'gen_ai.client.inference.operation.details'
function addDetails({ attributes }: LogRecord, logged: LoggedCall[]): void {
	const id = attributes.get('gen_ai.response.id')
	const last = logged.at(-1)
	if (id === undefined || last?.event !== 'gemini_cli.api_response' || last.known.length > 0) return
	if (textOf(attributes, 'session.id') !== textOf(last.record.attributes, 'session.id')) return
	last.known.push(['gen_ai.response.id', id])
	const model = attributes.get('gen_ai.response.model')
	if (model !== undefined) last.known.push(['gen_ai.response.model', model])
}

function rowOf(logged: LoggedCall, origin: Origin, options: DecodeOptions): SpanRow {
	const { record, event, endNs, known } = logged
	const durationNs = logged.durationNs < endNs ? logged.durationNs : 0n
	const startNs = endNs - durationNs
	const attributes = new Map([...record.attributes, ...known, ['signalbox.event', event] as const])
	const use = textOf(attributes, 'tool_use_id') || textOf(attributes, 'call_id')
	if (use !== '') attributes.set('gen_ai.tool.call.id', use)
	const own = toolOfServer(attributes)
	// Claude Code's name for every tool of an MCP server, unless it is configured to log their names.
	const isUnnamed = textOf(attributes, 'tool_name') === 'mcp_tool'
	const failed = hasFailed(record) || event.endsWith('_error')
	const status = failed ? 'error' : 'ok'
	const mapped = mapAttributes(hotValuesOf(attributes), origin.facts, {
		...{ startNs, otlpKind: 1, status, exception: () => '', name: () => event },
	})
	return newSpanRow({
		workspaceId: options.workspaceId,
		retentionDays: options.spanRetentionDays ?? options.retentionDays,
		source: 'otlp',
		...mapped,
		...(own && { toolName: own }),
		...(isUnnamed && { toolName: '' }),
		...idsOf(record, event, endNs, options.workspaceId),
		name: event,
		otlpKind: 1,
		status,
		statusMessage: failed ? textOf(attributes, 'error.message') || textOf(attributes, 'error') : '',
		startNs,
		durationNs,
		serviceName: origin.facts.serviceName,
		scopeName: origin.scopeName,
		scopeVersion: origin.scopeVersion,
		attributes,
		resource: origin.resource,
	})
}

/**
 * Gemini CLI names a tool `mcp_<server>_<tool>`, Qwen Code `mcp__<server>__<tool>`. Returns the server's own name for the tool, and
 * the attributes that other views of the call share.
 */
function toolOfServer(attributes: Map<string, AttributeValue>): string {
	const [server, name] = ['mcp_server_name', 'function_name'].map((key) => textOf(attributes, key))
	const prefix = [`mcp_${server}_`, `mcp__${server}__`].find((start) => name?.startsWith(start))
	if (!server || !name || !prefix) return ''
	attributes.set('mcp.server.name', server)
	const given = compactJson(textOf(attributes, 'function_args'))
	if (given !== '') attributes.set('gen_ai.tool.call.arguments', given)
	return name.slice(prefix.length)
}

/** The text is pretty-printed, with line breaks. */
function compactJson(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text))
	} catch {
		return ''
	}
}

/**
 * Ids that are the same each time the event is sent. An event without a trace belongs to that of its prompt, otherwise to that of
 * its session.
 */
function idsOf(
	record: LogRecord,
	event: string,
	endNs: bigint,
	workspaceId: string,
): Pick<SpanRow, 'traceId' | 'spanId' | 'parentSpanId'> {
	const { attributes } = record
	const of = (...keys: string[]) => keys.map((key) => textOf(attributes, key))
	const logged = [
		event,
		String(endNs),
		...of('event.sequence', 'request_id', 'tool_use_id', 'call_id', 'prompt_id', 'attempt'),
	]
	const session = of('session.id', 'conversation.id', 'prompt.id')
	const digits = (parts: readonly string[]) =>
		hash('sha256', `${workspaceId} told call ${JSON.stringify(parts)}`).slice(0, 32)
	const isTraced = record.traceId !== ''
	return {
		traceId: isTraced ? record.traceId : digits(session.join('') === '' ? logged : session),
		// OpenTelemetry limits span ids to 64 bits. The id only has to be unique within its trace, where a sender may choose it anyway.
		spanId: digits([...session, ...logged]).slice(0, 16),
		parentSpanId: isTraced ? record.spanId : '',
	}
}

/** Converts an `ExportLogsServiceRequest` to rows. Throws `Malformed`; an error inside a record rejects that record. */
export function transcodeLogsProtobuf(body: Buffer, options: DecodeOptions): Decoded {
	return toRows(logsRequest.readWhole(new WireReader(body)), options)
}

/** The same for OTLP's JSON form. */
export function transcodeLogsJson(body: Buffer, options: DecodeOptions): Decoded {
	return toRows(logsRequest.parse(parseJsonBody(body, 'logs'), ''), options)
}

function toRows(request: Of<typeof logsRequest>, options: DecodeOptions): Decoded {
	const rows = new RowCollector(options)
	const calls: SpanRow[] = []
	const redactor = redactorOf(options.rules)
	for (const { resource, scopeLogs, schemaUrl } of request.resourceLogs)
		for (const { scope, logRecords, schemaUrl: scopeSchemaUrl } of scopeLogs) {
			const sender = encodeSender(resource, schemaUrl, scope, scopeSchemaUrl, redactor)
			const kept: LogRecord[] = []
			for (const record of logRecords) {
				if (record instanceof Rejected) {
					rows.reject(record.message)
					continue
				}
				const shown = withoutPrivate(record, redactor)
				if (rows.add((w) => writeLogRow(w, shown, sender, options))) kept.push(shown)
			}
			const tells = kept.some((record) => eventNameOf(record) !== '')
			if (!tells) continue
			const origin = newOrigin(
				senderOf(resource, redactor),
				schemaUrl,
				senderOf(scope, redactor),
				scopeSchemaUrl,
			)
			calls.push(...callsToldBy(kept, origin, options))
		}
	const decoded = rows.take()
	return calls.length === 0
		? decoded
		: { ...decoded, calls: { rows: encodeSpanBlock(calls), count: calls.length } }
}

/** The origin, as for spans. */
const senderOf = <T extends Resource>(sent: T, redactor: Redactor) => ({
	...sent,
	attributes: [...redactor.othersIn(sent.attributes)],
	dropped: sent.droppedAttributesCount,
})

/** The record with its body and the attributes that hold content redacted. */
function withoutPrivate(record: LogRecord, redactor: Redactor): LogRecord {
	const found: Set<string> = new Set()
	const body = redactor.logBody(record.body, found)
	const attributes = redactor.attributesIn(record.attributes, found)
	return found.size === 0 ? record : { ...record, body, attributes: withRedactionMark(attributes, found) }
}

/** Writes the columns in the order of `log-columns.ts`. */
function writeLogRow(w: RowWriter, record: LogRecord, sender: Buffer, options: DecodeOptions): void {
	const recordedAtNs = record.timeUnixNano || record.observedTimeUnixNano || options.nowNs
	checkTime(recordedAtNs, options, record.timeUnixNano ? 'time_unix_nano' : 'observed_time_unix_nano')
	w.text(options.workspaceId)
	w.uint16(options.retentionDays)
	w.int64(recordedAtNs)
	w.uint64(record.timeUnixNano)
	w.uint64(record.observedTimeUnixNano)
	w.hex(record.traceId, 16)
	w.hex(record.spanId, 8)
	w.uint32(record.flags)
	w.uint32(record.severityNumber)
	w.text(record.severityText)
	w.text(eventNameOf(record))
	w.text(attributeText(record.body))
	w.text(typeOfAttribute(record.body))
	writeAttributes(w, record.attributes)
	w.uint32(record.droppedAttributesCount)
	w.raw(sender)
}
