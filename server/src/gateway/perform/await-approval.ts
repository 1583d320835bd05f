import type { Approver } from '@signalbox/contract'
import type { AskedCall, Standing } from '../../access/approvals/index.ts'
import type { AccessDecision } from '../../access/grants/index.ts'
import { metaOf } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { Gateway } from '../gateway.ts'
import { noteFact, type Operation } from '../operation.ts'
import { askableCapabilities, type Question, understands } from '../questions.ts'
import { refuseApproval } from '../refusals/refusals.ts'

/**
 * Resolves when a call that a person must approve may be sent. An answer to what its server asked goes on with the call
 * that was approved, once: our own sealed state says so. Rejects with what the client shall read.
 */
export async function admit(gateway: Gateway, operation: Operation, gated: GatedCall): Promise<void> {
	const { serverState } = operation
	const goesOn = serverState?.isApproved && serverState.serverId === gated.server.id
	if (goesOn) await gateway.states.useOnce(operation, serverState.stateId)
	else await awaitApproval(gateway, operation, gated)
	operation.isApproved = true
}

/** A call that a person must approve before it may run. */
export interface GatedCall {
	server: ServerEntry
	tool: string
	arguments: unknown
	/** What its grants want now; null when they do not ask any more. */
	approval(): AccessDecision['approval'] | null
	/** Sets who is notified when that becomes null. */
	onReleased(released: () => void): void
}

const usualWaitMs = 60_000
const progressEveryMs = 5_000

/**
 * Resolves when a person has approved the call, which then may run once. Rejects with what the client shall read: denied,
 * not decided yet, taken by the same call elsewhere, or what ended the operation meanwhile.
 */
export async function awaitApproval(gateway: Gateway, operation: Operation, gated: GatedCall): Promise<void> {
	const approval = gated.approval()
	if (!approval) return
	const call = toAskedCall(operation, gated, approval.approver)
	const askedMs = gateway.clock.nowMs()
	let standing = await gateway.approvals.ask(call)
	if (standing.kind === 'pending')
		standing = await waitFor(gateway, operation, gated, call, standing.approvalId)
	noteStanding(operation, standing, gateway.clock.nowMs() - askedMs)
	if (operation.cancellation.failure) throw operation.cancellation.failure
	if (standing.kind === 'run') return
	const agent = gateway.enforcement.agent(operation.caller.agentId)?.name ?? null
	const names = { agent, server: gated.server.name, tool: gated.tool }
	throw refuseApproval(call.workspaceId, standing, names, gateway.links, gateway.clock.nowMs())
}

/** Who looks at the span must see why it took long, and who can be asked. */
function noteStanding(operation: Operation, standing: Standing, waitedMs: number): void {
	if ('approvalId' in standing) noteFact(operation, 'signalbox.approval.id', standing.approvalId)
	noteFact(operation, 'signalbox.approval.decision', standing.kind === 'run' ? 'approved' : standing.kind)
	noteFact(operation, 'signalbox.approval.waited_ms', BigInt(waitedMs))
}

function toAskedCall(
	{ caller }: Operation,
	{ server, tool, ...rest }: GatedCall,
	approver: Approver,
): AskedCall {
	const { principal, credentialId, workspaceId, agentId } = caller
	const who = { principal, credentialId, workspaceId, agentId }
	return { ...who, serverId: server.id, tool, arguments: rest.arguments, approver }
}

/** The clock of the operation stands still: people take their time. */
async function waitFor(
	gateway: Gateway,
	operation: Operation,
	gated: GatedCall,
	call: AskedCall,
	approvalId: string,
): Promise<Standing> {
	const ending = new AbortController()
	const release = operation.cancellation.also(() => ending.abort())
	const waitMs = waitOf(operation, gated)
	const stopTelling = tellProgress(gateway, operation, waitMs)
	await operation.task?.tell(
		`The call waits for the approval of a person: ${gateway.links.approval(call.workspaceId, approvalId)}`,
	)
	const stopWatching = watchRelease(gateway, gated, call, approvalId)
	operation.asking += 1
	try {
		return call.approver === 'caller'
			? await askCaller(gateway, operation, gated, call, approvalId, waitMs, ending.signal)
			: await gateway.approvals.wait(call, approvalId, waitMs, ending.signal)
	} finally {
		operation.asking -= 1
		stopTelling()
		stopWatching()
		release()
	}
}

/** A call whose grants ask no more is approved by that, so that of all its copies one runs, as with any approval. */
function watchRelease(gateway: Gateway, gated: GatedCall, call: AskedCall, approvalId: string): () => void {
	const release = () => {
		gateway.approvals
			.release(call, approvalId)
			.catch((error: unknown) => gateway.log.warn({ err: error }, 'gateway: a call was not released'))
	}
	gated.onReleased(release)
	if (!gated.approval()) release()
	return () => gated.onReleased(() => {})
}

/** A person in the playground is shown at once that the call waits; a task waits as long as it can be decided about. */
function waitOf({ caller, task }: Operation, { approval }: GatedCall): number {
	if (caller.principal.kind === 'user') return 0
	return approval()?.waitMs ?? (task ? task.ttlMs : usualWaitMs)
}

/** Asks the person who uses the agent, where the client can; an approver of the workspace may be quicker. */
async function askCaller(
	gateway: Gateway,
	operation: Operation,
	gated: GatedCall,
	call: AskedCall,
	approvalId: string,
	waitMs: number,
	ending: AbortSignal,
): Promise<Standing> {
	const question = questionAbout(gateway, operation, gated)
	const isAsked = understands(askableCapabilities(operation.client.capabilities), question)
	const untilMs = isAsked ? Math.max(waitMs, gateway.limits.askMs) : waitMs
	const [takeBack, giveUp] = [new AbortController(), new AbortController()]
	const signal = AbortSignal.any([ending, giveUp.signal])
	const decided = gateway.approvals.wait(call, approvalId, untilMs, signal)
	void operation
		.ask(question, { signal: takeBack.signal })
		.then(async (answer) => {
			if (answer === 'unsupported') return
			// The grant may have been changed while they thought.
			if (gated.approval()?.approver !== 'caller') giveUp.abort()
			else if (answer.action === 'accept')
				await gateway.approvals.answer(call, approvalId, { answer: 'approve' })
			else if (answer.action === 'decline')
				await gateway.approvals.answer(call, approvalId, { answer: 'deny', reason: 'declined by the user' })
			else giveUp.abort()
		})
		.catch(() => giveUp.abort())
	return decided.finally(() => takeBack.abort())
}

function questionAbout(
	gateway: Gateway,
	{ caller }: Operation,
	{ server, tool, ...rest }: GatedCall,
): Question {
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

/** Progress for a client that gave a token: the time that is left, below zero so that the server's own numbers come after it. */
function tellProgress(gateway: Gateway, { request, reply }: Operation, waitMs: number): () => void {
	const progressToken = metaOf(request.params).progressToken
	if (progressToken === undefined || waitMs === 0) return () => {}
	const untilMs = gateway.clock.nowMs() + waitMs
	const tell = () => {
		const leftS = Math.max(0, Math.ceil((untilMs - gateway.clock.nowMs()) / 1000))
		const message = 'The call waits for the approval of a person.'
		const params = { progressToken, progress: -leftS - 1, message }
		reply.notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }))
	}
	tell()
	const timer = setInterval(tell, progressEveryMs)
	return () => clearInterval(timer)
}
