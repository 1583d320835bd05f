import { setImmediate } from 'node:timers/promises'
import { messagesOfSpan, type SaidMessage, saidKeys } from '../normalise/said.ts'
import { type QueryStore, readStore } from '../reads/repository.ts'
import { toAttributes } from '../reads/stored-span.ts'
import { keyStrengths } from '../rollups/view-keys.ts'

/** A model call's span and what it says of its messages. */
export interface SaidSpan {
	traceId: string
	spanId: string
	parentSpanId: string
	startNs: bigint
	/** Which it has in common with other views of its call, beyond doubt: see `view-keys.ts`. */
	viewKeys: readonly string[]
	messages: readonly SaidMessage[]
}

interface StoredSaid {
	trace: string
	span: string
	parent: string
	start_ns: string
	view: string[]
	said: Record<string, string>
	types: Record<string, string>
	happened: string
}

/** Of one attribute; what is longer is no JSON any more, and shown as far as it goes. */
const mostCharacters = 1_000_000
const mostSpans = 1000

const isSaid = `(k IN ({said_names:Array(String)}) OR arrayExists(p -> startsWith(k, p), {said_prefixes:Array(String)}))`
const columns = `lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, lower(hex(parent_span_id)) AS parent,
	toString(toUnixTimestamp64Nano(started_at)) AS start_ns,
	arrayMap(key -> toString(key), arrayFilter(key -> bitAnd(key, 3) = ${keyStrengths.exact}, view_keys)) AS view,
	mapApply((k, v) -> (k, substringUTF8(v, 1, ${mostCharacters})), mapFilter((k, v) -> ${isSaid}, attributes)) AS said,
	mapFilter((k, v) -> ${isSaid}, attribute_types) AS types, if(length(events) <= ${mostCharacters}, events, '') AS happened`

/** The model calls of traces. */
export function findSaidOfTraces(
	store: QueryStore,
	workspaceId: string,
	traceIds: readonly string[],
): Promise<SaidSpan[]> {
	return select(
		store,
		workspaceId,
		'trace_id IN (SELECT toFixedString(unhex(arrayJoin({traces:Array(String)})), 16))',
		{ traces: [...new Set(traceIds)] },
	)
}

/** Model calls with one of these keys, which began between two moments or a little before or after. */
export function findSaidByKeys(
	store: QueryStore,
	workspaceId: string,
	wanted: { viewKeys: readonly string[]; fromNs: bigint; toNs: bigint },
): Promise<SaidSpan[]> {
	if (wanted.viewKeys.length === 0) return Promise.resolve([])
	return select(
		store,
		workspaceId,
		`started_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') - INTERVAL 10 MINUTE AND started_at <= fromUnixTimestamp64Nano({to:Int64}, 'UTC') + INTERVAL 10 MINUTE
			AND hasAny(view_keys, arrayMap(key -> toUInt64(key), {keys:Array(String)}))`,
		{ keys: wanted.viewKeys, from: String(wanted.fromNs), to: String(wanted.toNs) },
	)
}

/** The last model calls of a session before a moment, in the order of time. */
export async function findSaidBefore(
	store: QueryStore,
	workspaceId: string,
	{ sessionId, beforeNs, limit }: { sessionId: string; beforeNs: bigint; limit: number },
): Promise<SaidSpan[]> {
	const found = await select(
		store,
		workspaceId,
		"session_id = {session:String} AND source = 'otlp' AND started_at < fromUnixTimestamp64Nano({before:Int64}, 'UTC')",
		{ session: sessionId, before: String(beforeNs) },
		{ order: 'started_at DESC', limit },
	)
	return found.reverse()
}

async function select(
	store: QueryStore,
	workspaceId: string,
	where: string,
	parameters: Record<string, unknown>,
	{ order, limit } = { order: 'started_at', limit: mostSpans },
): Promise<SaidSpan[]> {
	const found = await readStore(() =>
		store.query<StoredSaid>(
			`SELECT ${columns} FROM spans WHERE workspace_id = {workspace:String} AND kind = 'model_call' AND ${where}
			ORDER BY ${order}, trace_id, span_id LIMIT ${limit}`,
			{
				...parameters,
				workspace: workspaceId,
				said_names: saidKeys.names,
				said_prefixes: saidKeys.prefixes,
			},
		),
	)
	const spans: SaidSpan[] = []
	for (const row of found) {
		// A page of long conversations is much to read.
		await setImmediate()
		spans.push({
			traceId: row.trace,
			spanId: row.span,
			parentSpanId: row.parent,
			startNs: BigInt(row.start_ns),
			viewKeys: row.view,
			messages: messagesOfSpan(toAttributes(row.said, row.types), row.happened),
		})
	}
	return spans
}
