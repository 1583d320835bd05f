import type { TimeRange } from '../../platform/time-range.ts'
import type { StoredOrigin } from '../otlp/origin.ts'
import { attributeConditions } from '../reads/attribute-conditions.ts'
import { type QueryStore, readStore } from '../reads/span-repository.ts'

export interface LogFilter {
	severity_min?: number
	service?: string
	event_name?: string
	text?: string
	trace_id?: string
	span_id?: string
	/** Matches either attribute that the conventions use for it. */
	session?: string
	attribute?: string[]
}

/** A row as the store returns it: 64-bit numbers as text. */
export interface StoredLog extends StoredOrigin {
	recorded_ns: string
	/** Distinguishes records of the same nanosecond; identical records share it. */
	hash: string
	time_unix_nano: string
	observed_time_unix_nano: string
	trace: string
	span: string
	flags: number
	severity_number: number
	severity_text: string
	event_name: string
	body: string
	body_type: string
	attributes: Record<string, string>
	attribute_types: Record<string, string>
	dropped_attributes: number
}

/** The keys and values of a list or map, which is stored as OTLP JSON: strings as JSON, numbers and booleans. */
const parts = String.raw`extractAll(body, '"(?:key|[a-z]+Value)":("(?:[^"\\\\]|\\\\.)*"|[^\\[{,}"]+)')`
const hasText = (of: string) => `positionCaseInsensitiveUTF8(${of}, {text:String}) > 0`

/** The condition of each filter. */
export const conditionOfLogs: Readonly<Record<Exclude<keyof LogFilter, 'attribute'>, string>> = {
	severity_min: 'severity_number >= {severity_min:UInt32}',
	service: 'service_name = {service:String}',
	event_name: 'event_name = {event_name:String}',
	text: `if(body_type IN ('array', 'kvlist'), arrayExists(part -> ${hasText(`if(startsWith(part, '"'), JSONExtractString(part), part)`)}, ${parts}),
		${hasText('body')})`,
	trace_id: 'trace_id = toFixedString(unhex({trace_id:String}), 16)',
	span_id: 'span_id = toFixedString(unhex({span_id:String}), 8)',
	session:
		"(attributes['session.id'] = {session:String} OR attributes['gen_ai.conversation.id'] = {session:String})",
}
const hash =
	'cityHash64(trace_id, span_id, body, attributes, resource, scope_name, event_name, severity_number, severity_text, observed_time_unix_nano)'

/** The columns of a SELECT that produce a `StoredLog`, except for its hash. */
export const storedLogColumns = `* EXCEPT (workspace_id, trace_id, span_id, recorded_at, stored_at), toString(toUnixTimestamp64Nano(recorded_at)) AS recorded_ns,
	lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span`

/**
 * Records of a time range after a position, newest first: at least `limit` if there are that many, together with all records
 * identical to the last one, so that no page begins among them.
 */
export function findLogs(
	store: QueryStore,
	workspaceId: string,
	wanted: {
		range: TimeRange
		filter: LogFilter
		after: { afterNs: string; afterHash: string } | null
		limit: number
	},
): Promise<StoredLog[]> {
	const { range, filter, after, limit } = wanted
	const { attribute, ...columns } = filter
	const attributes = attributeConditions(attribute)
	const given = Object.keys(columns) as (keyof typeof columns)[]
	return readStore(() =>
		store.query<StoredLog>(
			`SELECT ${storedLogColumns}, toString(${hash}) AS hash
			FROM logs WHERE workspace_id = {workspace:String}
				AND recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				${given.map((name) => `AND ${conditionOfLogs[name]}`).join(' ')} ${attributes.sql}
				${after ? `AND recorded_at <= ${placeTime} AND (recorded_at, ${hash}) < (${placeTime}, {after_hash:UInt64})` : ''}
			ORDER BY logs.recorded_at DESC, ${hash} DESC LIMIT {limit:UInt32} WITH TIES`,
			{
				...columns,
				...attributes.parameters,
				workspace: workspaceId,
				start: range.startMs,
				end: range.endMs,
				limit,
				...(after && { after_ns: after.afterNs, after_hash: after.afterHash }),
			},
		),
	)
}

const placeTime = "fromUnixTimestamp64Nano({after_ns:Int64}, 'UTC')"
