import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type AttributeValue, decodeSpanBlock, newSpanRow, type SpanRow } from '../../../telemetry/index.ts'
import { transcodeLogsJson, transcodeLogsProtobuf } from '../../../telemetry/logs/transcode-logs.ts'
import { transcodeOptions } from '../../../telemetry/otlp/recorded/spans-of.testing.ts'
import { transcodeJson } from '../../../telemetry/otlp/transcode-json.ts'
import { transcodeProtobuf } from '../../../telemetry/otlp/transcode-protobuf.ts'

/** A span of the gateway or the proxy, in the form of the API. */
interface Shown {
	agent: { uuid: string; name: string } | null
	server: { id: string; name: string } | null
	tokens: Record<'input' | 'cache_read' | 'cache_write' | 'output' | 'reasoning', number>
	attributes: Record<string, AttributeValue>
	[text: string]: unknown
}

interface Recording {
	/** Bodies of `/v1/traces`, or of `/v1/logs`. */
	sent: { logs?: true; type: 'json' | 'protobuf'; body: string }[]
	own: Shown[]
}

/** What a run of an instrumented program recorded: its own spans, and those of Signalbox. */
export interface ReplayedRun {
	program: SpanRow[]
	/** The calls that its log events report. */
	logged: SpanRow[]
	gateway: SpanRow[]
	proxy: SpanRow[]
}

/** The rows of a recording made by `checks/instrumentations/record.ts`, mapped by the current mapper. */
export function replay(name: string): ReplayedRun {
	const file = new URL(`recorded/${name}.json.gz`, import.meta.url)
	const { sent, own } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Recording
	const rows = own.map(rowOf)
	return {
		program: sent
			.filter(({ logs }) => !logs)
			.flatMap(({ type, body }) => {
				const transcode = type === 'json' ? transcodeJson : transcodeProtobuf
				return decodeSpanBlock(transcode(Buffer.from(body, 'base64'), transcodeOptions).rows)
			}),
		logged: sent
			.filter(({ logs }) => logs)
			.flatMap(({ type, body }) => {
				const transcode = type === 'json' ? transcodeLogsJson : transcodeLogsProtobuf
				const { calls } = transcode(Buffer.from(body, 'base64'), transcodeOptions)
				return calls ? decodeSpanBlock(calls.rows) : []
			}),
		gateway: rows.filter(({ source }) => source === 'gateway'),
		proxy: rows.filter(({ source }) => source === 'model_proxy'),
	}
}

function rowOf(shown: Shown): SpanRow {
	const text = (name: string) => (shown[name] ?? '') as string
	const { agent, server, tokens } = shown
	return newSpanRow({
		...{ workspaceId: 'w', traceId: text('trace_id'), spanId: text('span_id'), name: text('name') },
		parentSpanId: text('parent_span_id'),
		source: text('source') as SpanRow['source'],
		kind: text('kind') as SpanRow['kind'],
		status: text('status') as SpanRow['status'],
		otlpKind: text('source') === 'gateway' ? 2 : 3,
		startNs: BigInt(text('start_time_unix_nano')),
		durationNs: BigInt(text('duration_nano')),
		...{ agentId: agent?.uuid ?? '', agentName: agent?.name ?? '' },
		...{ serverId: server?.id ?? '', serverName: server?.name ?? '' },
		...{ toolName: text('tool'), mcpMethod: text('mcp_method'), client: text('client') },
		...{ sessionId: text('session_id'), userId: text('user_id'), connection: text('connection') },
		...{ provider: text('provider'), modelRequested: text('model_requested'), model: text('model') },
		...{ inputTokens: tokens.input, cacheReadTokens: tokens.cache_read },
		...{ cacheWriteTokens: tokens.cache_write, outputTokens: tokens.output },
		reasoningTokens: tokens.reasoning,
		usageSource: text('usage_source') as SpanRow['usageSource'],
		costNanoUsd: shown.cost_nano_usd === null ? null : BigInt(text('cost_nano_usd')),
		attributes: new Map(Object.entries(shown.attributes)),
	})
}
