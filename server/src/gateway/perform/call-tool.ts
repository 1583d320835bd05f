import {
	invalidParams,
	isObject,
	type JsonObject,
	type RpcFailure,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import {
	callTool,
	findTools,
	isSearchFace,
	planFindTools,
	readInnerCall,
} from '../context-savers/search-tools.ts'
import type { Gateway } from '../gateway.ts'
import { withinLimits } from '../limits-of-calls/call-limits.ts'
import { isReadMore, planReadMore, withinOnePiece } from '../long-results/read-more.ts'
import { noteFact, type Operation, type TokenOwner } from '../operation.ts'
import { asTask, sendCall } from '../tasks/as-task.ts'
import { refusalOfClient } from '../tool-names.ts'
import { admit, type GatedCall } from './await-approval.ts'
import { type Plan, refuseWith } from './plan.ts'

/**
 * Why a server that an agent may use has no tool for it, so that nobody reads that there is no such tool: somebody has to
 * agree first, or the server was never reached. Null when its tools are known.
 */
export function whyNoTools(gateway: Gateway, server: ServerEntry, whom: TokenOwner): RpcFailure | null {
	if (server.tools.length > 0) return null
	const consent = gateway.upstreams.missingConsent(server, whom)
	if (consent || server.areToolsKnown) return consent
	// What a program says when it ends may hold anything, and is for who manages it.
	const trouble = server.program ? 'Its program did not start, or did not answer.' : server.trouble
	const text = [
		'was never reached, so its tools are not known.',
		trouble ?? 'It is being asked for the first time.',
	]
	return upstreamFailure(server, 'upstream_unreachable', text.join(' '))
}

/** `tools/call`: chosen and judged by the same rule as the list, then sent on under the server's own name. */
export function planCallTool(gateway: Gateway, operation: Operation): Plan {
	const params = withoutNull(operation.request.params)
	const name = params.name
	if (typeof name !== 'string' || name === '') return refuseWith(invalidParams('`name` must be text.'))
	if (!hasObjectArguments(params)) return refuseWith(invalidParams('`arguments` must be an object.'), name)
	if ((name === findTools || name === callTool) && isSearchFace(gateway, operation.caller))
		return name === findTools ? planFindTools(gateway, operation) : planFoundTool(gateway, operation)
	if (isReadMore(gateway, operation.caller, name)) return planReadMore(gateway, operation)
	return planServerTool(gateway, operation, name, params)
}

/** A call of a tool that a search has found: the same as a direct one in all but the name that it came by. */
function planFoundTool(gateway: Gateway, operation: Operation): Plan {
	const call = readInnerCall(operation.request)
	if (typeof call === 'string') return refuseWith(invalidParams(call), callTool)
	noteFact(operation, 'signalbox.tool_search', true)
	const params = { ...operation.request.params, arguments: call.arguments }
	return { ...planServerTool(gateway, operation, call.name, params), arguments: call.arguments }
}

function planServerTool(gateway: Gateway, operation: Operation, name: string, asked: JsonObject): Plan {
	const { caller } = operation
	const values = asked.arguments ?? {}
	const choose = () => gateway.enforcement.choose(caller.agentId, caller.serverId, name, values)
	// What is under way there was chosen, and judged, when it was sent; it is judged again below.
	const sentTo = operation.sentTo && { ...operation.sentTo, refusal: null, approval: null }
	const choice = sentTo ?? choose()
	const { server, tool, refusal } = choice
	let { approval } = choice
	let onReleased = () => {}
	// Judged once on the way in: what asks before anything waited reads this, and later ones judge again.
	let judged: typeof choice | null = sentTo ? null : choice
	queueMicrotask(() => {
		judged = null
	})
	const isUnknown = server && !tool && !gateway.enforcement.refusalOfServer(caller.agentId, server)
	const unavailable = isUnknown ? whyNoTools(gateway, server, caller) : null
	if (unavailable) return refuseWith(unavailable, name, server)
	if (refusal || !server || !tool)
		return refuseWith(refusal ?? invalidParams('There is no such tool.'), tool?.name ?? name, server ?? null)
	// What runs as a task was let in when it began.
	const unable = operation.task ? null : refusalOfClient(server, tool.name, name, operation.client)
	if (unable) return refuseWith(unable, tool.name, server)
	const params = { ...asked, name: tool.name }
	const send = async () => {
		const answered = await sendCall(gateway, { operation, server, params, tool })
		return withinOnePiece(gateway, operation, { server, tool }, answered)
	}
	const plan: Plan = {
		server,
		tool: tool.name,
		refusal: () => {
			const now = judged ?? choose()
			approval = now.approval
			// The name may have passed to another tool while the call waited; what was judged then is not what would be sent.
			const isOther = !now.refusal && (now.server?.id !== server.id || now.tool?.name !== tool.name)
			if (isOther) return otherTool()
			if (!now.refusal && !approval) onReleased()
			return now.refusal
		},
		run: () =>
			// A task was counted when it began.
			operation.task ? admitted() : withinLimits(gateway, operation, { server, tool: tool.name }, admitted),
	}
	const gated: GatedCall = {
		server,
		tool: tool.name,
		arguments: values,
		approval: () => approval,
		onReleased: (released) => {
			onReleased = released
		},
	}
	const admitted = () => {
		const isFree = !approval && !operation.serverState?.isApproved
		return isFree || wasSent(operation) ? send() : admit(gateway, operation, gated).then(send)
	}
	return asTask(gateway, operation, plan, { server, tool, needsApproval: approval !== null })
}

/** A name that has passed to another tool since the call was judged. */
export function otherTool(): RpcFailure {
	return invalidParams('The name of this tool means another tool now. List the tools again.')
}

/** What is at its server already, a task or a call under way, was let through before it got there. */
function wasSent({ task, begun }: Operation): boolean {
	return (task?.upstreamTaskId ?? null) !== null || begun !== undefined
}

/** Clients written in Go send `null` for a map that was never made; it means no arguments. */
function withoutNull(params: JsonObject): JsonObject {
	if (params.arguments !== null) return params
	const { arguments: _, ...others } = params
	return others
}

function hasObjectArguments(params: JsonObject): boolean {
	return params.arguments === undefined || isObject(params.arguments)
}
