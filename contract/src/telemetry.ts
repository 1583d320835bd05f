import { type TProperties, Type } from 'typebox'
import { byScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { attributeFilter, conditionFilter } from './conditions.ts'
import { LedgerEntry } from './ledger-entry.ts'
import { moneyOrNull } from './money.ts'
import { componentWithin } from './openapi-schemas.ts'
import { operation } from './operation.ts'
import { Score } from './score.ts'
import { spanStatuses, spanStatusMeanings } from './span-status.ts'
import { ToolLink } from './tool-links.ts'

export const spanSources = ['otlp', 'gateway', 'model_proxy'] as const
export const spanKinds = ['tool_call', 'mcp', 'model_call', 'other'] as const
/** OTLP's SpanKind, by number. */
export const otlpSpanKinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const
/** The kinds of metric data. */
export const metricKinds = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'] as const

const HexId = (digits: number) => Type.String({ pattern: `^[0-9a-fA-F]{${digits}}$` })
/** Not a Record, because its pattern would exclude keys with a line break. */
export const AnyAttributes = Type.Unsafe<Record<string, unknown>>(
	Type.Object({}, { additionalProperties: true }),
)
export const OptionalText = Nullable(Type.String())
/** The parts of a trace that several programs recorded without a trace context between them. */
export const trace_ids = Type.Array(Type.String(), {
	description:
		'Ids of all traces joined with this one, including its own: they share a call, or a call of one requested a call of another. Any of the ids finds it',
})

/** A value in OTLP's JSON form. An empty value has no member. */
export interface OtlpAnyValue {
	stringValue?: string
	boolValue?: boolean
	intValue?: string
	doubleValue?: number | string
	bytesValue?: string
	arrayValue?: { values: OtlpAnyValue[] }
	kvlistValue?: { values: OtlpKeyValue[] }
}
export interface OtlpKeyValue {
	key: string
	value: OtlpAnyValue
}

/** Written as they are stored, so members that the schema does not know stay. */
const AsStored = <T extends TProperties>(properties: T, title: string, description?: string) =>
	Type.Object(properties, { additionalProperties: true, title, ...(description && { description }) })
const within = <T>(title: string) => Type.Unsafe<T>(componentWithin(title))

const KeyValue = AsStored(
	{
		key: Type.String(),
		value: AsStored(
			{
				stringValue: Type.Optional(Type.String()),
				boolValue: Type.Optional(Type.Boolean()),
				intValue: Type.Optional(Type.String({ description: 'A 64-bit integer as text' })),
				doubleValue: Type.Optional(
					Type.Union([Type.Number(), Type.String()], {
						description: 'A number; NaN, infinities and -0 as text',
					}),
				),
				bytesValue: Type.Optional(Type.String({ description: 'Base64' })),
				arrayValue: Type.Optional(
					AsStored({ values: Type.Array(within<OtlpAnyValue>('OtlpAnyValue')) }, 'OtlpArray'),
				),
				kvlistValue: Type.Optional(
					AsStored({ values: Type.Array(within<OtlpKeyValue>('OtlpKeyValue')) }, 'OtlpKeyValueList'),
				),
			},
			'OtlpAnyValue',
			"A value in OTLP's JSON form: one member, which names the type; none if the value is empty",
		),
	},
	'OtlpKeyValue',
)
const otlpAttributes = {
	attributes: Type.Optional(Type.Array(KeyValue)),
	droppedAttributesCount: Type.Optional(Type.Integer()),
}
// The order of the fields is that in which they are stored.
const SpanEvent = AsStored(
	{
		timeUnixNano: Type.String(),
		name: Type.String(),
		...otlpAttributes,
	},
	'SpanEvent',
	"In OTLP's JSON form; optional fields are left out when they have their default value",
)
const SpanLink = AsStored(
	{
		traceId: Type.String({ description: 'Hexadecimal; empty if the sender gave none' }),
		spanId: Type.String({ description: 'Hexadecimal; empty if the sender gave none' }),
		traceState: Type.Optional(Type.String()),
		...otlpAttributes,
		flags: Type.Optional(Type.Integer()),
	},
	'SpanLink',
	"In OTLP's JSON form; optional fields are left out when they have their default value",
)

export const Span = Strict(
	{
		trace_id: Type.String(),
		span_id: Type.String(),
		parent_span_id: OptionalText,
		name: Type.String(),
		source: OneOf(spanSources),
		kind: OneOf(spanKinds),
		status: OneOf(spanStatuses, { description: describeStatuses() }),
		status_message: Type.String(),
		error_type: OptionalText,
		started_at: Time,
		start_time_unix_nano: Type.String(),
		duration_ms: Type.Number(),
		duration_nano: Type.String(),
		service_name: OptionalText,
		agent: Nullable(Strict({ uuid: Type.String(), name: Type.String() }, { title: 'SpanAgent' })),
		agent_name: Nullable(
			Type.String({ description: 'May name one that is not registered, as given by the sender' }),
		),
		server: Nullable(Strict({ id: Type.String(), name: Type.String() }, { title: 'SpanServer' })),
		server_name: Nullable(
			Type.String({ description: 'May name one that is not registered, as given by the sender' }),
		),
		tool: OptionalText,
		mcp_method: OptionalText,
		session_id: OptionalText,
		user_id: OptionalText,
		client: OptionalText,
		connection: OptionalText,
		provider: OptionalText,
		model_requested: OptionalText,
		model: OptionalText,
		tokens: Strict(
			{
				input: Type.Integer(),
				cache_read: Type.Integer(),
				cache_write: Type.Integer(),
				output: Type.Integer(),
				reasoning: Type.Integer(),
			},
			{ title: 'Tokens', description: 'Exclusive buckets: they add up' },
		),
		usage_source: Nullable(OneOf(['reported', 'estimated', 'missing'])),
		...moneyOrNull('cost', 'Null: unpriced'),
		cost_source: Nullable(OneOf(['computed', 'reported'])),
		ledger: Type.Array(LedgerEntry),
		time_to_first_token_ms: Nullable(Type.Number()),
		http_status: Nullable(Type.Integer()),
		dialect: Nullable(Type.String({ description: "The conventions that the sender's attributes follow" })),
		mapper_version: Nullable(
			Type.Integer({
				description:
					'Version of the mapping from attributes to columns; null for records of Signalbox itself',
			}),
		),
		request_bytes: Type.Integer(),
		response_bytes: Type.Integer(),
		attributes: AnyAttributes,
		resource: AnyAttributes,
		events: Type.Array(SpanEvent),
		links: Type.Array(SpanLink),
		span_kind: OneOf(otlpSpanKinds, { description: "OpenTelemetry's kind of span" }),
		trace_state: Type.String(),
		flags: Type.Integer(),
		scope: Strict(
			{ name: Type.String(), version: Type.String(), schema_url: Type.String() },
			{ title: 'SpanScope' },
		),
		resource_schema_url: Type.String(),
		dropped: Strict(
			{ attributes: Type.Integer(), events: Type.Integer(), links: Type.Integer() },
			{ title: 'DroppedParts', description: 'Parts that the sender left out of the span' },
		),
	},
	{ title: 'Span' },
)

function describeStatuses(): string {
	return Object.entries(spanStatusMeanings)
		.map(([status, meaning]) => `\`${status}\`: ${meaning}`)
		.join(' ')
}

/** `start` and `end`: RFC 3339, or relative to now (`-24h`, `-15m`, `-7d`). */
export const rangeQuery = {
	start: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339 or relative: -15m, -24h, -7d' })),
	end: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339 or relative; default: now' })),
}
export const cursorQuery = {
	limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
	cursor: Type.Optional(Type.String({ maxLength: 400 })),
}

/** A stored log record. */
export const LogRecord = Strict(
	{
		recorded_at: Time,
		time_unix_nano: Nullable(Type.String({ description: 'As sent; null when the sender gave none' })),
		observed_time_unix_nano: OptionalText,
		trace_id: OptionalText,
		span_id: OptionalText,
		flags: Type.Integer(),
		severity_number: Type.Integer({ description: '1 to 24 as in OpenTelemetry; 0: unspecified' }),
		severity_text: Type.String(),
		event_name: OptionalText,
		body: Type.Unknown(),
		attributes: AnyAttributes,
		dropped_attributes: Type.Integer(),
		service_name: OptionalText,
		resource: AnyAttributes,
		resource_schema_url: Type.String(),
		scope: Strict(
			{
				name: Type.String(),
				version: Type.String(),
				attributes: AnyAttributes,
				schema_url: Type.String(),
			},
			{ title: 'LogScope' },
		),
	},
	{ title: 'LogRecord' },
)

const Metric = Strict(
	{
		name: Type.String(),
		kind: OneOf(metricKinds),
		unit: Type.String(),
		description: Type.String(),
		temporality: OneOf(['unspecified', 'delta', 'cumulative']),
		is_monotonic: Type.Boolean(),
		points: Type.Integer({ description: 'Data points in the time range' }),
		last_at: Time,
	},
	{ title: 'Metric' },
)

/** Pages of a list by name. A page is large, because everything in the range is grouped again for each page. */
export const namesQuery = {
	limit: Type.Integer({ minimum: 1, maximum: 1000, default: 1000 }),
	cursor: Type.Optional(Type.String({ maxLength: 1000 })),
}
export const pointFilters = {
	service: Type.Optional(Type.String({ maxLength: 256, description: 'Only from this `service.name`' })),
	attribute: attributeFilter,
}

export const spanFilters = {
	source: Type.Optional(OneOf(spanSources)),
	kind: Type.Optional(OneOf(spanKinds)),
	status: Type.Optional(OneOf(spanStatuses)),
	agent_uuid: Type.Optional(Type.String({ maxLength: 64 })),
	server_id: Type.Optional(Type.String({ maxLength: 64 })),
	credential_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only calls made with this key' })),
	tool: Type.Optional(Type.String({ maxLength: 256 })),
	session_id: Type.Optional(Type.String({ maxLength: 256 })),
	user_id: Type.Optional(Type.String({ maxLength: 256 })),
	service: Type.Optional(Type.String({ maxLength: 256, description: 'Only from this `service.name`' })),
	calls: Type.Optional(
		OneOf(['all', 'failed', 'counted', 'counted_failed'], {
			description:
				'Tool and model calls; `counted`: one row each; `failed`: failed, refused or without outcome',
		}),
	),
	provider: Type.Optional(
		Type.String({ maxLength: 256, description: 'Only calls to models of this provider' }),
	),
	model: Type.Optional(Type.String({ maxLength: 256, description: 'Only calls answered by this model' })),
	connection: Type.Optional(Type.String({ maxLength: 256, description: 'Only calls over this connection' })),
	client: Type.Optional(
		Type.String({ maxLength: 256, description: 'Only calls of this client program, `name/version`' }),
	),
	error_type: Type.Optional(Type.String({ maxLength: 256, description: 'Only calls with this error type' })),
	attribute: attributeFilter,
	filter: conditionFilter,
}
export const logFilters = {
	severity_min: Type.Optional(
		Type.Integer({
			minimum: 1,
			maximum: 24,
			description: 'Only records at least as severe: 9 is INFO, 13 WARN, 17 ERROR',
		}),
	),
	service: Type.Optional(Type.String({ maxLength: 256, description: 'Only from this `service.name`' })),
	event_name: Type.Optional(Type.String({ maxLength: 256, description: 'Only events with this name' })),
	text: Type.Optional(
		Type.String({
			minLength: 1,
			maxLength: 256,
			description: 'Only records whose body contains this, ignoring case',
		}),
	),
	trace_id: Type.Optional(HexId(32)),
	attribute: attributeFilter,
}

export const telemetryOperations = {
	logs: operation({
		id: 'telemetry.logs',
		method: 'GET',
		path: '/v1/telemetry/logs',
		summary: 'List log records, newest first',
		access: byScope('telemetry:read'),
		query: Strict({
			...rangeQuery,
			...cursorQuery,
			...logFilters,
		}),
		status: 200,
		response: Strict({ logs: Type.Array(LogRecord), next_cursor: OptionalText }, { title: 'LogList' }),
	}),
	metrics: operation({
		id: 'telemetry.metrics',
		method: 'GET',
		path: '/v1/telemetry/metrics',
		summary: 'List the metrics of a time range with their kinds and units, by name',
		access: byScope('telemetry:read'),
		query: Strict({ ...rangeQuery, ...namesQuery, ...pointFilters }),
		status: 200,
		response: Strict({ metrics: Type.Array(Metric), next_cursor: OptionalText }, { title: 'MetricList' }),
	}),
	spans: operation({
		id: 'telemetry.spans',
		method: 'GET',
		path: '/v1/telemetry/spans',
		summary: 'List spans, newest first',
		access: byScope('telemetry:read'),
		query: Strict({
			...rangeQuery,
			...cursorQuery,
			...spanFilters,
		}),
		status: 200,
		response: Strict({ spans: Type.Array(Span), next_cursor: OptionalText }, { title: 'SpanList' }),
	}),
	trace: operation({
		id: 'telemetry.trace',
		method: 'GET',
		path: '/v1/telemetry/traces/{trace_id}',
		summary: 'Get all spans of a trace',
		access: byScope('telemetry:read'),
		params: Strict({ trace_id: Type.String() }),
		query: Strict({
			limit: Type.Integer({ minimum: 1, maximum: 50_000, default: 10_000 }),
			cursor: Type.Optional(Type.String({ maxLength: 400 })),
		}),
		status: 200,
		response: Strict(
			{
				trace_id: HexId(32),
				trace_ids,
				spans: Type.Array(Span),
				scores: Type.Array(Score, {
					description: 'Scores of the trace and its calls, newest first, at most 1,000',
				}),
				tool_links: Type.Array(ToolLink, {
					description:
						'Tool uses that involve this trace, with the calls they caused, including calls in other traces. Covers the first 10 sessions',
				}),
				next_cursor: OptionalText,
			},
			{ title: 'Trace' },
		),
	}),
}
