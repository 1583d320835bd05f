import { toIso } from '../../platform/clock.ts'
import { toLiveSse } from './sse.ts'

/** What is needed of a recorded row. */
export interface RecordedCall {
	workspaceId: string
	traceId: string
	source: string
	kind: string
	status: string
	errorType: string
	startNs: bigint
	durationNs: bigint
	agentId: string
	agentName: string
	serverId: string
	serverName: string
	toolName: string
	connection: string
	model: string
	modelRequested: string
	sessionId: string
}

/** Whether a row is a tool or model call that went through us; telemetry that others send is none. */
export function isCall({ source, kind }: RecordedCall): boolean {
	return source !== 'otlp' && (kind === 'tool_call' || kind === 'model_call')
}

export function callSse(call: RecordedCall): string {
	const startedMs = Number(call.startNs / 1_000_000n)
	const durationMs = Number(call.durationNs) / 1e6
	return toLiveSse('call.finished', Math.floor(startedMs + durationMs), {
		kind: call.kind,
		status: call.status,
		error_type: orNull(call.errorType),
		started_at: toIso(startedMs),
		duration_ms: durationMs,
		agent: call.agentId === '' ? null : { uuid: call.agentId, name: call.agentName },
		server: call.serverId === '' ? null : { id: call.serverId, name: call.serverName },
		tool: orNull(call.toolName),
		connection: orNull(call.connection),
		model: orNull(call.model || call.modelRequested),
		session_id: orNull(call.sessionId),
		trace_id: call.traceId,
	})
}

function orNull(text: string): string | null {
	return text === '' ? null : text
}
