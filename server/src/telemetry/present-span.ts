import { otlpSpanKinds, type Span } from '@signalbox/contract'
import { failedStatuses } from '@signalbox/contract/span-status'
import type { Static } from 'typebox'
import { type LedgerEntry, presentFactor, presentMoney } from '../ledger/ledger.ts'
import { toIso } from '../platform/clock.ts'
import { storedExceptionMessage } from './normalise/exceptions.ts'
import type { Attributes, AttributeValue, SpanRow } from './span-row.ts'

export type SpanView = Static<typeof Span>

/** A span in the form of the API. */
export function presentSpan(row: SpanRow): SpanView {
	return {
		trace_id: row.traceId,
		span_id: row.spanId,
		parent_span_id: orNull(row.parentSpanId),
		name: row.name,
		source: row.source,
		kind: row.kind,
		status: row.status,
		status_message: messageOf(row),
		error_type: orNull(row.errorType),
		started_at: toIso(Number(row.startNs / 1_000_000n)),
		start_time_unix_nano: String(row.startNs),
		duration_ms: toMs(row.durationNs),
		duration_nano: String(row.durationNs),
		service_name: orNull(row.serviceName),
		agent: row.agentId === '' ? null : { uuid: row.agentId, name: row.agentName },
		agent_name: orNull(row.agentName),
		server: row.serverId === '' ? null : { id: row.serverId, name: row.serverName },
		server_name: orNull(row.serverName),
		tool: orNull(row.toolName),
		mcp_method: orNull(row.mcpMethod),
		session_id: orNull(row.sessionId),
		user_id: orNull(row.userId),
		client: orNull(row.client),
		connection: orNull(row.connection),
		provider: orNull(row.provider),
		model_requested: orNull(row.modelRequested),
		model: orNull(row.model),
		tokens: {
			input: row.inputTokens,
			cache_read: row.cacheReadTokens,
			cache_write: row.cacheWriteTokens,
			output: row.outputTokens,
			reasoning: row.reasoningTokens,
		},
		usage_source: row.usageSource === '' ? null : row.usageSource,
		...presentMoney('cost', row.costNanoUsd),
		cost_source: row.costSource === '' ? null : row.costSource,
		ledger: row.ledger.map(presentEntry),
		time_to_first_token_ms: row.timeToFirstTokenNs === null ? null : toMs(row.timeToFirstTokenNs),
		http_status: row.httpStatus,
		dialect: orNull(row.dialect),
		mapper_version: row.mapperVersion || null,
		request_bytes: row.requestBytes,
		response_bytes: row.responseBytes,
		attributes: presentAttributes(row.attributes),
		resource: presentAttributes(row.resource),
		events: parseList(row.events),
		links: parseList(row.links),
		...presentOtlp(row),
	}
}

/** The message of the status. A failed span without one has that of its last exception. */
function messageOf({ status, statusMessage, events }: SpanRow): string {
	const hasNone = statusMessage === '' && (failedStatuses as readonly string[]).includes(status)
	return hasNone ? storedExceptionMessage(events) : statusMessage
}

/** OTLP's fields of a span that no query reads. */
function presentOtlp(row: SpanRow) {
	return {
		span_kind: otlpSpanKinds[row.otlpKind] ?? 'unspecified',
		trace_state: row.traceState,
		flags: row.flags,
		scope: { name: row.scopeName, version: row.scopeVersion, schema_url: row.scopeSchemaUrl },
		resource_schema_url: row.resourceSchemaUrl,
		dropped: {
			attributes: row.droppedAttributes,
			events: row.droppedEvents,
			links: row.droppedLinks,
		},
	}
}

function presentEntry(entry: LedgerEntry): SpanView['ledger'][number] {
	return {
		dimension: entry.dimension,
		quantity: entry.quantity,
		...presentMoney('cost', entry.costNanoUsd),
		nano_usd_per_million: entry.rate === null ? null : String(entry.rate),
		factor: presentFactor(entry.factor),
		iteration: entry.iteration,
		model: entry.model,
		price: orNull(entry.price),
	}
}

export function orNull(text: string): string | null {
	return text === '' ? null : text
}

function toMs(ns: bigint): number {
	return Number(ns) / 1e6
}

/** Every attribute as JSON. Values that JSON cannot represent become text: integers beyond 2^53, NaN and infinities, bytes (base64). */
export function presentAttributes(attributes: Attributes): Record<string, unknown> {
	return Object.fromEntries(Array.from(attributes, ([key, value]) => [key, toJson(value)]))
}

export function toJson(value: AttributeValue): unknown {
	if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
	if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
	if (value === null || typeof value !== 'object') return value
	if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
	if (Array.isArray(value)) return value.map(toJson)
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]))
}

function parseList<T>(json: string): T[] {
	return json === '' ? [] : JSON.parse(json)
}
