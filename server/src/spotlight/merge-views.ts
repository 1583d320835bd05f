import { keyStrengths } from '../telemetry/index.ts'

/** How far apart in time views of one call may begin, in nanoseconds. Together at most an hour: see `counted-calls.ts`. */
const reachNs = { trace: 2400e9, exact: 600e9, strong: 5e9 } as const
/** Clocks differ, and some count whole milliseconds. */
const longerByNs = 1_000_000
/** Of calls with the same key that lie beside each other in time, so many to each side are looked at. */
const beside = 8

/** Who saw a call, the one that counts last: client (1), server (2), gateway or model proxy (3). */
export const rankOf = "toUInt8(multiIf(source != 'otlp', 3, otlp_kind = 2, 2, 1))"
/** By rank; of views of one rank those that tell the usage of their model come before those that do not. */
const weightOf = `toUInt8(${rankOf} * 2 + (kind != 'model_call' OR usage_source IN ('reported', 'estimated')))`
/** Client, gateway, server: each call lies within the one before. */
const depthOf = (rank: string) => `multiIf(${rank} = 1, 0, ${rank} = 3, 1, 2)`
const isCall = "kind IN ('tool_call', 'model_call')"

/** Whether an ancestor `a` (span, rank, kind, tool, start, weight), with none too `far` below it, and a row are views of one call. */
const sameCall = `far = 0 AND a.1 != span_id AND a.3 = kind AND (kind = 'model_call' OR a.4 = tool_name OR a.4 = '' OR tool_name = ''
	OR endsWith(a.4, concat('__', tool_name)) OR endsWith(tool_name, concat('__', a.4)))`
/** For each ancestor how many up to it are too far away in time. */
const farBelow = `arrayCumSum(a -> abs(toUnixTimestamp64Nano(a.5) - toUnixTimestamp64Nano(started_at)) > ${reachNs.trace}, ancestors)`
const ancestor = (p: string) =>
	`(${p}.span_id, ${p}.rank, ${p}.kind, ${p}.tool_name, ${p}.started_at, ${p}.weight)`

/** Traces in which a call may have several views: with several calls, one of them an SDK's. */
const tracesWithViews = (
	near: string,
	which = '1',
) => `SELECT trace_id FROM spans WHERE ${near} AND ${isCall} AND ${which}
	GROUP BY trace_id HAVING count() > 1 AND countIf(source = 'otlp') > 0`
/** Keys that different sides of a call have, in several traces; `which` says which keys are looked at. */
const sharedKeys = (
	near: string,
	which = '1',
) => `SELECT key FROM spans ARRAY JOIN view_keys AS key WHERE ${near} AND ${isCall} AND ${which}
	GROUP BY key HAVING countIf(source = 'otlp') > 0 AND uniqExact(trace_id) > 1 AND uniqExact(${rankOf}) > 1`
const tracesWithKeys = (near: string) =>
	`SELECT trace_id FROM spans ARRAY JOIN view_keys AS key WHERE ${near} AND ${isCall} AND key IN (${sharedKeys(near)})`

/** One row if there may be views of one call in several traces: then `withHidden` has to look for them, which takes longer. */
export const findSharedKey = (near: string) => `SELECT 1 FROM (${sharedKeys(near)}) LIMIT 1`
/** The same of the keys that calls of certain traces, a SELECT, have. */
export const findKeySharedBy = (traces: string, near: string) => {
	const keys = `SELECT arrayJoin(view_keys) FROM spans WHERE ${near} AND ${isCall} AND trace_id IN (${traces})`
	return `SELECT 1 FROM (${sharedKeys(near, `key IN (${keys})`)}) LIMIT 1`
}

/** One row if a call of certain traces, a SELECT, is above another span: else none has further views in its trace, and nothing has to be joined. */
export const findCallWithChild = (traces: string, near: string) => {
	const calls = `SELECT trace_id, span_id FROM spans WHERE ${near} AND ${isCall} AND trace_id IN (${traces})`
	return `SELECT 1 FROM spans WHERE ${near} AND trace_id IN (${traces}) AND (trace_id, parent_span_id) IN (${calls}) LIMIT 1`
}

interface Choice {
	/** The spans to look at: a condition on where and when. */
	near: string
	/** A SELECT of the traces whose calls are looked at. */
	traces: string
	/** A SELECT of those of them in which a call may have several views. */
	withViews?: string
	/** The keys to compare by. */
	keys?: string
}

/** `lines`: each call with the views of it `above` in its trace, the nearest first, as (span, rank, weight). */
const withLines = ({ near, traces, withViews = tracesWithViews(near), keys = 'view_keys' }: Choice) => `WITH
	calls AS (
		SELECT trace_id, span_id, parent_span_id, kind, tool_name, started_at, ${rankOf} AS rank, ${weightOf} AS weight, ${keys} AS keys,
			if(status = 'interrupted', toInt64(-1), toInt64(duration_ns)) AS length_ns
		FROM spans WHERE ${near} AND ${isCall} AND trace_id IN (${traces})
	),
	links AS (
		SELECT trace_id, span_id, parent_span_id, kind, tool_name, started_at, ${rankOf} AS rank, ${weightOf} AS weight
		FROM spans WHERE ${near} AND trace_id IN (${withViews})
	),
	chains AS (
		SELECT s.trace_id AS trace_id, s.span_id AS span_id, s.kind AS kind, s.tool_name AS tool_name, s.rank AS rank, s.weight AS weight,
			s.started_at AS started_at, s.length_ns AS length_ns, s.keys AS keys,
			[${ancestor('p1')}, ${ancestor('p2')}, ${ancestor('p3')}] AS ancestors
		FROM calls AS s
		LEFT JOIN links AS p1 ON p1.trace_id = s.trace_id AND p1.span_id = s.parent_span_id
		LEFT JOIN links AS p2 ON p2.trace_id = s.trace_id AND p2.span_id = p1.parent_span_id
		LEFT JOIN links AS p3 ON p3.trace_id = s.trace_id AND p3.span_id = p2.parent_span_id
	),
	lines AS (
		SELECT trace_id, span_id, rank, weight, started_at, length_ns, keys,
			arrayMap(a -> (a.1, a.2, a.6), arrayFilter((a, far) -> ${sameCall}, ancestors, ${farBelow})) AS above
		FROM chains
	)`

/** Of a row of `lines`: the spans that are no more than further views of a call that counts, be it this row or one above. */
const hides = `arrayConcat(if(rank < 3 AND arrayExists(a -> a.3 >= weight, above), [span_id], []),
	arrayMap(a -> a.1, arrayFilter(a -> a.2 < 3 AND a.3 < weight, above)))`

/** What is below a server's or the gateway's view and is not a server's is inside of it, and no client's view. */
const ownBit = 'if(rank = 1 AND best > 1, toUInt8(0), bitShiftLeft(toUInt8(1), rank))'

/**
 * `WITH …` of `matches`: one row for each key of what a trace knows as one call, `leader` being its span that would count.
 * `hides` are spans that are views of it in its own trace, `partners` its views in other traces as (trace, leader, rank). The
 * rule in words: docs/spotlight.md.
 */
export const withMatches = (choice: Choice) => `${withLines(choice)},
	seen AS (
		SELECT *, arrayPushBack(arrayReverse(above), (span_id, rank, weight)) AS line, arrayMax(v -> v.2, line) AS best,
			arrayMax(v -> v.3, line) AS most
		FROM lines
	),
	known AS (
		SELECT trace_id, best, if(rank = 3, span_id, arrayFirst(v -> v.3 = most, line).1) AS leader,
			groupUniqArrayArrayIf(keys, rank = best) AS shared,
			groupBitOr(arrayFold((bits, v) -> bitOr(bits, bitShiftLeft(toUInt8(1), v.2)), above, ${ownBit})) AS ranks,
			groupUniqArrayArray(${hides}) AS hides,
			argMin((toUnixTimestamp64Nano(started_at), length_ns), (span_id != leader, started_at, span_id)) AS times
		FROM seen GROUP BY trace_id, leader, best
	),
	sights AS (
		SELECT trace_id, leader, best, ranks, hides, times.1 AS start_ns, times.2 AS length_ns, key FROM known
		ARRAY JOIN if(empty(shared), [bitAnd(cityHash64(trace_id, leader), bitNot(toUInt64(3)))], shared) AS key
	),
	neighbours AS (
		SELECT *, (start_ns, trace_id, leader) AS place,
			groupArray((trace_id, leader, best, ranks, start_ns, length_ns)) OVER (PARTITION BY key
				ORDER BY start_ns, trace_id, leader ROWS BETWEEN ${beside} PRECEDING AND ${beside} FOLLOWING) AS around
		FROM sights
	),
	reached AS (
		SELECT *, arrayFilter(o -> abs(o.5 - start_ns) <= if(bitAnd(key, 3) = ${keyStrengths.exact}, ${reachNs.exact}, ${reachNs.strong}), around) AS reached
		FROM neighbours
	),
	candidates AS (
		SELECT *, if(arrayCount(o -> (o.5, o.1, o.2) < place, reached) >= ${beside} OR arrayCount(o -> (o.5, o.1, o.2) > place, reached) >= ${beside}, [],
			arrayFilter(o -> o.1 != trace_id AND bitAnd(o.4, ranks) = 0 AND (bitAnd(key, 3) = ${keyStrengths.exact} OR ${holds}), reached)) AS candidates
		FROM reached
	),
	answers AS (
		SELECT *, arrayFilter(c -> arrayCount(d -> bitAnd(d.4, c.4) != 0, candidates) = 1, candidates) AS only FROM candidates
	),
	heard AS (
		SELECT trace_id, leader, best, hides, key, only,
			groupArray((trace_id, leader, arrayMap(c -> (c.1, c.2), only))) OVER (PARTITION BY key
				ORDER BY start_ns, trace_id, leader ROWS BETWEEN ${beside} PRECEDING AND ${beside} FOLLOWING) AS said
		FROM answers
	),
	matches AS (
		SELECT trace_id, leader, best, hides, key,
			arrayMap(c -> (c.1, c.2, c.3), arrayFilter(c -> arrayExists(a -> a.1 = c.1 AND a.2 = c.2 AND has(a.3, (trace_id, leader)), said), only)) AS partners
		FROM heard
	)`

/** Whether of a row and `o` the outer one lasts at least as long as the inner. */
const holds = `if(${depthOf('o.3')} < ${depthOf('best')}, o.6 < 0 OR length_ns <= o.6 + ${longerByNs}, length_ns < 0 OR o.6 <= length_ns + ${longerByNs})`

/**
 * `WITH …` of `hidden (trace_id, span_id)`: the spans that are a further view of a call that counts elsewhere, in their own
 * trace or, where `isAcross`, in another one.
 */
export const withHidden = (near: string, isAcross: boolean) =>
	isAcross
		? `${withMatches({ near, traces: `${tracesWithViews(near)} UNION ALL ${tracesWithKeys(near)}` })},
	hidden AS (
		SELECT trace_id, arrayJoin(arrayConcat(hides, if(arrayExists(p -> p.3 > best, partners), [leader], []))) AS span_id FROM matches
	)`
		: hiddenInTraces(near, tracesWithViews(near))
/** The same in their own trace alone, and of certain traces, a SELECT. */
export const withHiddenOf = (traces: string, near: string) =>
	hiddenInTraces(near, tracesWithViews(near, `trace_id IN (${traces})`))

const hiddenInTraces = (near: string, traces: string) => `${withLines({ near, traces, withViews: traces })},
	hidden AS (SELECT trace_id, arrayJoin(${hides}) AS span_id FROM lines)`
