import { setImmediate } from 'node:timers/promises'
import { parseAttribute } from '../attribute-text.ts'
import { isOneOfIds } from '../columns.ts'
import {
	messageEvents,
	messageKeys,
	messagesOfLog,
	messagesOfSpan,
	type RecordedMessage,
	type ToolContent,
	toolContentKeys,
	toolContentOfSpan,
} from '../normalise/messages.ts'
import { type QueryStore, readStore } from '../reads/span-repository.ts'
import { toAttributes } from '../reads/stored-span.ts'
import { keyStrengths } from '../rollups/view-keys.ts'

/** A model call's span and the attributes that hold its messages. */
export interface SpanWithMessages {
	traceId: string
	spanId: string
	parentSpanId: string
	startNs: bigint
	/** Keys that identify other views of the same call with certainty: see `view-keys.ts`. */
	viewKeys: readonly string[]
	messages: readonly RecordedMessage[]
}

interface StoredMessages {
	trace: string
	span: string
	parent: string
	start_ns: string
	view: string[]
	texts: Record<string, string>
	types: Record<string, string>
	happened: string
}

/** Limit per attribute. Truncated JSON no longer parses and is shown as text. */
const maxCharacters = 1_000_000
const maxSpans = 1000

const isMessage = `(k IN ({message_names:Array(String)}) OR arrayExists(p -> startsWith(k, p), {message_prefixes:Array(String)}))`
const columns = `lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, lower(hex(parent_span_id)) AS parent,
	toString(toUnixTimestamp64Nano(started_at)) AS start_ns,
	arrayMap(key -> toString(key), arrayFilter(key -> bitAnd(key, 3) = ${keyStrengths.exact}, view_keys)) AS view,
	mapApply((k, v) -> (k, substringUTF8(v, 1, ${maxCharacters})), mapFilter((k, v) -> ${isMessage}, attributes)) AS texts,
	mapFilter((k, v) -> ${isMessage}, attribute_types) AS types, if(length(events) <= ${maxCharacters}, events, '') AS happened`

const nearby = `started_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') - INTERVAL 10 MINUTE AND started_at <= fromUnixTimestamp64Nano({to:Int64}, 'UTC') + INTERVAL 10 MINUTE`

/**
 * The model calls of traces: all of them, or, without messages from log records, those that began between two times or shortly
 * before or after.
 */
export async function findMessagesOfTraces(
	store: QueryStore,
	workspaceId: string,
	traceIds: readonly string[],
	near?: { fromNs: bigint; toNs: bigint },
): Promise<SpanWithMessages[]> {
	const ofTraces = isOneOfIds('trace_id', 'traces')
	const spans = await select(store, workspaceId, near ? `${ofTraces} AND ${nearby}` : ofTraces, {
		...{ traces: [...new Set(traceIds)] },
		...(near && { from: String(near.fromNs), to: String(near.toNs) }),
	})
	return near ? spans : withLogged(store, workspaceId, spans)
}

/** Model calls with one of these keys that began between two times or shortly before or after. */
export async function findMessagesByKeys(
	store: QueryStore,
	workspaceId: string,
	wanted: { viewKeys: readonly string[]; fromNs: bigint; toNs: bigint },
): Promise<SpanWithMessages[]> {
	if (wanted.viewKeys.length === 0) return []
	const spans = await select(
		store,
		workspaceId,
		`${nearby} AND hasAny(view_keys, arrayMap(key -> toUInt64(key), {keys:Array(String)}))`,
		{ keys: wanted.viewKeys, from: String(wanted.fromNs), to: String(wanted.toNs) },
	)
	return withLogged(store, workspaceId, spans)
}

/** The last model calls of a session before a time, in chronological order. */
export async function findMessagesBefore(
	store: QueryStore,
	workspaceId: string,
	{ sessionId, beforeNs, limit }: { sessionId: string; beforeNs: bigint; limit: number },
): Promise<SpanWithMessages[]> {
	const found = await select(
		store,
		workspaceId,
		"session_id = {session:String} AND source = 'otlp' AND started_at < fromUnixTimestamp64Nano({before:Int64}, 'UTC')",
		{ session: sessionId, before: String(beforeNs) },
		{ order: 'started_at DESC', limit },
	)
	return withLogged(store, workspaceId, found.reverse())
}

export interface ToolSpan {
	traceId: string
	spanId: string
	content: readonly ToolContent[]
}

/** Arguments and results of tool calls; calls without either are absent. */
export async function findToolContent(
	store: QueryStore,
	workspaceId: string,
	calls: readonly { traceId: string; spanId: string }[],
): Promise<ToolSpan[]> {
	if (calls.length === 0) return []
	const found = await readStore(() =>
		store.query<Pick<StoredMessages, 'trace' | 'span' | 'texts' | 'types'>>(
			`SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
				mapApply((k, v) -> (k, substringUTF8(v, 1, ${maxCharacters})), mapFilter((k, v) -> k IN ({keys:Array(String)}), attributes)) AS texts,
				mapFilter((k, v) -> k IN ({keys:Array(String)}), attribute_types) AS types
			FROM spans WHERE workspace_id = {workspace:String} AND kind = 'tool_call'
				AND ${isOneOfIds('trace_id', 'traces')}
				AND (lower(hex(trace_id)), lower(hex(span_id))) IN (SELECT arrayJoin(arrayZip({traces:Array(String)}, {spans:Array(String)})))
			LIMIT ${maxSpans}`,
			{
				workspace: workspaceId,
				keys: toolContentKeys,
				traces: calls.map(({ traceId }) => traceId),
				spans: calls.map(({ spanId }) => spanId),
			},
		),
	)
	return found.flatMap(({ trace, span, texts, types }) => {
		const content = toolContentOfSpan(toAttributes(texts, types))
		return content.length > 0 ? [{ traceId: trace, spanId: span, content }] : []
	})
}

/** The model call itself, for the messages in its attributes. */
export async function findMessagesOfSpan(
	store: QueryStore,
	workspaceId: string,
	{ traceId, spanId }: { traceId: string; spanId: string },
): Promise<SpanWithMessages | null> {
	const found = await select(
		store,
		workspaceId,
		'trace_id = toFixedString(unhex({trace:String}), 16) AND span_id = toFixedString(unhex({span:String}), 8)',
		{ trace: traceId, span: spanId },
		{ order: 'started_at', limit: 1 },
	)
	const [span] = await withLogged(store, workspaceId, found)
	return span ?? null
}

async function select(
	store: QueryStore,
	workspaceId: string,
	where: string,
	parameters: Record<string, unknown>,
	{ order, limit } = { order: 'started_at', limit: maxSpans },
): Promise<SpanWithMessages[]> {
	const found = await readStore(() =>
		store.query<StoredMessages>(
			`SELECT ${columns} FROM spans WHERE workspace_id = {workspace:String} AND kind = 'model_call' AND ${where}
			ORDER BY ${order}, trace_id, span_id LIMIT ${limit}`,
			{
				...parameters,
				workspace: workspaceId,
				message_names: messageKeys.names,
				message_prefixes: messageKeys.prefixes,
			},
		),
	)
	const spans: SpanWithMessages[] = []
	for (const row of found) {
		// Parsing a page of long conversations takes long, so other work runs in between.
		await setImmediate()
		spans.push({
			traceId: row.trace,
			spanId: row.span,
			parentSpanId: row.parent,
			startNs: BigInt(row.start_ns),
			viewKeys: row.view,
			messages: messagesOfSpan(toAttributes(row.texts, row.types), row.happened),
		})
	}
	return spans
}

interface StoredEvent {
	trace: string
	span: string
	name: string
	body: string
	body_type: string
	texts: Record<string, string>
	types: Record<string, string>
}

const maxEvents = 10_000
/** The events API of older SDKs puts the name into the attributes. */
const eventName = "if(event_name != '', event_name, attributes['event.name'])"

/** Adds messages from log records to spans that have none of their own: OpenTelemetry's instrumentations may send them that way. */
async function withLogged(
	store: QueryStore,
	workspaceId: string,
	spans: SpanWithMessages[],
): Promise<SpanWithMessages[]> {
	const silent = spans.filter(({ messages }) => messages.length === 0)
	if (silent.length === 0) return spans
	const starts = silent.map(({ startNs }) => startNs).sort((a, b) => (a < b ? -1 : 1))
	const found = await readStore(() =>
		store.query<StoredEvent>(
			`SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, ${eventName} AS name,
				substringUTF8(logs.body, 1, ${maxCharacters}) AS body, body_type,
				mapApply((k, v) -> (k, substringUTF8(v, 1, ${maxCharacters})), mapFilter((k, v) -> ${isMessage}, attributes)) AS texts,
				mapFilter((k, v) -> ${isMessage}, attribute_types) AS types
			FROM logs WHERE workspace_id = {workspace:String}
				AND recorded_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') - INTERVAL 1 MINUTE
				AND recorded_at <= fromUnixTimestamp64Nano({to:Int64}, 'UTC') + INTERVAL 1 DAY
				AND ${isOneOfIds('trace_id', 'traces')} AND ${eventName} IN ({events:Array(String)})
			ORDER BY recorded_at, observed_time_unix_nano LIMIT ${maxEvents}`,
			{
				...{ workspace: workspaceId, events: messageEvents, message_names: messageKeys.names },
				...{
					message_prefixes: messageKeys.prefixes,
					traces: [...new Set(silent.map(({ traceId }) => traceId))],
				},
				...{ from: String(starts[0]), to: String(starts.at(-1)) },
			},
		),
	)
	const bySpan = Map.groupBy(found, ({ trace, span }) => `${trace} ${span}`)
	const messagesOf = ({ traceId, spanId }: SpanWithMessages) =>
		(bySpan.get(`${traceId} ${spanId}`) ?? []).flatMap(({ name, body, body_type: type, texts, types }) =>
			messagesOfLog(name, parseAttribute(body, type || undefined), toAttributes(texts, types)),
		)
	return spans.map((span) => (span.messages.length > 0 ? span : { ...span, messages: messagesOf(span) }))
}
