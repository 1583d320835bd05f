import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { readStore, rollups } from '../../telemetry/index.ts'

/**
 * Names that an ancestor gives to the calls beneath it: many libraries say session, user, agent and tags once, on the root or
 * on the span of the agent. The nearest ancestor that says one counts, and what a call says itself counts before it. It is
 * decided when calls are read or rolled up, because an ancestor ends after its calls and so arrives after them.
 */

/** How long before its calls an ancestor may have begun; `near` is nearer, and finds all but the long ones. */
export const inheritedReachMs = rollups.longestReachS * 1000
/** Parents may form a circle: whoever sends them chooses the ids. */
const mostLevels = 100
/** Of so many traces the links are looked for by their ids, of more among all spans of the time. */
const mostTraces = 5000

const isCall = "kind IN ('tool_call', 'model_call')"
/** What we inferred is no name. */
const hasSession = "(session_id != '' AND NOT startsWith(session_id, 'inferred:'))"
const hasAgent = "(agent_id != '' OR agent_name != '')"

/** Attributes that say something about all that is beneath: tags, metadata and the name of the trace, in each dialect's words. */
const tagPrefixes = [
	...['langfuse.trace.', 'langfuse.release', 'langfuse.version', 'langfuse.environment'],
	...['traceloop.association.properties.', 'lmnr.association.properties.', 'ai.telemetry.metadata.'],
	...['ai.settings.context.', 'langsmith.metadata.', 'mastra.metadata.', 'gen_ai.agent.', 'gen_ai.workflow.'],
]
const tagKeys = ['tag.tags', 'metadata', 'logfire.tags', 'langsmith.span.tags', 'traceloop.workflow.name']
const isTag = `(k IN (${tagKeys.map((key) => `'${key}'`).join(', ')}) OR ${tagPrefixes.map((prefix) => `startsWith(k, '${prefix}')`).join(' OR ')})`
const tags = `mapFilter((k, v) -> ${isTag}, attributes)`

/** The calls whose names are asked for, and where ancestors of them are looked for: conditions on spans. */
export interface Beneath {
	calls: string
	/** All times at which there may be ancestors of them, and those at which long ones may have begun. */
	near: string
	far: string
	/** A SELECT of their traces, where it is of certain ones. */
	traces?: string
	/** For names of parameters. */
	of?: string
	/** Which kinds of spans are calls; tool calls and model calls unless said otherwise. */
	kinds?: string
	/** Whether tags are asked for, too. */
	withTags?: boolean
}

/** Spans that may say something about calls of some time. */
export const speaksOf = ({ near, far }: Pick<Beneath, 'near' | 'far'>) =>
	`(${near} OR ${rollups.isLong} AND ${far})`

/** That some of these calls have names from above, and how those are found; null where none has. */
export interface Inheritance {
	/** `SELECT trace_id, span_id, session, user, agent`, and `tags`, of calls. */
	names: string
	withTags: boolean
	parameters: Record<string, unknown>
}

/** Looks for traces with one of these calls that lacks a name which another span of the trace has. */
export async function findInheritance(
	store: Pick<TelemetryStore, 'query'>,
	beneath: Beneath,
	parameters: Record<string, unknown>,
): Promise<Inheritance | null> {
	const { calls, of = '', withTags = false, kinds = isCall } = beneath
	const isAsked = `${kinds} AND ${calls}`
	const lacks = (name: string) => `(countIf(${isAsked} AND NOT ${name}) > 0 AND countIf(${name}) > 0)`
	const names = [hasSession, "(user_id != '')", hasAgent].map(lacks)
	if (withTags) names.push(`countIf(${isAsked}) > 0 AND countIf(notEmpty(${tags})) > 0`)
	const which = beneath.traces === undefined ? '' : ` AND trace_id IN (${beneath.traces})`
	const sql = `SELECT lower(hex(trace_id)) AS trace, max(${rollups.isLong}) AS has_long FROM spans WHERE ${speaksOf(beneath)}${which}
		GROUP BY trace_id HAVING count() > 1 AND (${names.join(' OR ')}) LIMIT ${mostTraces + 1}`
	const found = await readStore(() => store.query<{ trace: string; has_long: number }>(sql, parameters))
	if (found.length === 0) return null
	const isMany = found.length > mostTraces
	const hasLong = isMany || found.some(({ has_long }) => has_long === 1)
	return {
		names: climb(beneath, isMany ? null : `${of}inherited`, hasLong),
		withTags,
		parameters: isMany ? {} : { [`${of}inherited`]: found.map(({ trace }) => trace) },
	}
}

/** `(SELECT …)` of spans whose calls have the names of their ancestors; to stand for the table. */
export function selectNamed(where: string, inheritance: Inheritance | null): string {
	if (!inheritance) return `(SELECT * FROM spans WHERE ${where})`
	const { names, withTags } = inheritance
	const isAgentless = "NOT (spans.agent_id != '' OR spans.agent_name != '')"
	return `(SELECT spans.* REPLACE (
			if(inherited.session = '', spans.session_id, inherited.session) AS session_id,
			if(spans.user_id = '', inherited.user, spans.user_id) AS user_id,
			if(${isAgentless}, inherited.agent.1, spans.agent_id) AS agent_id, if(${isAgentless}, inherited.agent.2, spans.agent_name) AS agent_name
			${withTags ? ', mapUpdate(inherited.tags, spans.attributes) AS attributes' : ''})
		FROM (SELECT * FROM spans WHERE ${where}) AS spans
		LEFT JOIN (${names}) AS inherited ON inherited.trace_id = spans.trace_id AND inherited.span_id = spans.span_id)`
}

/** From each call upwards, a level at a time, until every name is known or there is nothing above. */
function climb(beneath: Beneath, ids: string | null, hasLong: boolean): string {
	const { calls, near, far, traces, withTags, kinds = isCall } = beneath
	const which = ids === null ? traces : `SELECT toFixedString(unhex(arrayJoin({${ids}:Array(String)})), 16)`
	const ofTraces = which === undefined ? '' : ` AND trace_id IN (${which})`
	const tagged = (sql: string) => (withTags ? `, ${sql} AS tags` : '')
	const agent = '(toString(agent_id), agent_name)'
	const links = (where: string) =>
		`SELECT trace_id, span_id, parent_span_id, if(${hasSession}, session_id, '') AS session_id, user_id, ${agent} AS agent${tagged(tags)} FROM spans WHERE ${where}${ofTraces}`
	const long = hasLong ? ` UNION ALL ${links(`${rollups.isLong} AND ${far} AND NOT (${near})`)}` : ''
	const isNameless = `up.session = '' OR up.user = '' OR up.agent = ('', '')${withTags ? ' OR 1' : ''}`
	return `WITH RECURSIVE up AS (
		SELECT trace_id, span_id, parent_span_id, if(${hasSession}, session_id, '') AS session, user_id AS user, ${agent} AS agent, toUInt8(0) AS level${tagged("CAST(map(), 'Map(String, String)')")}
		FROM spans WHERE ${calls} AND ${kinds}${ofTraces}
		UNION ALL
		SELECT up.trace_id AS trace_id, up.span_id AS span_id, p.parent_span_id AS parent_span_id, if(up.session = '', p.session_id, up.session) AS session,
			if(up.user = '', p.user_id, up.user) AS user, if(up.agent = ('', ''), p.agent, up.agent) AS agent, toUInt8(up.level + 1) AS level${tagged('mapUpdate(p.tags, up.tags)')}
		FROM up INNER JOIN (${links(near)}${long}) AS p ON p.trace_id = up.trace_id AND p.span_id = up.parent_span_id
		WHERE up.level < ${mostLevels} AND (${isNameless})
	) SELECT trace_id, span_id, argMax(session, level) AS session, argMax(user, level) AS user, argMax(agent, level) AS agent${tagged('argMax(tags, level)')}
	FROM up GROUP BY trace_id, span_id`
}
