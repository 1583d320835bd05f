import type { Approver } from '@signalbox/contract'
import type { ApprovalResult, CallToApprove } from '../../access/approvals/approvals.ts'
import type { AccessDecision } from '../../access/grants/index.ts'
import {
	invalidParams,
	isObject,
	type JsonObject,
	progressTokenOf,
	type RpcFailure,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import {
	callTool,
	findTools,
	listsSearchTool,
	planFindTools,
	readInnerCall,
} from '../context-savers/search-tools.ts'
import type { ToolChoice } from '../enforce.ts'
import type { Gateway } from '../gateway.ts'
import { askableCapabilities, type InputRequest, understands } from '../input-requests.ts'
import { withinLimits } from '../limits-of-calls/call-limits.ts'
import { isReadMore, planReadMore, withinOnePiece } from '../long-results/read-more.ts'
import { noteFact, type Operation, type TokenOwner } from '../operation.ts'
import { refuseApproval } from '../refusals/refusals.ts'
import { asTask, sendCall } from '../tasks/as-task.ts'
import { refusalOfClient } from '../tool-names.ts'
import { type Plan, refuseWith } from './plan.ts'

/**
 * Why the tools of a server that an agent may use are unknown: someone must give consent first, or the server was never reached or
 * has not listed them.
 * Without this, the agent would be told that there is no such tool. Null if its tools are known.
 */
export function unknownToolsFailure(
	gateway: Gateway,
	server: ServerEntry,
	owner: TokenOwner,
): RpcFailure | null {
	if (server.tools.length > 0) return null
	const consent = gateway.upstreams.missingConsent(server, owner)
	if (consent || server.areToolsKnown) return consent
	const isNew = server.protocolVersion === null
	const text = `${isNew ? 'was never reached' : 'has never listed its tools'}, so its tools are not known.`
	return upstreamFailure(server, 'upstream_unreachable', `${text} ${troubleOf(server, isNew)}`)
}

function troubleOf({ program, trouble }: ServerEntry, isNew: boolean): string {
	if (!program) return trouble ?? 'It is being asked for the first time.'
	if (program.accepted === null)
		return 'Nobody has accepted its program as it is now. An admin can do so on its page.'
	// The output of a program that ends may contain anything; only administrators may read it.
	return isNew ? 'Its program did not start, or did not answer.' : 'An admin can see why on its page.'
}

/** `tools/call`: found and authorised by the same rules as the list, then sent under the server's own name of the tool. */
export function planCallTool(gateway: Gateway, operation: Operation): Plan {
	const params = withoutNull(operation.request.params)
	const name = params.name
	if (typeof name !== 'string' || name === '') return refuseWith(invalidParams('`name` must be text.'))
	if (!hasObjectArguments(params)) return refuseWith(invalidParams('`arguments` must be an object.'), name)
	if ((name === findTools || name === callTool) && listsSearchTool(gateway, operation.caller))
		return name === findTools ? planFindTools(gateway, operation) : planFoundTool(gateway, operation)
	if (isReadMore(gateway, operation.caller, name)) return planReadMore(gateway, operation)
	return planServerTool(gateway, operation, name, params)
}

/** A call of a tool found by search: the same as a direct call, except for the name used. */
function planFoundTool(gateway: Gateway, operation: Operation): Plan {
	const call = readInnerCall(operation.request)
	if (typeof call === 'string') return refuseWith(invalidParams(call), callTool)
	noteFact(operation, 'signalbox.tool_search', true)
	const params = { ...operation.request.params, arguments: call.arguments }
	return { ...planServerTool(gateway, operation, call.name, params), arguments: call.arguments }
}

function planServerTool(gateway: Gateway, operation: Operation, name: string, asked: JsonObject): Plan {
	const { caller, task } = operation
	const values = asked.arguments ?? {}
	const choose = () =>
		gateway.enforcement.choose(
			caller.agentId,
			...(task ? ([task.serverId, task.tool] as const) : ([caller.serverId, name] as const)),
			values,
		)
	// A request already under way was authorised when it was sent; it is checked again below.
	const sentTo = operation.sentTo && { ...operation.sentTo, refusal: null, approval: null }
	const choice = sentTo ?? choose()
	const { server, tool, refusal } = choice
	let { approval } = choice
	let onReleased = () => {}
	// Decided once on the way in. Checks before any wait use this decision; later ones decide again.
	let decided: typeof choice | null = sentTo ? null : choice
	queueMicrotask(() => {
		decided = null
	})
	const isUnknown = server && !tool && !gateway.enforcement.refusalOfServer(caller.agentId, server)
	const unavailable = isUnknown ? unknownToolsFailure(gateway, server, caller) : null
	if (unavailable) return refuseWith(unavailable, name, server)
	if (refusal || !server || !tool)
		return refuseWith(refusal ?? invalidParams('There is no such tool.'), tool?.name ?? name, server ?? null)
	// The name may have passed to another tool since the server asked. Neither the reply nor an approval is for that one.
	const { serverState } = operation
	if (serverState && serverState.tool !== tool.name)
		return refuseWith(toolNameReassigned(), tool.name, server)
	// A task was authorised when it began.
	const unable = task ? null : refusalOfClient(server, tool.name, name, operation.client)
	if (unable) return refuseWith(unable, tool.name, server)
	const params = { ...asked, name: tool.name }
	const send = async () => {
		const now = wasSent(operation) ? { server, tool } : asItIsNow(gateway, server, tool)
		const answered = await sendCall(gateway, { operation, params, ...now })
		return withinOnePiece(gateway, operation, now, answered)
	}
	const plan: Plan = {
		server,
		tool: tool.name,
		refusal: () => {
			const now = decided ?? chooseAgain(gateway, caller, name, { server, tool: tool.name }, values)
			if (now.refusal) return now.refusal
			// Only a grant releases a call from its approval, never the end of the access.
			approval = now.approval
			if (!approval) onReleased()
			return null
		},
		run: () =>
			// A task was counted when it began, and a limit that was set since then ends no call.
			task || wasSent(operation)
				? admitted()
				: withinLimits(gateway, operation, { server, tool: tool.name }, admitted),
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

/** Decides again about a call that has begun: about its own tool, also if the name that the client used has changed since. */
export function chooseAgain(
	{ enforcement }: Pick<Gateway, 'enforcement'>,
	{ agentId, serverId }: Operation['caller'],
	name: string,
	{ server, tool }: { server: ServerEntry; tool: string },
	values: unknown,
): ToolChoice {
	const now = enforcement.choose(agentId, serverId, name, values)
	const isSame = now.server?.id === server.id && now.tool?.name === tool
	return isSame ? now : enforcement.choose(agentId, server.id, tool, values)
}

/** A name that has passed to another tool since access was decided. */
function toolNameReassigned(): RpcFailure {
	return invalidParams('The name of this tool means another tool now. List the tools again.')
}

/** A call may have waited for its approval, while the server's URL, its headers or a definition changed. */
function asItIsNow(gateway: Gateway, server: ServerEntry, tool: ToolDefinition) {
	const now = gateway.enforcement.server(server.id) ?? server
	return { server: now, tool: now.tools.find(({ name }) => name === tool.name) ?? tool }
}

/** A task or call that is already at its server was authorised before. */
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

/**
 * Resolves when a call that needs a person's approval may be sent. The answer to a server's question continues the approved call,
 * once: the sealed request state proves the approval. Rejects with the failure for the client.
 */
async function admit(gateway: Gateway, operation: Operation, gated: GatedCall): Promise<void> {
	const { serverState } = operation
	const goesOn = serverState?.isApproved && serverState.serverId === gated.server.id
	if (goesOn) await gateway.states.useOnce(operation, serverState.stateId)
	else await awaitApproval(gateway, operation, gated)
	operation.isApproved = true
}

/** A call that a person must approve before it may run. */
interface GatedCall {
	server: ServerEntry
	tool: string
	arguments: unknown
	/** What its grants require now; null when they no longer require approval. */
	approval(): AccessDecision['approval'] | null
	/** Sets the callback for when that becomes null. */
	onReleased(released: () => void): void
}

const defaultWaitMs = 60_000
const progressEveryMs = 5_000

/**
 * Resolves when a person has approved the call, which may then run once. Rejects with the failure for the client: denied, not
 * decided yet, taken by the same call elsewhere, or what ended the operation meanwhile.
 */
async function awaitApproval(gateway: Gateway, operation: Operation, gated: GatedCall): Promise<void> {
	const approval = gated.approval()
	if (!approval) return
	const call = toCallToApprove(operation, gated, approval.approver)
	const askedMs = gateway.clock.nowMs()
	let standing = await gateway.approvals.ask(call)
	if (standing.kind === 'pending')
		standing = await waitFor(gateway, operation, gated, call, standing.approvalId)
	noteApprovalResult(operation, standing, gateway.clock.nowMs() - askedMs)
	if (operation.cancellation.failure) throw operation.cancellation.failure
	if (standing.kind === 'run') return
	const agent = gateway.enforcement.agent(operation.caller.agentId)?.name ?? null
	const names = { agent, server: gated.server.name, tool: gated.tool }
	throw refuseApproval(call.workspaceId, standing, names, gateway.links, gateway.clock.nowMs())
}

/** The span shows why the call took long, and who can be asked. */
function noteApprovalResult(operation: Operation, standing: ApprovalResult, waitedMs: number): void {
	if ('approvalId' in standing) noteFact(operation, 'signalbox.approval.id', standing.approvalId)
	noteFact(operation, 'signalbox.approval.decision', standing.kind === 'run' ? 'approved' : standing.kind)
	noteFact(operation, 'signalbox.approval.waited_ms', BigInt(waitedMs))
}

function toCallToApprove(
	{ caller }: Operation,
	{ server, tool, ...rest }: GatedCall,
	approver: Approver,
): CallToApprove {
	const { principal, credentialId, workspaceId, agentId } = caller
	const who = { principal, credentialId, workspaceId, agentId }
	return { ...who, serverId: server.id, tool, arguments: rest.arguments, approver }
}

/** The operation's time limit is paused while people decide. */
async function waitFor(
	gateway: Gateway,
	operation: Operation,
	gated: GatedCall,
	call: CallToApprove,
	approvalId: string,
): Promise<ApprovalResult> {
	const ending = new AbortController()
	const release = operation.cancellation.also(() => ending.abort())
	const waitMs = waitOf(operation, gated)
	const stopProgress = sendProgress(gateway, operation, waitMs)
	await operation.task?.setStatusMessage(
		`The call waits for the approval of a person: ${gateway.links.approval(call.workspaceId, approvalId)}`,
	)
	const stopWatching = watchRelease(gateway, gated, call, approvalId)
	operation.asking += 1
	try {
		return call.approver === 'caller'
			? await askCaller(gateway, operation, gated, { call, approvalId, waitMs, ending: ending.signal })
			: await gateway.approvals.wait(call, approvalId, waitMs, ending.signal)
	} finally {
		operation.asking -= 1
		stopProgress()
		stopWatching()
		release()
	}
}

/**
 * A call whose grants no longer require approval is released through its approval, so that only one of its copies runs, as with
 * any approval.
 */
function watchRelease(
	gateway: Gateway,
	gated: GatedCall,
	call: CallToApprove,
	approvalId: string,
): () => void {
	const release = () => {
		gateway.approvals
			.release(call, approvalId)
			.catch((error: unknown) => gateway.log.warn({ err: error }, 'gateway: a call was not released'))
	}
	gated.onReleased(release)
	if (!gated.approval()) release()
	return () => gated.onReleased(() => {})
}

/**
 * How long the call waits, in milliseconds. Whoever calls from the playground is told at once that approval is pending, since that
 * call has a shorter limit of its own; a task waits for its whole lifetime.
 */
function waitOf({ isFromPlayground, task }: Operation, { approval }: GatedCall): number {
	if (isFromPlayground) return 0
	return approval()?.waitMs ?? (task ? task.ttlMs : defaultWaitMs)
}

interface AwaitedApproval {
	call: CallToApprove
	approvalId: string
	waitMs: number
	/** Ends the waiting. */
	ending: AbortSignal
}

/** Asks the user of the agent, if the client supports that. An approver of the workspace may decide first. */
async function askCaller(
	gateway: Gateway,
	operation: Operation,
	gated: GatedCall,
	{ call, approvalId, waitMs, ending }: AwaitedApproval,
): Promise<ApprovalResult> {
	const inputRequest = inputRequestAbout(gateway, operation, gated)
	const isAsked = understands(askableCapabilities(operation.client.capabilities), inputRequest)
	const untilMs = isAsked ? Math.max(waitMs, gateway.limits.askMs) : waitMs
	const [withdraw, giveUp] = [new AbortController(), new AbortController()]
	const signal = AbortSignal.any([ending, giveUp.signal])
	const decided = gateway.approvals.wait(call, approvalId, untilMs, signal)
	void operation
		.ask(inputRequest, { signal: withdraw.signal })
		.then(async (answer) => {
			if (answer === 'unsupported') return
			// The grant may have been changed while the user considered it.
			if (gated.approval()?.approver !== 'caller') giveUp.abort()
			else if (answer.action === 'accept')
				await gateway.approvals.answer(call, approvalId, { answer: 'approve' })
			else if (answer.action === 'decline')
				await gateway.approvals.answer(call, approvalId, { answer: 'deny', reason: 'declined by the user' })
			else giveUp.abort()
		})
		.catch(() => giveUp.abort())
	return decided.finally(() => withdraw.abort())
}

function inputRequestAbout(
	gateway: Gateway,
	{ caller }: Operation,
	{ server, tool, ...rest }: GatedCall,
): InputRequest {
	const agent = gateway.enforcement.agent(caller.agentId)?.name ?? 'The agent'
	const shown = JSON.stringify(rest.arguments ?? {}).slice(0, 500)
	return {
		method: 'elicitation/create',
		params: {
			mode: 'form',
			message: `${agent} wants to call ${tool} of ${server.name} with ${shown}. Accept to let it run once.`,
			requestedSchema: { type: 'object', properties: {} },
		},
	}
}

/**
 * Sends the remaining time as progress to a client that gave a token. The numbers are negative, so that the server's own progress
 * can follow.
 */
function sendProgress(gateway: Gateway, { request, reply }: Operation, waitMs: number): () => void {
	const progressToken = progressTokenOf(request.params)
	if (progressToken === undefined || waitMs === 0) return () => {}
	const untilMs = gateway.clock.nowMs() + waitMs
	const send = () => {
		const leftS = Math.max(0, Math.ceil((untilMs - gateway.clock.nowMs()) / 1000))
		const message = 'The call waits for the approval of a person.'
		const params = { progressToken, progress: -leftS - 1, message }
		reply.notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }))
	}
	send()
	const timer = setInterval(send, progressEveryMs)
	return () => clearInterval(timer)
}
