import { type Dimension, dimensions } from '../../../ledger/ledger.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import {
	type Exchange,
	findExchangesOf,
	isOneOfIds,
	parseLedger,
	readStore,
} from '../../../telemetry/index.ts'
import type { CallFilter } from '../call-filter.ts'
import type { QueryStore } from '../counted-calls.ts'
import { matchingCalls } from '../span-source.ts'
import {
	automaticBlock,
	automaticMinimum,
	automaticProviders,
	type Billed,
	type CachedCall,
	maxMinimum,
	minMissedTokens,
	type PromptCall,
} from './explain-miss.ts'

/** Identifies a call. */
export interface Place {
	traceId: string
	spanId: string
	startNs: bigint
}

/** A call that read less from the cache than its session had written. */
export interface SuspectCall extends Place {
	sessionId: string
}

interface Suspects {
	/** Number of calls in the range that can be examined. */
	calls: number
	/** How many of them are suspect. */
	suspects: number
	/** The ones that may have missed most. */
	found: SuspectCall[]
}

type StoredPlace = readonly [trace: string, span: string, startNs: string]

/** How many earlier calls of a session are read to find the one that a call continues. */
const maxEarlier = 20
/** How far before the range calls are read. */
const lookBackMs = 24 * 60 * 60 * 1000
const lookBackNs = BigInt(lookBackMs) * 1_000_000n

const between = (column: string, start: string) =>
	`${column} >= fromUnixTimestamp64Milli({${start}:Int64}, 'UTC') AND ${column} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
const all = 'input_tokens + cache_read_tokens + cache_write_tokens'

/** The SQL form of `leftInCache`. */
const left = `multiIf(cache_marks > 0 OR provider NOT IN {automatic:Array(String)}, toInt64(cache_read_tokens + cache_write_tokens),
	${all} < ${automaticMinimum}, toInt64(0), toInt64(${all} - (${all}) % ${automaticBlock}))`

/** Model calls of a range that may have missed the cache, at most `limit`. */
export async function findSuspects(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ filter, limit }: { filter: CallFilter; limit: number },
): Promise<Suspects> {
	const { startMs, endMs } = range
	const { sql, parameters } = await matchingCalls(store, workspaceId, range, filter)
	const [found] = await readStore(() =>
		store.query<{ calls: string; suspects: string; found: [string, ...StoredPlace, string][] }>(
			`WITH compared AS (
				SELECT asked, at, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, toString(toUnixTimestamp64Nano(at)) AS ns, session_id,
					least(max(${left}) OVER earlier_calls, toInt64(${all})) - toInt64(cache_read_tokens) AS missing,
					cache_marks > 0 AND cache_read_tokens + cache_write_tokens = 0 AND ${all} < ${maxMinimum} AND count() OVER earlier_calls > 0 AS in_vain
				FROM (SELECT * FROM exchanges WHERE workspace_id = {workspace:String} AND ${between('recorded_at', 'before')} AND session_id != ''
					AND session_id IN (SELECT session_id FROM exchanges WHERE workspace_id = {workspace:String} AND ${between('recorded_at', 'start')})) AS e
				INNER JOIN (SELECT trace_id, span_id, started_at AS at, provider, input_tokens, cache_read_tokens, cache_write_tokens, 1${sql} AS asked
					FROM spans WHERE workspace_id = {workspace:String} AND ${between('started_at', 'before')}
						AND source = 'model_proxy' AND kind = 'model_call' AND usage_source = 'reported') AS s
					ON e.trace_id = s.trace_id AND e.span_id = s.span_id
				WINDOW earlier_calls AS (PARTITION BY e.session_id ORDER BY at, trace_id, span_id ROWS BETWEEN ${maxEarlier} PRECEDING AND 1 PRECEDING)
			)
			SELECT toString(count()) AS calls, toString(countIf(missing >= ${minMissedTokens} OR in_vain) AS suspect) AS suspects,
				arraySlice(arrayReverseSort(s -> s.1, groupArrayIf((missing, trace, span, ns, session_id), missing >= ${minMissedTokens} OR in_vain)), 1, {limit:UInt32}) AS found
			FROM compared WHERE asked AND ${between('at', 'start')}`,
			{
				...parameters,
				...{ workspace: workspaceId, start: startMs, end: endMs, before: startMs - lookBackMs, limit },
				automatic: automaticProviders,
			},
		),
	)
	return {
		calls: Number(found?.calls ?? 0),
		suspects: Number(found?.suspects ?? 0),
		found: (found?.found ?? []).map(([_missing, trace, span, ns, sessionId]) => ({
			...toPlace([trace, span, ns]),
			sessionId,
		})),
	}
}

/** Those of these calls that were recorded with their prompts, by span id. */
export async function findPromptCalls(
	store: QueryStore,
	workspaceId: string,
	places: readonly Place[],
): Promise<Map<string, PromptCall>> {
	const [exchanges, calls] = await Promise.all([
		findExchangesOf(store, workspaceId, places),
		findCalls(store, workspaceId, places),
	])
	const prompts = new Map(exchanges.map((exchange) => [exchange.spanId, exchange]))
	return new Map(
		calls.flatMap((stored) => {
			const prompt = prompts.get(stored.span)
			return prompt ? [[stored.span, { ...toCachedCall(stored, prompt), parts: prompt.parts }]] : []
		}),
	)
}

async function findCalls(
	store: QueryStore,
	workspaceId: string,
	places: readonly Place[],
): Promise<StoredCall[]> {
	if (places.length === 0) return []
	const starts = places.map(({ startNs }) => startNs).sort((a, b) => (a < b ? -1 : 1))
	return readStore(() =>
		store.query<StoredCall>(
			`SELECT lower(hex(span_id)) AS span, toString(toUnixTimestamp64Nano(started_at)) AS start_ns, toString(duration_ns) AS duration,
				toString(time_to_first_token_ns) AS first_token, agent_id, agent_name, connection, attributes['signalbox.key_source'] AS key_source,
				provider, if(model != '', model, model_requested) AS served_model, ledger
			FROM spans WHERE workspace_id = {workspace:String} AND source = 'model_proxy' AND kind = 'model_call'
				AND usage_source = 'reported'
				AND started_at BETWEEN fromUnixTimestamp64Nano({first:Int64}, 'UTC') AND fromUnixTimestamp64Nano({last:Int64}, 'UTC')
				AND ${isOneOfIds('span_id', 'spans', 8)}`,
			{
				workspace: workspaceId,
				first: String(starts[0]),
				last: String(starts.at(-1)),
				spans: places.map(({ spanId }) => spanId),
			},
		),
	)
}

/**
 * The calls before each of these calls in its session, the latest first, by the span id of the call. Among them is the one that it
 * continues. One statement reads those of all calls: each costs far more to plan than to run.
 */
export async function findEarlier(
	store: QueryStore,
	workspaceId: string,
	calls: readonly SuspectCall[],
): Promise<Map<string, Place[]>> {
	const ofSessions = calls.filter(({ sessionId }) => sessionId !== '')
	if (ofSessions.length === 0) return new Map()
	const starts = ofSessions.map(({ startNs }) => startNs).sort((a, b) => (a < b ? -1 : 1))
	const found = await readStore(() =>
		store.query<{ session: string; trace: string; span: string; start_ns: string }>(
			`SELECT session_id AS session, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, toString(toUnixTimestamp64Nano(recorded_at)) AS start_ns
			FROM (
				SELECT session_id, trace_id, span_id, recorded_at, countIf(${isOneOfIds('span_id', 'spans', 8)}) OVER later_calls > 0 AS is_near
				FROM exchanges WHERE workspace_id = {workspace:String} AND session_id IN {sessions:Array(String)}
					AND recorded_at >= fromUnixTimestamp64Nano({before:Int64}, 'UTC')
					AND recorded_at <= fromUnixTimestamp64Nano({last:Int64}, 'UTC') + INTERVAL 1 MINUTE
				WINDOW later_calls AS (PARTITION BY session_id ORDER BY recorded_at, trace_id, span_id ROWS BETWEEN CURRENT ROW AND ${maxEarlier} FOLLOWING)
			) WHERE is_near ORDER BY session_id, recorded_at, trace_id, span_id`,
			{
				workspace: workspaceId,
				sessions: [...new Set(ofSessions.map(({ sessionId }) => sessionId))],
				spans: ofSessions.map(({ spanId }) => spanId),
				before: String((starts[0] ?? 0n) - lookBackNs),
				last: String(starts.at(-1)),
			},
		),
	)
	const places = found.map(({ trace, span, start_ns }) => toPlace([trace, span, start_ns]))
	const positions = new Map(found.map(({ session, span }, at) => [`${span} ${session}`, at]))
	return new Map(
		ofSessions.map(({ spanId, sessionId, startNs }) => {
			const at = positions.get(`${spanId} ${sessionId}`) ?? 0
			const isEarlier = (place: Place, before: number) =>
				found[before]?.session === sessionId &&
				place.startNs < startNs &&
				place.startNs >= startNs - lookBackNs
			const first = Math.max(0, at - maxEarlier)
			const earlier = places.slice(first, at).filter((place, index) => isEarlier(place, first + index))
			return [spanId, earlier.reverse()]
		}),
	)
}

/** Whether such a model call exists. Ids are 32 and 16 hex digits. */
export async function hasCall(
	store: QueryStore,
	workspaceId: string,
	traceId: string,
	spanId: string,
): Promise<boolean> {
	const found = await readStore(() =>
		store.query(
			`SELECT 1 FROM spans WHERE workspace_id = {workspace:String} AND trace_id = toFixedString(unhex({trace:String}), 16)
				AND span_id = toFixedString(unhex({span:String}), 8) AND kind = 'model_call' LIMIT 1`,
			{ workspace: workspaceId, trace: traceId, span: spanId },
		),
	)
	return found.length > 0
}

function toPlace([traceId, spanId, startNs]: StoredPlace): Place {
	return { traceId, spanId, startNs: BigInt(startNs) }
}

/** A call as the store returns it: 64-bit numbers are text. */
interface StoredCall {
	span: string
	start_ns: string
	duration: string
	first_token: string | null
	agent_id: string
	agent_name: string
	connection: string
	key_source: string
	provider: string
	served_model: string
	ledger: string
}

interface Line {
	dimension: string
	tokens: number
	costNanoUsd: bigint | null
	/** Including its factor. */
	rate: number | null
}

function toCachedCall(row: StoredCall, { traceId, sessionId, ...exchange }: Exchange): CachedCall {
	const lines = linesOf(row)
	const ofBucket = (bucket: string) => lines.filter(({ dimension }) => bucketOf(dimension) === bucket)
	const written = ofBucket('cacheWriteTokens')
	const seconds = written.map(({ dimension }) => lifeSeconds[dimension] ?? 300)
	return {
		traceId,
		spanId: row.span,
		startNs: BigInt(row.start_ns),
		untilAnswerNs: BigInt(row.first_token ?? row.duration),
		sessionId,
		agentId: row.agent_id,
		agentName: row.agent_name,
		connection: row.connection,
		keySource: row.key_source,
		provider: row.provider,
		model: row.served_model,
		cacheMarks: exchange.cacheMarks,
		cacheSeconds: exchange.cacheSeconds,
		read: billed(ofBucket('cacheReadTokens')),
		written: billed(written),
		rest: billed(ofBucket('inputTokens')),
		readRate: lines.find(({ dimension }) => dimension === 'cache_read')?.rate ?? null,
		shortestSeconds: seconds.length > 0 ? Math.min(...seconds) : 0,
		maxSeconds: Math.max(0, ...seconds),
	}
}

/** For how long a provider keeps what was written to its cache. */
const lifeSeconds: Readonly<Record<string, number>> = {
	cache_write_5m: 300,
	cache_write_30m: 1800,
	cache_write_1h: 3600,
	cache_write_12h: 43_200,
}

function bucketOf(dimension: string): string | null {
	return dimensions[dimension as Dimension]?.bucket ?? null
}

/** Ledger lines of the answer itself, because models that ran besides had prompts of their own. */
function linesOf(row: StoredCall): Line[] {
	return parseLedger(row.ledger)
		.filter(({ iteration }) => iteration === 0)
		.map(({ dimension, quantity, costNanoUsd, rate, factor }) => {
			const [numerator = 1, denominator = 1] = (factor || '1/1').split('/').map(Number)
			return {
				...{ dimension, tokens: quantity, costNanoUsd },
				rate: rate === null ? null : (rate * numerator) / denominator,
			}
		})
}

function billed(lines: readonly Line[]): Billed {
	const costs = lines.map(({ costNanoUsd }) => costNanoUsd)
	return {
		tokens: lines.reduce((sum, { tokens }) => sum + tokens, 0),
		costNanoUsd: costs.includes(null) ? null : costs.reduce<bigint>((sum, cost) => sum + (cost ?? 0n), 0n),
	}
}
