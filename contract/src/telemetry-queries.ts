import { Type } from 'typebox'
import { byScope, operators } from './access.ts'
import { MapOf, Nullable, OneOf, Strict, Time } from './common.ts'
import { attributeFilter } from './conditions.ts'
import { operation } from './operation.ts'
import { RecorderState } from './recorder-state.ts'
import { Facet } from './spotlight.ts'
import {
	cursorQuery,
	logFilters,
	metricKinds,
	namesQuery,
	OptionalText,
	pointFilters,
	rangeQuery,
	spanFilters,
	trace_ids,
} from './telemetry.ts'
import { ToolLink } from './tool-links.ts'

const access = byScope('telemetry:read')

const TraceSummary = Strict(
	{
		trace_id: Type.String(),
		name: Type.String({ description: 'Name of the span without a parent, otherwise of the first span' }),
		started_at: Time,
		duration_ms: Type.Number({ description: 'Time from the first start to the last end' }),
		spans: Type.Integer(),
		errors: Type.Integer({ description: 'Number of spans that failed, were refused or have no outcome' }),
		services: Type.Array(Type.String(), { description: 'At most 20' }),
		session_id: OptionalText,
		user_id: OptionalText,
		trace_ids,
	},
	{ title: 'TraceSummary' },
)

const TelemetryResource = Strict(
	{
		service_name: OptionalText,
		service_namespace: OptionalText,
		service_version: OptionalText,
		environment: OptionalText,
		spans: Type.Integer(),
		log_records: Type.Integer(),
		data_points: Type.Integer(),
		first_seen_at: Time,
		last_seen_at: Time,
	},
	{ title: 'TelemetryResource' },
)

/** How the points of an interval are aggregated. */
export const metricAggregates = [
	'avg',
	'sum',
	'min',
	'max',
	'last',
	'count',
	'rate',
	'p50',
	'p75',
	'p90',
	'p95',
	'p99',
] as const

const MetricSeries = Strict(
	{
		group: MapOf(Type.String(), {
			description: 'Values of `group_by`; empty where a point has none',
		}),
		points: Type.Array(Strict({ start: Time, value: Type.Number() }, { title: 'MetricValue' }), {
			description: 'Intervals without data are absent',
		}),
	},
	{ title: 'MetricSeries' },
)

const CarriedMessage = Strict(
	{
		kind: OneOf(['settings', 'tool', 'system', 'message', 'answer', 'arguments', 'result'], {
			description:
				'Role in the call; `answer`: the output of the model. A tool call has `arguments` and `result`',
		}),
		name: Nullable(Type.String({ description: 'Name of the tool, or role of the message' })),
		hash: Type.String({ description: 'Equal for equal content in every call of the workspace' }),
		bytes: Type.Integer({ description: 'Size of its JSON as sent' }),
		text: Nullable(
			Type.String({ description: 'JSON, redacted, cut at 256 KiB; null where bodies are not recorded' }),
		),
	},
	{ title: 'CarriedMessage' },
)

const facetQuery = {
	fields: Type.Optional(
		Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
			minItems: 1,
			maxItems: 16,
			description:
				'Fields and attributes; may be repeated. Default: all fields, and the most frequent attributes with few values',
		}),
	),
	limit: Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Values per field' }),
}
const facets = {
	method: 'GET',
	description:
		'All fields are counted in one query. The selection in a field does not narrow its own values, so that another value can be selected.',
	access,
	status: 200,
	response: Strict({ start: Time, end: Time, facets: Type.Array(Facet) }, { title: 'TelemetryFacets' }),
} as const

export const telemetryQueryOperations = {
	log_facets: operation({
		...facets,
		id: 'telemetry.log_facets',
		path: '/v1/telemetry/logs/facets',
		summary:
			'List the most frequent severities, services, event names and attributes of log records with their counts',
		query: Strict({ ...rangeQuery, ...logFilters, ...facetQuery }),
	}),
	metric_facets: operation({
		...facets,
		id: 'telemetry.metric_facets',
		path: '/v1/telemetry/metrics/facets',
		summary: 'List the most frequent services and attributes of data points with their counts',
		query: Strict({ ...rangeQuery, ...pointFilters, ...facetQuery }),
	}),
	recorder: operation({
		id: 'instance.recorder',
		method: 'GET',
		path: '/v1/instance/recorder',
		summary: 'Get how much of the acknowledged telemetry is stored and how much is still in the log',
		access: operators(),
		status: 200,
		response: RecorderState,
	}),
	traces: operation({
		id: 'telemetry.traces',
		method: 'GET',
		path: '/v1/telemetry/traces',
		summary: 'List traces with a matching span, ordered by their first span in the range, newest first',
		description: 'A trace that gets an earlier span while you page may appear twice; none is left out.',
		access,
		query: Strict({ ...rangeQuery, ...cursorQuery, ...spanFilters }),
		status: 200,
		response: Strict({ traces: Type.Array(TraceSummary), next_cursor: OptionalText }, { title: 'TraceList' }),
	}),
	resources: operation({
		id: 'telemetry.resources',
		method: 'GET',
		path: '/v1/telemetry/resources',
		summary: 'List who sent telemetry in a time range, by service',
		access,
		query: Strict({ ...rangeQuery, ...namesQuery, ...pointFilters }),
		status: 200,
		response: Strict(
			{ resources: Type.Array(TelemetryResource), next_cursor: OptionalText },
			{ title: 'TelemetryResourceList' },
		),
	}),
	messages: operation({
		id: 'telemetry.messages',
		method: 'GET',
		path: '/v1/telemetry/traces/{trace_id}/spans/{span_id}/messages',
		summary:
			'Get the content of a call: messages and answer of a model call, arguments and result of a tool call',
		description:
			'As recorded by the proxy or the gateway, otherwise as given in the attributes of the span, in any convention.',
		access,
		params: Strict({
			trace_id: Type.String({ maxLength: 64 }),
			span_id: Type.String({ maxLength: 64 }),
		}),
		status: 200,
		response: Strict(
			{
				trace_id: Type.String(),
				span_id: Type.String(),
				session_id: OptionalText,
				messages: Type.Array(CarriedMessage),
			},
			{ title: 'CarriedMessages' },
		),
		problems: ['not_found'],
	}),
	tool_links: operation({
		id: 'telemetry.tool_links',
		method: 'GET',
		path: '/v1/telemetry/tool-links',
		summary:
			'List the tool uses that models of a session requested, the calls they caused, and where the results went',
		access,
		query: Strict({ session_id: Type.String({ minLength: 1, maxLength: 256 }) }),
		status: 200,
		response: Strict({ session_id: Type.String(), tool_links: Type.Array(ToolLink) }, { title: 'ToolLinks' }),
	}),
	points: operation({
		id: 'telemetry.points',
		method: 'GET',
		path: '/v1/telemetry/metrics/points',
		summary: 'Get a metric over time, in series by attributes',
		description:
			'Cumulative sums and histograms are read as increases; a counter that was reset counts from zero. Quantiles of histograms are interpolated inside their buckets.',
		access,
		query: Strict({
			...rangeQuery,
			metric: Type.String({ minLength: 1, maxLength: 1024, description: 'Name of the metric' }),
			aggregate: OneOf(metricAggregates, {
				default: 'avg',
				description:
					'`rate`: increase per second; `p50` to `p99`: quantiles of a histogram, or of the values of a gauge; `sum` and `count` of a histogram: of its observations',
			}),
			group_by: Type.Optional(
				Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
					maxItems: 5,
					description: 'Attributes of the points or their resource; may be repeated',
				}),
			),
			interval_ms: Type.Optional(
				Type.Integer({ minimum: 1000, description: 'Default: chosen for at most 120 intervals' }),
			),
			service: Type.Optional(Type.String({ maxLength: 256, description: 'Only from this `service.name`' })),
			attribute: attributeFilter,
		}),
		problems: ['not_found'],
		status: 200,
		response: Strict(
			{
				metric: Type.String(),
				kind: OneOf(metricKinds),
				unit: Type.String(),
				start: Time,
				end: Time,
				interval_ms: Type.Integer(),
				series: Type.Array(MetricSeries),
			},
			{ title: 'MetricPoints' },
		),
	}),
}

const exportQuery = {
	format: OneOf(['jsonl', 'csv', 'otlp'], {
		default: 'jsonl',
		description: '`otlp`: one export request in OTLP/JSON per line',
	}),
	limit: Type.Integer({
		minimum: 1,
		maximum: 1_000_000,
		default: 100_000,
		description: 'Maximum rows',
	}),
	...rangeQuery,
}

/** Routes that stream a file. */
export const telemetryExports = {
	spans: {
		id: 'telemetry.export_spans',
		method: 'GET',
		path: '/v1/telemetry/spans/export',
		access,
		query: Strict({ ...exportQuery, ...spanFilters }),
	},
	logs: {
		id: 'telemetry.export_logs',
		method: 'GET',
		path: '/v1/telemetry/logs/export',
		access,
		query: Strict({ ...exportQuery, ...logFilters }),
	},
	metrics: {
		id: 'telemetry.export_metrics',
		method: 'GET',
		path: '/v1/telemetry/metrics/export',
		access,
		query: Strict({
			...exportQuery,
			metric: Type.Optional(Type.String({ maxLength: 1024, description: 'Only data points of this metric' })),
			...pointFilters,
		}),
	},
} as const
