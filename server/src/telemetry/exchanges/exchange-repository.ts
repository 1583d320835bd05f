import { isOneOfIds } from '../columns.ts'
import { type QueryStore, readStore } from '../reads/span-repository.ts'
import type { CarriedResult, Exchange, ExchangePart, ToolUse } from './exchange.ts'

/** A row as the store returns it. */
interface StoredExchange {
	trace: string
	span: string
	start_ns: string
	session_id: string
	user_id: string
	part_kind: ExchangePart['kind'][]
	part_name: string[]
	part_hashes: string[]
	part_bytes: number[]
	tool_use_id: string[]
	tool_use_name: string[]
	tool_use_hashes: string[]
	result_id: string[]
	result_name: string[]
	result_bytes: number[]
	part_weight: number[]
	result_part: number[]
	cache_marks: number
	cache_seconds: number
}

const hexOf = (column: string) => `arrayMap(h -> lower(hex(h)), ${column})`
const columns = `lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, toString(toUnixTimestamp64Nano(recorded_at)) AS start_ns,
	session_id, user_id, part_kind, part_name, ${hexOf('part_hash')} AS part_hashes, part_bytes, tool_use_id, tool_use_name,
	${hexOf('tool_use_arguments')} AS tool_use_hashes, result_id, result_name, result_bytes, part_weight, result_part, cache_marks, cache_seconds`

/** The exchanges of one span. Ids are 32 and 16 hex digits. */
export async function findExchange(
	store: QueryStore,
	workspaceId: string,
	traceId: string,
	spanId: string,
): Promise<Exchange | null> {
	const found = await select(
		store,
		workspaceId,
		'trace_id = toFixedString(unhex({trace:String}), 16) AND span_id = toFixedString(unhex({span:String}), 8) ORDER BY recorded_at LIMIT 1',
		{ trace: traceId, span: spanId },
	)
	return found[0] ?? null
}

/** The exchanges of spans that began in a range, in any order. The time of an exchange may differ slightly from that of its span. */
export function findExchangesOf(
	store: QueryStore,
	workspaceId: string,
	spans: readonly { traceId: string; spanId: string; startNs: bigint }[],
): Promise<Exchange[]> {
	if (spans.length === 0) return Promise.resolve([])
	const starts = spans.map(({ startNs }) => startNs).sort((a, b) => (a < b ? -1 : 1))
	return select(
		store,
		workspaceId,
		`recorded_at >= fromUnixTimestamp64Nano({first:Int64}, 'UTC') - INTERVAL 1 DAY AND recorded_at <= fromUnixTimestamp64Nano({last:Int64}, 'UTC') + INTERVAL 1 DAY
			AND (lower(hex(trace_id)), lower(hex(span_id))) IN (SELECT arrayJoin(arrayZip({traces:Array(String)}, {spans:Array(String)})))
			AND ${isOneOfIds('trace_id', 'traces')}`,
		{
			first: String(starts[0]),
			last: String(starts.at(-1)),
			traces: spans.map(({ traceId }) => traceId),
			spans: spans.map(({ spanId }) => spanId),
		},
	)
}

/** The last exchanges of a session before a time, in chronological order. */
export async function findExchangesBefore(
	store: QueryStore,
	workspaceId: string,
	{ sessionId, beforeNs, limit }: { sessionId: string; beforeNs: bigint; limit: number },
): Promise<Exchange[]> {
	const found = await select(
		store,
		workspaceId,
		`session_id = {session:String} AND recorded_at < fromUnixTimestamp64Nano({before:Int64}, 'UTC')
		ORDER BY recorded_at DESC LIMIT {limit:UInt32}`,
		{ session: sessionId, before: String(beforeNs), limit },
	)
	return found.reverse()
}

async function select(
	store: QueryStore,
	workspaceId: string,
	rest: string,
	parameters: Record<string, unknown>,
): Promise<Exchange[]> {
	const found = await readStore(() =>
		store.query<StoredExchange>(
			`SELECT ${columns} FROM exchanges WHERE workspace_id = {workspace:String} AND ${rest}`,
			{ ...parameters, workspace: workspaceId },
		),
	)
	return found.map((row) => toExchange(workspaceId, row))
}

/** The texts stored under these hashes of 32 hex digits. */
export async function findTexts(
	store: QueryStore,
	workspaceId: string,
	{ parts, startNs }: Pick<Exchange, 'parts' | 'startNs'>,
): Promise<Map<string, string>> {
	const found = await readStore(() =>
		store.query<{ hash_hex: string; text: string }>(
			`SELECT lower(hex(hash)) AS hash_hex, text FROM messages
			WHERE workspace_id = {workspace:String} AND ${isOneOfIds('hash', 'hashes')}
				AND toDate(recorded_at) = toDate(fromUnixTimestamp64Nano({start:Int64}, 'UTC'))
			LIMIT 1 BY hash`,
			{ workspace: workspaceId, start: String(startNs), hashes: [...new Set(parts.map(({ hash }) => hash))] },
		),
	)
	return new Map(found.map(({ hash_hex, text }) => [hash_hex, text]))
}

/** The beginnings of texts stored between two times, by hash. */
export async function findTextStarts(
	store: QueryStore,
	workspaceId: string,
	wanted: { hashes: readonly string[]; fromNs: bigint; toNs: bigint; characters: number },
): Promise<Map<string, { text: string; cut: boolean }>> {
	if (wanted.hashes.length === 0) return new Map()
	const found = await readStore(() =>
		store.query<{ hash_hex: string; start: string; cut: number }>(
			`SELECT lower(hex(hash)) AS hash_hex, substringUTF8(text, 1, {characters:UInt32}) AS start,
				toUInt8(lengthUTF8(text) > {characters:UInt32}) AS cut FROM messages
			WHERE workspace_id = {workspace:String} AND ${isOneOfIds('hash', 'hashes')}
				AND toDate(recorded_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
				AND toDate(recorded_at) <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC')) + 1
			LIMIT 1 BY hash`,
			{
				workspace: workspaceId,
				hashes: wanted.hashes,
				characters: wanted.characters,
				from: String(wanted.fromNs),
				to: String(wanted.toNs),
			},
		),
	)
	return new Map(found.map(({ hash_hex, start, cut }) => [hash_hex, { text: start, cut: cut === 1 }]))
}

function toExchange(workspaceId: string, row: StoredExchange): Exchange {
	return {
		workspaceId,
		traceId: row.trace,
		spanId: row.span,
		startNs: BigInt(row.start_ns),
		sessionId: row.session_id,
		userId: row.user_id,
		parts: row.part_kind.map((kind, i) => ({
			kind,
			name: row.part_name[i] as string,
			hash: row.part_hashes[i] as string,
			bytes: row.part_bytes[i] as number,
			weight: row.part_weight[i] ?? (row.part_bytes[i] as number),
		})),
		toolUses: row.tool_use_id.map(
			(id, i): ToolUse => ({
				id,
				name: row.tool_use_name[i] as string,
				argumentsHash: (row.tool_use_hashes[i] as string).replace(/^0+$/, ''),
			}),
		),
		results: row.result_id.map(
			(id, i): CarriedResult => ({
				id,
				name: row.result_name[i] as string,
				bytes: row.result_bytes[i] as number,
				part: row.result_part[i] ?? 0,
			}),
		),
		cacheMarks: row.cache_marks,
		cacheSeconds: row.cache_seconds,
	}
}
