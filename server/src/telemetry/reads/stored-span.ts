import { parseAttribute } from '../attribute-text.ts'
import { parseLedger, parseOrigin, spanColumns } from '../span-columns.ts'
import type { Attributes, AttributeValue, SpanRow } from '../span-row.ts'

/** A row as the store returns it: 64-bit numbers are text. */
export type StoredSpan = Record<string, string | number | null> & {
	attributes: Record<string, string>
	attribute_types: Record<string, string>
}

/** The columns of a SELECT that `toSpanRow` reads. */
export const storedColumns = spanColumns.map(([name]) => selectExpression(name)).join(', ')

function selectExpression(name: string): string {
	if (name.endsWith('_id') && ['trace_id', 'span_id', 'parent_span_id'].includes(name))
		return `lower(hex(${name})) AS ${name}_hex`
	return name === 'started_at' ? 'toString(toUnixTimestamp64Nano(started_at)) AS start_ns' : name
}

export function toSpanRow(stored: StoredSpan): SpanRow {
	const text = (name: string) => String(stored[name])
	const count = (name: string) => Number(stored[name])
	const nullable = <T>(name: string, convert: (value: string) => T): T | null =>
		stored[name] === null ? null : convert(text(name))
	return {
		workspaceId: text('workspace_id'),
		retentionDays: count('retention_days'),
		traceId: text('trace_id_hex'),
		spanId: text('span_id_hex'),
		parentSpanId: text('parent_span_id_hex').replace(/^0+$/, ''),
		traceState: text('trace_state'),
		name: text('name'),
		otlpKind: count('otlp_kind'),
		source: text('source') as SpanRow['source'],
		kind: text('kind') as SpanRow['kind'],
		status: text('status') as SpanRow['status'],
		statusMessage: text('status_message'),
		errorType: text('error_type'),
		startNs: BigInt(text('start_ns')),
		durationNs: BigInt(text('duration_ns')),
		serviceName: text('service_name'),
		scopeName: text('scope_name'),
		scopeVersion: text('scope_version'),
		agentId: text('agent_id'),
		agentName: text('agent_name'),
		serverId: text('server_id'),
		serverName: text('server_name'),
		toolName: text('tool_name'),
		mcpMethod: text('mcp_method'),
		credentialId: text('credential_id'),
		sessionId: text('session_id'),
		userId: text('user_id'),
		client: text('client'),
		connection: text('connection'),
		provider: text('provider'),
		modelRequested: text('model_requested'),
		model: text('model'),
		inputTokens: count('input_tokens'),
		cacheReadTokens: count('cache_read_tokens'),
		cacheWriteTokens: count('cache_write_tokens'),
		outputTokens: count('output_tokens'),
		reasoningTokens: count('reasoning_tokens'),
		usageSource: text('usage_source') as SpanRow['usageSource'],
		costNanoUsd: nullable('cost_nano_usd', BigInt),
		timeToFirstTokenNs: nullable('time_to_first_token_ns', BigInt),
		httpStatus: nullable('http_status', Number),
		rpcCode: nullable('rpc_code', Number),
		requestBytes: count('request_bytes'),
		responseBytes: count('response_bytes'),
		attributes: toAttributes(stored.attributes, stored.attribute_types),
		...parseOrigin(text('origin')),
		events: text('events'),
		links: text('links'),
		droppedAttributes: count('dropped_attributes'),
		droppedEvents: count('dropped_events'),
		droppedLinks: count('dropped_links'),
		flags: count('flags'),
		dialect: text('dialect'),
		mapperVersion: count('mapper_version'),
		costSource: text('cost_source') as SpanRow['costSource'],
		ledger: parseLedger(text('ledger')),
	}
}

export function toAttributes(texts: Record<string, string>, types: Record<string, string>): Attributes {
	const typeOf = (key: string) => (Object.hasOwn(types, key) ? types[key] : undefined)
	return new Map(
		Object.entries(texts).map(([key, text]): [string, AttributeValue] => [
			key,
			parseAttribute(text, typeOf(key)),
		]),
	)
}

/** A position in a list that is ordered by start, trace and span. */
export interface Place {
	startNs: string
	traceId: string
	spanId: string
}

export const placeOf = ({ startNs, traceId, spanId }: SpanRow): Place => ({
	...{ startNs: String(startNs), traceId, spanId },
})

export function byPlace(a: SpanRow, b: SpanRow): number {
	if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
	if (a.traceId !== b.traceId) return a.traceId < b.traceId ? -1 : 1
	return a.spanId < b.spanId ? -1 : Number(a.spanId > b.spanId)
}

export interface SpanPage {
	rows: SpanRow[]
	hasMore: boolean
}

/**
 * The page that begins with these rows, of which one more than `limit` was read. A span that was sent again in another body has the
 * same place, so a page that would end between the two is longer: `readAt` returns all rows of a place.
 */
export async function wholePage(
	found: SpanRow[],
	limit: number,
	readAt: (place: Place) => Promise<SpanRow[]>,
): Promise<SpanPage> {
	const [last, next] = [found[limit - 1], found[limit]]
	if (!last || !next) return { rows: found, hasMore: false }
	if (byPlace(last, next) !== 0) return { rows: found.slice(0, limit), hasMore: true }
	const before = found.filter((row) => byPlace(row, last) !== 0)
	return { rows: [...before, ...(await readAt(placeOf(last)))], hasMore: true }
}
