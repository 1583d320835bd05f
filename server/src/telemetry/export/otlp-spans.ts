import { toOtlpKeyValues } from '../attribute-text.ts'
import { droppedKeys, scopePrefix } from '../otlp/origin.ts'
import type { Attributes, AttributeValue, SpanRow } from '../span-row.ts'

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
	const dropped = (of: keyof typeof droppedKeys) => Number(row.resource.get(droppedKeys[of]) ?? 0)
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

const counts: ReadonlySet<string> = new Set(Object.values(droppedKeys))

/** Attributes of the scope are stored among those of the resource, and how many were dropped. */
function splitResource(resource: Attributes): [[string, AttributeValue][], [string, AttributeValue][]] {
	const entries = [...resource].filter(([key]) => !counts.has(key))
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
			// A key may be there once only.
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

/** What our own records say in columns alone, in the words of the conventions. */
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
