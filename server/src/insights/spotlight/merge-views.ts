import { keyStrengths, orderedKey } from '../../telemetry/index.ts'
import type { Inheritance } from './inherited-names.ts'

/** How far apart in time views of one call may begin, in nanoseconds. Together at most an hour: see `counted-calls.ts`. */
const reachNs = { trace: 2400e9, exact: 600e9, strong: 5e9, ordered: 120e9 } as const
/** Clocks differ, and some count whole milliseconds. */
const longerByNs = 1_000_000
/** By so much a view may begin before the one around it, or end after it. */
const looseByNs = 10_000_000
/** A view that is a moment alone, a log, comes so long after the call's end at most. */
const toldAfterNs = 5_000_000_000
/** Of calls with the same key that lie beside each other in time, so many to each side are looked at. */
const beside = 8

/** Who saw a call, the one that counts last: client (1), server (2), gateway or model proxy (3). */
export const rankOf = "toUInt8(multiIf(source != 'otlp', 3, otlp_kind = 2, 2, 1))"
/**
 * By rank; of views of one rank those that tell the usage of their model come before those that do not, and the provider's own
 * client, which has read the answer, before what is built upon it.
 */
const weightOf = `toUInt8(${rankOf} * 4 + 2 * (kind != 'model_call' OR usage_source IN ('reported', 'estimated')) + match(scope_name, '^com\\\\.(anthropic|openai)\\\\.'))`
/** Client, gateway, server: each call lies within the one before. */
const depthOf = (rank: string) => `multiIf(${rank} = 1, 0, ${rank} = 3, 1, 2)`
const isCall = "kind IN ('tool_call', 'model_call')"
/** What was asked of MCP servers beside tool calls: read when it is asked for alone, and in no rollup. */
export const isRequest = "kind = 'mcp'"
/** What tells calls of one kind apart, under the name of the tool's column: the tool, or the method. */
const subjectOf = "if(kind = 'mcp', mcp_method, tool_name) AS tool_name"

/** Whose call a view says it is: how its session is known – 0 not, 1 inferred by us, 2 as the gateway's own, 3 named –, then who. */
const namesOf = `(toUInt8(multiIf(session_id = '', 0, startsWith(session_id, 'inferred:'), 1, source = 'gateway', 2, 3)), session_id, user_id, toString(agent_id), agent_name)`
/** The same of a call `s` with what it has from above. */
const namesFromAbove = `(if(s.names.1 < 2 AND inherited.session != '', toUInt8(3), s.names.1), if(s.names.1 < 2 AND inherited.session != '', inherited.session, s.names.2),
	if(s.names.3 = '', inherited.user, s.names.3), if(s.names.4 = '' AND s.names.5 = '', inherited.agent.1, s.names.4), if(s.names.4 = '' AND s.names.5 = '', inherited.agent.2, s.names.5))`
/** Of a list of names, the first that is best known. */
const bestNames = (list: string) => {
	const firstOf = (n: number) => `arrayFirst(n -> n.${n} != '', ${list}).${n}`
	return `(arrayMax(n -> n.1, ${list}), arrayFirst(n -> n.1 = arrayMax(m -> m.1, ${list}), ${list}).2, ${firstOf(3)}, ${firstOf(4)}, ${firstOf(5)})`
}

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
	kinds = isCall,
) => `SELECT trace_id FROM spans WHERE ${near} AND ${kinds} AND ${which}
	GROUP BY trace_id HAVING count() > 1 AND countIf(source = 'otlp') > 0`
/** Of keys that say little only those count that come within this time, in seconds, from two who record calls. */
const togetherS = reachNs.ordered / 1e9
/**
 * Keys that different sides of a call have, in several traces, or that several libraries have of one; `which` says which keys are
 * looked at.
 */
const sharedKeys = (near: string, which = '1') => `SELECT key FROM spans ARRAY JOIN view_keys AS key
	WHERE ${near} AND ${isCall} AND ${which}
	GROUP BY key, arrayJoin(if(bitAnd(key, 3) = ${orderedKey}, [intDiv(toUnixTimestamp(started_at), ${togetherS}), intDiv(toUnixTimestamp(started_at), ${togetherS}) + 1], [0])) AS about
	HAVING countIf(source = 'otlp') > 0 AND if(any(kind) = 'model_call' OR bitAnd(key, 3) = ${orderedKey}, uniqExact(source, scope_name) > 1, uniqExact(trace_id) > 1 AND uniqExact(${rankOf}) > 1)`
const tracesWithKeys = (near: string) =>
	`SELECT trace_id FROM spans ARRAY JOIN view_keys AS key WHERE ${near} AND ${isCall} AND key IN (${sharedKeys(near)})`

/** One row if there may be views of one call in several traces: then `withMerged` has to look for them, which takes longer. */
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
	/** What the calls have from above. */
	inheritance?: Inheritance | null
	/** A condition on their kinds. */
	kinds?: string
}

/** What is below a server's or the gateway's view and is not a server's is inside of it, and no client's view. */
const ownBit = 'if(rank = 1 AND best > 1, toUInt8(0), bitShiftLeft(toUInt8(1), rank))'

/**
 * `WITH …` of `known`: one row for what each trace knows as one call. `leader` is the span that would count, `hides` are its other
 * views, `best` is its rank, `ranks` are the sides that saw it, as bits, and `names` is what all of them know of whose it is.
 */
const withKnown = ({
	near,
	traces,
	withViews = tracesWithViews(near),
	keys = 'view_keys',
	inheritance,
	kinds = isCall,
}: Choice) => `WITH
	calls AS (
		SELECT trace_id, span_id, parent_span_id, kind, ${subjectOf}, started_at, ${rankOf} AS rank, ${weightOf} AS weight, ${keys} AS keys,
			scope_name, ${namesOf} AS names, if(status = 'interrupted', toInt64(-1), toInt64(duration_ns)) AS length_ns
		FROM spans WHERE ${near} AND ${kinds} AND trace_id IN (${traces})
	),
	links AS (
		SELECT trace_id, span_id, parent_span_id, kind, ${subjectOf}, started_at, ${rankOf} AS rank, ${weightOf} AS weight
		FROM spans WHERE ${near} AND trace_id IN (${withViews})
	),
	chains AS (
		SELECT s.trace_id AS trace_id, s.span_id AS span_id, s.kind AS kind, s.tool_name AS tool_name, s.rank AS rank, s.weight AS weight,
			s.started_at AS started_at, s.length_ns AS length_ns, s.keys AS keys, ${inheritance ? namesFromAbove : 's.names'} AS names, s.scope_name AS scope,
			[${ancestor('p1')}, ${ancestor('p2')}, ${ancestor('p3')}] AS ancestors
		FROM calls AS s
		LEFT JOIN links AS p1 ON p1.trace_id = s.trace_id AND p1.span_id = s.parent_span_id
		LEFT JOIN links AS p2 ON p2.trace_id = s.trace_id AND p2.span_id = p1.parent_span_id
		LEFT JOIN links AS p3 ON p3.trace_id = s.trace_id AND p3.span_id = p2.parent_span_id ${inheritance ? `LEFT JOIN (${inheritance.names}) AS inherited ON inherited.trace_id = s.trace_id AND inherited.span_id = s.span_id` : ''}
	),
	lines AS (
		SELECT * EXCEPT (ancestors), arrayMap(a -> (a.1, a.2, a.6), arrayFilter((a, far) -> ${sameCall}, ancestors, ${farBelow})) AS above FROM chains
	),
	seen AS (
		SELECT *, arrayPushBack(arrayReverse(above), (span_id, rank, weight)) AS line FROM lines
	),
	ranked AS (
		SELECT *, arrayMax(v -> v.2, line) AS best, arrayMax(v -> v.3, line) AS most FROM seen
	),
	sided AS (
		SELECT * EXCEPT (above), arrayFirst(v -> v.3 = most, line).1 AS first, arrayFold((bits, v) -> bitOr(bits, bitShiftLeft(toUInt8(1), v.2)), above, ${ownBit}) AS ranks FROM ranked
	),
	members AS (
		SELECT trace_id, member.1 AS span, if(any(member.2) = 3, span, argMax(if(member.1 = span_id OR member.3 < weight, first, member.1) AS counts, (counts != member.1, most, first))) AS leader,
			anyIf((kind, rank, weight, keys, names, scope, ranks, toUnixTimestamp64Nano(started_at), length_ns, rank = best), span_id = span) AS own
		FROM sided ARRAY JOIN line AS member GROUP BY trace_id, span
	),
	grouped AS (
		SELECT trace_id, leader, any(own.1) AS kind, max(own.2) AS best, groupBitOr(own.7) AS ranks, groupArrayIf(span, span != leader) AS hides,
			if(kind = 'model_call', groupUniqArrayArray(own.4), groupUniqArrayArrayIf(own.4, own.10)) AS shared,
			anyIf((own.3, own.6, own.8, own.9), span = leader) AS lead, groupUniqArray(own.6) AS scopes,
			arrayMap(n -> n.2, arraySort(n -> n.1, groupArray((span != leader, own.5)))) AS all_names
		FROM members GROUP BY trace_id, leader
	),
	known AS (SELECT * EXCEPT (all_names), ${bestNames('all_names')} AS names FROM grouped)`

const strength = 'bitAnd(key, 3)'
/** As far as `around` says it: (trace, leader, rank, ranks, start, length, weight, scope, scopes of its other views, is known by an id). */
const place = '(o.5, o.1, o.2)'
const endOf = (row: string) => `(${row}.5 + greatest(${row}.6, 0))`
/** Whether a view `a` lies within `b`, or is a log of what `b` has been. */
const within = (a: string, b: string) =>
	`(${a}.5 >= ${b}.5 - ${looseByNs} AND ${endOf(a)} <= ${endOf(b)} + if(${a}.6 = 0, ${toldAfterNs}, ${looseByNs}))`
const together = (a: string, b: string) => `(${within(a, b)} OR ${within(b, a)})`
/** Whether `o` is of a better view than the row, which has none of the row's library: of a side that counts before it, or in the same trace. */
const isBetter = `(NOT has(o.9, self.8) AND (o.3 > self.3 OR o.3 = self.3 AND o.1 = self.1 AND (o.7, -o.5, o.6, o.2) > (self.7, -self.5, self.6, self.2)))`
/** Whether `o` has the same claims as the row, and was there first. */
const isRival = `(o.3 = self.3 AND o.8 = self.8 AND NOT o.10 AND ${place} < place AND arrayExists(c -> ${together('o', 'c')}, better))`

/**
 * `WITH …` of `matches`: one row for each key of what a trace knows as one call, `leader` being its span that would count.
 * `hides` are spans that are views of it in its own trace, `partners` its views in other traces or by other libraries as (trace,
 * leader, rank), `counted` the one that counts in its place, if there is one, and `is_unsure` whether it is known which of several
 * that is. The rule in words: docs/spotlight.md.
 */
export const withMatches = (choice: Choice) => `${withKnown(choice)},
	sights AS (
		SELECT trace_id, leader, best, ranks, hides, names, scopes, lead.1 AS weight, lead.2 AS scope, lead.3 AS start_ns, lead.4 AS length_ns, key,
			kind = 'model_call' AND ${strength} = ${keyStrengths.exact} AS is_id
		FROM known ARRAY JOIN if(empty(shared), [bitAnd(cityHash64(trace_id, leader), bitNot(toUInt64(3)))], shared) AS key
	),
	named AS (
		SELECT * EXCEPT (scopes), first_value((trace_id, leader, best)) OVER by_key AS first, is_id AND count() OVER by_key > 1 AS has_twin,
			if(is_id, groupUniqArrayArray(scopes) OVER by_key, scopes) AS scopes FROM sights
		WINDOW by_key AS (PARTITION BY key ORDER BY weight DESC, start_ns, length_ns DESC, leader ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
	),
	joined AS (
		SELECT * EXCEPT (scopes), max(has_twin) OVER by_call AS is_joined, groupUniqArrayArray(scopes) OVER by_call AS scopes FROM named
		WINDOW by_call AS (PARTITION BY trace_id, leader)
	),
	selves AS (
		SELECT * EXCEPT (scopes), (trace_id, leader, best, ranks, start_ns, length_ns, weight, scope, scopes, is_joined) AS self, (start_ns, trace_id, leader) AS place FROM joined
	),
	neighbours AS (
		SELECT *, groupArray(self) OVER (PARTITION BY key
			ORDER BY start_ns, trace_id, leader ROWS BETWEEN ${beside} PRECEDING AND ${beside} FOLLOWING) AS around FROM selves
	),
	reached AS (
		SELECT * EXCEPT (around), arrayFilter(o -> abs(o.5 - start_ns) <= multiIf(${strength} = ${keyStrengths.exact}, ${reachNs.exact}, ${strength} = ${orderedKey}, ${reachNs.ordered}, ${reachNs.strong}), around) AS reached
		FROM neighbours
	),
	candidates AS (
		SELECT *, if(${strength} = ${orderedKey} OR is_id OR arrayCount(o -> ${place} < place, reached) >= ${beside} OR arrayCount(o -> ${place} > place, reached) >= ${beside}, [],
			arrayFilter(o -> o.1 != trace_id AND bitAnd(o.4, ranks) = 0 AND (${strength} = ${keyStrengths.exact} OR ${holds}), reached)) AS candidates,
			if(${strength} = ${orderedKey} AND best < 3 AND NOT is_joined, arrayFilter(o -> ${isBetter} AND ${together('o', 'self')}, reached), []) AS better
		FROM reached
	),
	rivals AS (SELECT *, if(empty(better), [], arrayFilter(o -> ${isRival}, reached)) AS rivals FROM candidates),
	claims AS (
		SELECT * EXCEPT (rivals), length(rivals) AS before, if(empty(rivals), better, arrayFilter(o -> ${isBetter} AND (${together('o', 'self')} OR arrayExists(r -> ${together('o', 'r')}, rivals)), reached))[before + 1] AS claimed
		FROM rivals
	),
	answers AS (
		SELECT * EXCEPT (candidates, reached, before, self, place, claimed), multiIf(is_id, arrayFilter(o -> o.1 != trace_id OR o.2 != leader, reached), ${strength} = ${orderedKey}, if(claimed.3 = 0, [], [claimed]),
			arrayFilter(c -> arrayCount(d -> bitAnd(d.4, c.4) != 0, candidates) = 1, candidates)) AS only FROM claims
	),
	heard AS (
		SELECT *, groupArray((trace_id, leader, best, arrayMap(c -> (c.1, c.2), only))) OVER (PARTITION BY key
				ORDER BY start_ns, trace_id, leader ROWS BETWEEN ${beside} PRECEDING AND ${beside} FOLLOWING) AS said
		FROM answers
	),
	mutuals AS (
		SELECT * EXCEPT (said), arrayFilter(a -> has(a.4, (trace_id, leader)), said) AS claims FROM heard
	),
	agreed AS (
		SELECT *, arrayMap(c -> (c.1, c.2, c.3), if(${strength} = ${orderedKey}, only, arrayFilter(c -> arrayExists(a -> a.1 = c.1 AND a.2 = c.2, claims), only))) AS mutual FROM mutuals
	),
	matches AS (
		SELECT trace_id, leader, best, hides, key, names,
			if(${strength} = ${orderedKey}, arrayConcat(mutual, arrayMap(a -> (a.1, a.2, a.3), claims)), mutual) AS partners,
			multiIf(is_id, if(best < 3 AND (first.1, first.2) != (trace_id, leader) AND has_twin, [first], []), ${strength} = ${orderedKey}, mutual, arrayFilter(p -> p.3 > best, mutual)) AS counted,
			${strength} = ${orderedKey} AND length(better) > 1 AS is_unsure
		FROM agreed
	)`

/** Whether of a row and `o` the outer one lasts at least as long as the inner. */
const holds = `if(${depthOf('o.3')} < ${depthOf('best')}, o.6 < 0 OR length_ns <= o.6 + ${longerByNs}, length_ns < 0 OR o.6 <= length_ns + ${longerByNs})`

const nobody = "(toUInt8(0), '', '', '', '')"
/** What one row says of its own trace's spans: (trace, span, whether it counts elsewhere, names, not by itself). */
const ownSpans = (isHidden: string) =>
	`arrayPushBack(arrayMap(h -> (trace_id, h, toUInt8(1), ${nobody}, toUInt8(0)), hides), (trace_id, leader, toUInt8(${isHidden}), names, toUInt8(0)))`
/** `merged (trace_id, span_id, is_hidden, names)` of rows of `from`; what a view says by itself comes before what another one says. */
const mergedOf = (spans: string, from: string) => `told AS (
		SELECT view.1 AS trace_id, view.2 AS span_id, max(view.3) AS is_hidden,
			arrayMap(n -> n.2, arraySort(n -> n.1, groupUniqArray((view.5, view.4)))) AS all_names
		FROM (SELECT arrayJoin(${spans}) AS view FROM ${from}) GROUP BY trace_id, span_id
	),
	merged AS (SELECT trace_id, span_id, is_hidden, ${bestNames('all_names')} AS names FROM told)`

/**
 * `WITH …` of `merged`: the spans that are a further view of a call that counts elsewhere (`is_hidden`), in their own trace or,
 * where `isAcross`, in another one; and what is known of whose call each other one is.
 */
export const withMerged = (near: string, isAcross: boolean, inheritance: Inheritance | null) =>
	isAcross
		? `${withMatches({ near, traces: `${tracesWithViews(near)} UNION ALL ${tracesWithKeys(near)}`, inheritance })},
	${mergedOf(`arrayConcat(${ownSpans('notEmpty(counted)')}, arrayMap(c -> (c.1, c.2, toUInt8(0), names, toUInt8(1)), counted))`, 'matches')}`
		: mergedInTraces(near, tracesWithViews(near))
/** The same of requests beside tool calls, which have no keys. */
export const withMergedRequests = (near: string) =>
	mergedInTraces(near, tracesWithViews(near, '1', isRequest), isRequest)
/** The same in their own trace alone, and of certain traces, a SELECT. */
export const withMergedOf = (traces: string, near: string) =>
	mergedInTraces(near, tracesWithViews(near, `trace_id IN (${traces})`))

// What is above views of one trace is above the one that counts, too.
const mergedInTraces = (
	near: string,
	traces: string,
	kinds = isCall,
) => `${withKnown({ near, traces, withViews: traces, kinds })},
	${mergedOf(ownSpans('0'), 'known')}`

/** Of `spans`, something to select from, those that are no further views, with what is known of whose calls they are; for `FROM`. */
export const countedSpans = (spans: string) => `(
		SELECT spans.* REPLACE (
			if(merged.names.1 > 1 OR spans.session_id = '', merged.names.2, spans.session_id) AS session_id,
			if(merged.names.3 != '', merged.names.3, spans.user_id) AS user_id,
			toLowCardinality(if(merged.names.4 != '', merged.names.4, toString(spans.agent_id))) AS agent_id,
			if(merged.names.5 != '', merged.names.5, spans.agent_name) AS agent_name
		) FROM ${spans} AS spans LEFT JOIN merged ON merged.trace_id = spans.trace_id AND merged.span_id = spans.span_id
		WHERE NOT merged.is_hidden
	) AS spans`
