import type { JsonObject, RpcFailure } from '../../mcp-client/index.ts'
import { nowNs } from '../../platform/clock.ts'
import { type AttributeValue, newSpanRow, type SpanRow } from '../../telemetry/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import { capturedResult } from './captured-content.ts'
import type { Plan, PlanResult } from './plan.ts'
import { attributesOf, conversationOf } from './span-attributes.ts'

/** The row of an operation as it stands when nothing follows: begun and interrupted. */
export function beginSpan(
	gateway: Pick<Gateway, 'enforcement' | 'recordsToolContent' | 'version'>,
	operation: Operation,
	plan: Plan,
): SpanRow {
	const { caller, client, request, trace } = operation
	const isTool = request.method === 'tools/call'
	const tool = isTool ? plan.tool.slice(0, 256).toWellFormed() : ''
	const method = request.method.slice(0, 128).toWellFormed()
	const capturesArguments = plan.server?.capturesArguments ?? gateway.recordsToolContent(caller.workspaceId)
	return newSpanRow({
		workspaceId: caller.workspaceId,
		traceId: trace.traceId,
		spanId: trace.spanId,
		parentSpanId: trace.parentSpanId,
		traceState: trace.traceState,
		flags: trace.flags,
		name: nameOf(operation, method, tool),
		otlpKind: 2,
		source: 'gateway',
		kind: isTool ? 'tool_call' : 'mcp',
		status: 'interrupted',
		startNs: nowNs(),
		serviceName: 'signalbox',
		scopeName: 'signalbox.gateway',
		scopeVersion: gateway.version,
		agentId: caller.agentId,
		agentName: gateway.enforcement.agent(caller.agentId)?.name ?? '',
		serverId: plan.server?.id ?? '',
		serverName: plan.server?.name ?? '',
		toolName: tool,
		mcpMethod: method,
		credentialId: caller.credentialId,
		userId: userOf(caller.principal),
		sessionId: conversationOf(operation) || client.sessionLabel,
		client: clientName(client.info),
		requestBytes: operation.requestBytes,
		attributes: attributesOf(operation, plan, { method, tool, capturesArguments }),
	})
}

/** The same row with its outcome, and with what was learnt on the way. */
export function endSpan(
	announced: SpanRow,
	{ facts, beganTask }: Operation,
	outcome: PlanResult | RpcFailure,
	responseBytes: number,
	capturesResults: boolean,
): SpanRow {
	const begun = facts ? { ...announced, attributes: new Map([...announced.attributes, ...facts]) } : announced
	const durationNs = nowNs() - begun.startNs
	const ended: SpanRow = { ...begun, durationNs, status: 'ok', responseBytes }
	// The call itself is recorded when its task has ended, so that it counts once.
	if (beganTask) ended.kind = 'mcp'
	if (!(outcome instanceof Error)) {
		const answered = capturesResults ? withResult(ended, outcome) : ended
		return outcome.isError ? { ...answered, ...withError(answered, 'tool_error'), status: 'error' } : answered
	}
	const attributes = new Map([...begun.attributes, ['rpc.response.status_code', String(outcome.code)]] as [
		string,
		AttributeValue,
	][])
	return {
		...ended,
		...withError({ ...begun, attributes }, outcome.errorType),
		status: outcome.status,
		statusMessage: outcome.message.slice(0, 1024).toWellFormed(),
		rpcCode: clampInt32(outcome.code),
	}
}

/** What a failed tool says is why its call failed. */
function withResult(row: SpanRow, result: PlanResult): SpanRow {
	const { attributes, message } = capturedResult(result)
	return { ...row, statusMessage: message, attributes: new Map([...row.attributes, ...attributes]) }
}

function withError(row: SpanRow, errorType: string): Pick<SpanRow, 'errorType' | 'attributes'> {
	return { errorType, attributes: new Map([...row.attributes, ['error.type', errorType]]) }
}

/** `{method} {target}`: of tools and prompts their name, never the URI of a resource. */
function nameOf({ request }: Operation, method: string, tool: string): string {
	const { name } = request.params
	const target =
		method === 'prompts/get' && typeof name === 'string' ? name.slice(0, 256).toWellFormed() : tool
	return target ? `${method} ${target}` : method
}

/** The person for whom a client of OAuth acts. */
function userOf(principal: Operation['caller']['principal']): string {
	return principal.kind === 'agent_key' ? (principal.delegatedBy?.email ?? '') : ''
}

function clientName({ name, version }: JsonObject): string {
	if (typeof name !== 'string') return ''
	return `${name}${typeof version === 'string' ? `/${version}` : ''}`.slice(0, 128).toWellFormed()
}

function clampInt32(code: number): number {
	return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, code))
}
