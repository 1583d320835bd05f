import { performance } from 'node:perf_hooks'
import {
	afterSending,
	Cancellation,
	type JsonObject,
	namedFailure,
	parseJsonText,
	RpcFailure,
	rpcCodes,
} from '../mcp-client/index.ts'
import { Problem } from '../platform/errors.ts'
import type { Principal } from '../platform/http/principal.ts'
import type { ServerEntry, ToolCall, ToolCallOutcome } from '../servers/servers.ts'
import type { Gateway } from './gateway.ts'
import { askUnsupported } from './input-requests.ts'
import { continueTrace } from './mcp-http-request.ts'
import type { Operation } from './operation.ts'
import { planCallTool } from './perform/call-tool.ts'
import { type Plan, refuseWith } from './perform/plan.ts'
import { runRecorded } from './perform/run-recorded.ts'
import { CollectedReply } from './reply.ts'

/** Short, because a person waits for the answer. */
const maxMs = 60_000

/**
 * Makes one tool call for a manager of the workspace, recorded like an agent's call. Throws `Problem`s: `tool_not_granted` if the
 * agent may not call it, `upstream_unreachable` and `upstream_timeout` if the server fails.
 */
export async function callFromPlayground(gateway: Gateway, call: ToolCall): Promise<ToolCallOutcome> {
	const operation = toOperation(call, gateway.version)
	const asked = call.agentId === null ? planDirectly(gateway, operation) : planCallTool(gateway, operation)
	const { plan, failure } = watchFailure(asked)
	const tooLong = setTimeout(() => operation.cancellation.cancel(timedOut()), maxMs)
	const leave = () => operation.cancellation.cancel(callerLeft())
	// Watches the connection, not the request, which is closed as soon as its body is read.
	call.request.socket.once('close', leave)
	const startedMs = performance.now()
	try {
		await runRecorded(gateway, operation, plan, call.guard)
	} finally {
		clearTimeout(tooLong)
		call.request.socket.off('close', leave)
	}
	throwProblem(operation.cancellation.failure ?? failure(), operation.sending.isSent)
	return {
		...readAnswer((operation.reply as CollectedReply).message),
		duration_ms: Math.round((performance.now() - startedMs) * 1000) / 1000,
		trace_id: operation.trace.traceId,
	}
}

function toOperation(call: ToolCall, version: string): Operation {
	const params = { name: call.tool, arguments: call.arguments }
	return {
		caller: {
			principal: call.principal,
			credentialId: credentialOf(call.principal),
			workspaceId: call.principal.workspaceId,
			agentId: call.agentId ?? '',
			userId: call.principal.kind === 'user' ? call.principal.userId : null,
			serverId: call.serverId,
		},
		client: {
			era: 'modern',
			protocolVersion: '2026-07-28',
			info: { name: 'playground', version },
			capabilities: {},
			logLevel: null,
			sessionLabel: '',
		},
		request: { kind: 'request', id: 1, method: 'tools/call', params },
		trace: continueTrace(call.request, {}),
		requestBytes: Buffer.byteLength(JSON.stringify(params)),
		clientAddress: '',
		reply: new CollectedReply(),
		cancellation: new Cancellation(),
		ask: askUnsupported,
		asking: 0,
		sending: { isSent: false },
		isRetry: false,
		isFromPlayground: true,
	}
}

function credentialOf(principal: Principal): string {
	return principal.kind === 'user' ? '' : principal.keyId
}

/** Without an agent no grant applies: the call is the manager's own. */
function planDirectly(gateway: Gateway, operation: Operation): Plan {
	const find = () => gateway.enforcement.server(operation.caller.serverId ?? '')
	const server = find()
	const tool = server?.tools.find(({ name }) => name === operation.request.params.name)
	if (!server || !tool) return refuseWith(gone(server))
	return {
		server,
		tool: tool.name,
		refusal: () => (find()?.status === 'active' ? null : gone(find())),
		run: () => gateway.upstreams.request({ operation, server, params: operation.request.params, tool }),
	}
}

function gone(server: ServerEntry | undefined): RpcFailure {
	const { status = 'inactive', protocolVersion = null } = server ?? {}
	const text =
		status !== 'active'
			? `The server cannot be used now: its status is ${status}.`
			: protocolVersion === null
				? 'The server was never reached, so its tools are not known.'
				: 'The server has no such tool.'
	return namedFailure(rpcCodes.invalidParams, 'tool_not_granted', text, { status: 'denied' })
}

function timedOut(): RpcFailure {
	const text = `The tool did not answer within ${maxMs / 1000} s.`
	return namedFailure(rpcCodes.internal, 'timeout', text)
}

function callerLeft(): RpcFailure {
	const text = 'The caller disconnected before the answer.'
	return namedFailure(rpcCodes.internal, 'cancelled', text, { status: 'interrupted' })
}

/** Remembers the failure or refusal of a plan, which cannot be derived reliably from the text of its answer. */
function watchFailure(asked: Plan): { plan: Plan; failure(): unknown } {
	let seen: unknown = null
	const run = async () => {
		try {
			return await asked.run()
		} catch (error) {
			seen = error
			throw error
		}
	}
	const refusal = () => {
		const refused = asked.refusal()
		seen ??= refused
		return refused
	}
	return { plan: { ...asked, run, refusal }, failure: () => seen }
}

const problemCodes: Readonly<Record<string, 'upstream_timeout' | 'upstream_unreachable'>> = {
	timeout: 'upstream_timeout',
	upstream_unreachable: 'upstream_unreachable',
	upstream_invalid_answer: 'upstream_unreachable',
	blocked_address: 'upstream_unreachable',
}

function throwProblem(seen: unknown, isSent: boolean): void {
	if (!(seen instanceof RpcFailure)) return
	const failure = isSent ? afterSending(seen) : seen
	if (failure.code === rpcCodes.callCut) throw new Problem('call_cut', failure.message)
	if (failure.status === 'denied') throw new Problem('tool_not_granted', failure.message)
	const code = problemCodes[failure.errorType]
	if (code) throw new Problem(code, failure.message)
}

/** An error sent by the server itself counts as a result of the call. */
function readAnswer(message: string): Pick<ToolCallOutcome, 'result' | 'error' | 'is_error'> {
	const { result, error } = (message === '' ? {} : parseJsonText(message)) as {
		result?: JsonObject
		error?: NonNullable<ToolCallOutcome['error']>
	}
	if (result) return { result, error: null, is_error: result.isError === true }
	if (!error) throw new Problem('upstream_unreachable', 'The call was cut off.')
	const { code, message: text, data } = error
	if (code === rpcCodes.internal && (data as { code?: string } | undefined)?.code === 'store_unavailable')
		throw new Problem('store_unavailable', text)
	return { result: null, error: { code, message: text, ...(data !== undefined && { data }) }, is_error: true }
}
