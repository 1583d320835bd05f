import type { OtlpKeyValue } from '@signalbox/contract'
import { parseAttribute, toOtlpJson, toOtlpKeyValues } from '../attribute-text.ts'
import type { StoredLog } from '../logs/log-repository.ts'
import { droppedKeys, type StoredOrigin, scopePrefix } from '../otlp/origin.ts'
import { toAttributes } from '../reads/stored-span.ts'
import type { Attributes, AttributeValue, SpanRow } from '../span-row.ts'

/** A data point as the store returns it. 64-bit numbers and floats are text, since JSON has no NaN and no infinities. */
export interface StoredPoint extends StoredOrigin {
	metric: string
	kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary'
	unit: string
	description: string
	metadata: Record<string, string>
	metadata_types: Record<string, string>
	temporality: number
	is_monotonic: number
	recorded_ns: string
	start_time_unix_nano: string
	attributes: Record<string, string>
	attribute_types: Record<string, string>
	flags: number
	value_int: string | null
	value_double: string | null
	count: string
	sum: string | null
	min: string | null
	max: string | null
	bucket_counts: string[]
	explicit_bounds: string[]
	scale: number
	zero_count: string
	zero_threshold: string
	positive_offset: number
	positive_counts: string[]
	negative_offset: number
	negative_counts: string[]
	quantiles: string[]
	quantile_values: string[]
	exemplars: string
}

const floats = ['value_double', 'sum', 'min', 'max', 'zero_threshold']
const floatLists = ['explicit_bounds', 'quantiles', 'quantile_values']
const asText = [
	...floats.map((name) => `toString(metrics.${name}) AS ${name}`),
	...floatLists.map((name) => `arrayMap(x -> toString(x), metrics.${name}) AS ${name}`),
]

/** The columns of a SELECT that produce a `StoredPoint`. */
export const storedPointColumns = `* EXCEPT (workspace_id, recorded_at, stored_at, ${[...floats, ...floatLists].join(', ')}),
	toString(toUnixTimestamp64Nano(recorded_at)) AS recorded_ns, ${asText.join(', ')}`

/** Data points as an `ExportMetricsServiceRequest` in OTLP's JSON form, each with its own resource, scope and metric. */
export function toMetricsRequest(points: readonly StoredPoint[]): object {
	return {
		resourceMetrics: points.map((point) => ({
			resource: {
				attributes: keyValues(point.resource, point.resource_types),
				droppedAttributesCount: point.resource_dropped_attributes,
			},
			schemaUrl: point.resource_schema_url,
			scopeMetrics: [
				{
					scope: {
						name: point.scope_name,
						version: point.scope_version,
						attributes: keyValues(point.scope_attributes, point.scope_attribute_types),
						droppedAttributesCount: point.scope_dropped_attributes,
					},
					schemaUrl: point.scope_schema_url,
					metrics: [toMetric(point)],
				},
			],
		})),
	}
}

function toMetric(point: StoredPoint): object {
	const { metric: name, description, unit, metadata, metadata_types } = point
	return {
		...{ name, description, unit, metadata: keyValues(metadata, metadata_types) },
		...dataOf(point),
	}
}

function dataOf(point: StoredPoint): object {
	const aggregationTemporality = point.temporality
	if (point.kind === 'gauge') return { gauge: { dataPoints: [toNumberPoint(point)] } }
	if (point.kind === 'sum')
		return {
			sum: {
				...{ dataPoints: [toNumberPoint(point)], aggregationTemporality },
				isMonotonic: point.is_monotonic === 1,
			},
		}
	if (point.kind === 'histogram')
		return { histogram: { dataPoints: [toHistogramPoint(point)], aggregationTemporality } }
	if (point.kind === 'summary') return { summary: { dataPoints: [toSummaryPoint(point)] } }
	return { exponentialHistogram: { dataPoints: [toExponentialPoint(point)], aggregationTemporality } }
}

function toNumberPoint(point: StoredPoint): object {
	const { value_int: asInt, value_double } = point
	return {
		...sharedOf(point),
		...exemplarsOf(point),
		...present({ asInt, asDouble: toDouble(value_double) }),
	}
}

function toHistogramPoint(point: StoredPoint): object {
	const { bucket_counts: bucketCounts, explicit_bounds } = point
	return {
		...{ ...sharedOf(point), ...exemplarsOf(point), ...sumsOf(point), bucketCounts },
		explicitBounds: explicit_bounds.map(toDouble),
	}
}

function toExponentialPoint(point: StoredPoint): object {
	const { scale, zero_count: zeroCount } = point
	return {
		...{ ...sharedOf(point), ...exemplarsOf(point), ...sumsOf(point), scale, zeroCount },
		zeroThreshold: toDouble(point.zero_threshold),
		positive: { offset: point.positive_offset, bucketCounts: point.positive_counts },
		negative: { offset: point.negative_offset, bucketCounts: point.negative_counts },
	}
}

function toSummaryPoint(point: StoredPoint): object {
	const { count, sum, quantiles, quantile_values: values } = point
	const quantileValues = quantiles.map((quantile, i) => ({
		quantile: toDouble(quantile),
		value: toDouble(values[i] ?? null),
	}))
	return { ...sharedOf(point), count, sum: toDouble(sum), quantileValues }
}

function sumsOf({ count, sum, min, max }: StoredPoint): object {
	return present({ count, sum: toDouble(sum), min: toDouble(min), max: toDouble(max) })
}

/** Without the fields that have no value: not all receivers read `null` as an absent field. */
function present(fields: Record<string, unknown>): object {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** As in OTLP's JSON form. As a number, JSON would lose the sign of -0. */
export function toDouble(text: string | null): number | string | null {
	if (text === null || text === '-0') return text
	if (text === 'nan') return 'NaN'
	return text.endsWith('inf') ? text.replace('inf', 'Infinity') : Number(text)
}

function sharedOf(point: StoredPoint): object {
	return {
		startTimeUnixNano: point.start_time_unix_nano,
		timeUnixNano: point.recorded_ns,
		attributes: keyValues(point.attributes, point.attribute_types),
		flags: point.flags,
	}
}

function exemplarsOf({ exemplars }: StoredPoint): object {
	return exemplars === '' ? {} : { exemplars: JSON.parse(exemplars) }
}

function keyValues(texts: Record<string, string>, types: Record<string, string>): OtlpKeyValue[] {
	return toOtlpKeyValues(toAttributes(texts, types))
}

/** Log records as an `ExportLogsServiceRequest` in OTLP's JSON form, each with its own resource and scope. */
export function toLogsRequest(rows: readonly StoredLog[]): object {
	return {
		resourceLogs: rows.map((log) => ({
			resource: {
				attributes: toOtlpKeyValues(toAttributes(log.resource, log.resource_types)),
				droppedAttributesCount: log.resource_dropped_attributes,
			},
			schemaUrl: log.resource_schema_url,
			scopeLogs: [
				{
					scope: {
						name: log.scope_name,
						version: log.scope_version,
						attributes: toOtlpKeyValues(toAttributes(log.scope_attributes, log.scope_attribute_types)),
						droppedAttributesCount: log.scope_dropped_attributes,
					},
					schemaUrl: log.scope_schema_url,
					logRecords: [toOtlpLog(log)],
				},
			],
		})),
	}
}

function toOtlpLog(log: StoredLog): object {
	return {
		timeUnixNano: log.time_unix_nano,
		observedTimeUnixNano: log.observed_time_unix_nano,
		severityNumber: log.severity_number,
		severityText: log.severity_text,
		eventName: log.event_name,
		body: toOtlpJson(parseAttribute(log.body, log.body_type || undefined)),
		attributes: toOtlpKeyValues(toAttributes(log.attributes, log.attribute_types)),
		droppedAttributesCount: log.dropped_attributes,
		flags: log.flags,
		traceId: log.trace.replace(/^0+$/, ''),
		spanId: log.span.replace(/^0+$/, ''),
	}
}

/** Spans as an `ExportTraceServiceRequest` in OTLP's JSON form, one resource and scope for each run of rows that share them. */
export function toTraceRequest(rows: readonly SpanRow[]): object {
	return { resourceSpans: groupRuns(rows).map(toResourceSpans) }
}

function groupRuns(rows: readonly SpanRow[]): SpanRow[][] {
	const runs: SpanRow[][] = []
	let key = ''
	for (const row of rows) {
		const own = originKey(row)
		if (own !== key) runs.push([])
		key = own
		runs.at(-1)?.push(row)
	}
	return runs
}

function originKey(row: SpanRow): string {
	const { scopeName, scopeVersion, resourceSchemaUrl, scopeSchemaUrl } = row
	return JSON.stringify([
		toOtlpKeyValues(row.resource),
		scopeName,
		scopeVersion,
		resourceSchemaUrl,
		scopeSchemaUrl,
	])
}

function toResourceSpans(rows: SpanRow[]): object {
	const row = rows[0] as SpanRow
	const [own, ofScope] = splitResource(row.resource)
	const dropped = (of: keyof typeof droppedKeys) => droppedIn(row.resource.get(droppedKeys[of]))
	return {
		resource: { attributes: toOtlpKeyValues(own), droppedAttributesCount: dropped('resource') },
		schemaUrl: row.resourceSchemaUrl,
		scopeSpans: [
			{
				scope: {
					name: row.scopeName,
					version: row.scopeVersion,
					attributes: toOtlpKeyValues(ofScope),
					droppedAttributesCount: dropped('scope'),
				},
				schemaUrl: row.scopeSchemaUrl,
				spans: rows.map(toOtlpSpan),
			},
		],
	}
}

/** The number that our attribute of a resource has; 0 for anything else that a sender has put under its name. */
function droppedIn(value: AttributeValue | undefined): number {
	return typeof value === 'bigint' && value === BigInt.asUintN(32, value) ? Number(value) : 0
}

const counts: ReadonlySet<string> = new Set(Object.values(droppedKeys))

/**
 * Splits stored attributes into those of the resource and those of the scope, which are stored together, as are the numbers of
 * dropped ones.
 */
function splitResource(resource: Attributes): [[string, AttributeValue][], [string, AttributeValue][]] {
	const entries = [...resource].filter(([key, value]) => !counts.has(key) || droppedIn(value) === 0)
	const isOfScope = ([key]: [string, AttributeValue]) => key.startsWith(scopePrefix)
	return [
		entries.filter((entry) => !isOfScope(entry)),
		entries.filter(isOfScope).map(([key, value]) => [key.slice(scopePrefix.length), value]),
	]
}

const statusCodes: Readonly<Record<SpanRow['status'], number>> = {
	unset: 0,
	ok: 1,
	error: 2,
	denied: 2,
	cut: 2,
	interrupted: 2,
}

function toOtlpSpan(row: SpanRow): object {
	return {
		traceId: row.traceId,
		spanId: row.spanId,
		parentSpanId: row.parentSpanId,
		traceState: row.traceState,
		flags: row.flags,
		name: row.name,
		kind: row.otlpKind,
		startTimeUnixNano: String(row.startNs),
		endTimeUnixNano: String(row.startNs + row.durationNs),
		attributes: toOtlpKeyValues(
			// Keys must be unique.
			row.source === 'otlp' ? row.attributes : new Map([...row.attributes, ...factsOf(row)]),
		),
		droppedAttributesCount: row.droppedAttributes,
		events: row.events === '' ? [] : JSON.parse(row.events),
		droppedEventsCount: row.droppedEvents,
		links: row.links === '' ? [] : JSON.parse(row.links),
		droppedLinksCount: row.droppedLinks,
		status: { code: statusCodes[row.status], message: row.statusMessage },
	}
}

/** Facts that our own records have only in columns, as attributes of the conventions. */
function factsOf(row: SpanRow): [string, AttributeValue][] {
	return [...textsOf(row).filter(([, text]) => text !== ''), ...tokensOf(row), ...figuresOf(row)]
}

function textsOf(row: SpanRow): [string, string][] {
	const [clientName = '', clientVersion = ''] = row.client.split('/', 2)
	return [
		['signalbox.source', row.source],
		['signalbox.status', row.status],
		['error.type', row.errorType],
		['gen_ai.agent.id', row.agentId],
		['gen_ai.agent.name', row.agentName],
		['signalbox.server.id', row.serverId],
		['signalbox.server.name', row.serverName],
		['gen_ai.tool.name', row.toolName],
		['mcp.method.name', row.mcpMethod],
		['mcp.client.name', clientName],
		['mcp.client.version', clientVersion],
		['session.id', row.sessionId],
		['user.id', row.userId],
		['gen_ai.provider.name', row.provider],
		['gen_ai.request.model', row.modelRequested],
		['gen_ai.response.model', row.model],
	]
}

function tokensOf(row: SpanRow): [string, AttributeValue][] {
	if (row.usageSource !== 'reported' && row.usageSource !== 'estimated') return []
	return [
		['gen_ai.usage.input_tokens', BigInt(row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens)],
		['gen_ai.usage.cache_read.input_tokens', BigInt(row.cacheReadTokens)],
		['gen_ai.usage.cache_creation.input_tokens', BigInt(row.cacheWriteTokens)],
		['gen_ai.usage.output_tokens', BigInt(row.outputTokens + row.reasoningTokens)],
		['gen_ai.usage.reasoning.output_tokens', BigInt(row.reasoningTokens)],
	]
}

function figuresOf({ costNanoUsd, timeToFirstTokenNs, httpStatus }: SpanRow): [string, AttributeValue][] {
	return [
		...(costNanoUsd === null ? [] : [['gen_ai.usage.cost', Number(costNanoUsd) / 1e9] as const]),
		...(timeToFirstTokenNs === null
			? []
			: [['gen_ai.response.time_to_first_chunk', Number(timeToFirstTokenNs) / 1e9] as const]),
		...(httpStatus === null ? [] : [['http.response.status_code', BigInt(httpStatus)] as const]),
	].map(([key, value]): [string, AttributeValue] => [key, value])
}
