import { approvalOperations } from '@signalbox/contract'
import { type Actor, actorOf, systemActor } from '../../accounts/audit/audit.ts'
import type { Member } from '../../accounts/identity/identity.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import { startTimer } from '../../platform/clock.ts'
import { type DatabaseTransaction, duplicateOf, lockCount } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { authorize, principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import { paginate } from '../../platform/paging.ts'
import { Waiters } from '../../platform/waiters.ts'
import {
	type ApprovalContext,
	decidableMs,
	decisionMs,
	maxArgumentBytes,
	maxPending,
	noteChange,
} from './approval-context.ts'
import {
	type ApprovalRow,
	countApprovals,
	countPending,
	deleteRequestedBefore,
	endApproval,
	findApproval,
	findOpen,
	findStanding,
	insertApproval,
	listApprovals,
	listOverdue,
	moveApproval,
	type NamedApproval,
} from './approval-repository.ts'
import {
	type ApprovalResult,
	approvalResultOf,
	approveWaiting,
	type CallToApprove,
	expireOrClose,
} from './approval-result.ts'
import { canonicalJson, keyOfCall } from './call-key.ts'
import { type ApprovalDocument, argumentContext, presentApproval } from './present-approval.ts'

export type { ApprovalResult, CallToApprove } from './approval-result.ts'

export interface Approvals {
	operations: BoundOperation[]
	/** For the gateway. */
	gate: ApprovalGate
	/** Decides as a member without a credential here, for example one who answers from a chat. Their current role counts. */
	decideAs(by: Member, requestId: string, id: string, decision: Decision): Promise<{ name: string }>
	/** The number of calls that wait in this process. */
	waiting(): number
}

export interface ApprovalDependencies extends ApprovalContext {
	feed: ChangeFeed
	jobs: Pick<Jobs, 'every'>
}

const expireEveryMs = 15_000

/** Calls that need a person's approval: requested by the gateway, decided through the API. */
export function openApprovals({ feed, jobs, ...approvals }: ApprovalDependencies): Approvals {
	const waiters = new Waiters('approval')
	feed.add(waiters)
	jobs.every('approvals-expire', expireEveryMs, () => expireOverdue(approvals))
	return {
		operations: approvalRoutes(approvals),
		gate: createGate(approvals, waiters),
		decideAs: (...of) => decideAs(approvals, ...of),
		waiting: () => waiters.size,
	}
}

async function decideAs(
	approvals: ApprovalContext,
	by: Member,
	requestId: string,
	id: string,
	decision: Decision,
): Promise<{ name: string }> {
	const principal = { kind: 'user' as const, ...by, operator: false, sessionId: '' }
	const refusal = authorize(approvalOperations[decision.answer].access, principal)
	if (refusal) throw refusal
	const decider = { actor: actorOf(principal), requestId, credentialId: null }
	const row = await decide(approvals, decider, { workspaceId: by.workspaceId, id }, decision)
	return { name: `${row.agent_name} → ${row.tool} on ${row.server_name}` }
}

/** Holds calls that need approval before they are sent to their server. */
export interface ApprovalGate {
	/** The decision about a call, or a new request to the approvers. */
	ask(call: CallToApprove): Promise<ApprovalResult>
	/** Waits for the decision. Resolves with `pending` after `withinMs`, or when the signal aborts. */
	wait(
		call: CallToApprove,
		approvalId: string,
		withinMs: number,
		signal: AbortSignal,
	): Promise<ApprovalResult>
	/** Stores the answer of the agent's user. Only if the grant allows that: see `approver`. */
	answer(call: CallToApprove, approvalId: string, decision: Decision): Promise<void>
	/** Approves the call because the agent's grants no longer require approval. */
	release(call: CallToApprove, approvalId: string): Promise<void>
}

function createGate(approvals: ApprovalContext, waiters: Waiters): ApprovalGate {
	return {
		ask: (call) => ask(approvals, call),
		wait: (call, id, withinMs, signal) => wait(approvals, waiters, call, id, withinMs, signal),
		answer: (call, id, decision) => answer(approvals, call, id, decision),
		release: (call, id) => release(approvals, call, id),
	}
}

/** The user's name is unknown: the record names the credential, and says that its user decided. */
async function answer(
	approvals: ApprovalContext,
	call: CallToApprove,
	id: string,
	decision: Decision,
): Promise<void> {
	if (call.approver !== 'caller')
		throw new Error('Only approvers of the workspace may decide about this call.')
	const { kind, id: keyId, name } = actorOf(call.principal)
	const actor = { kind, id: keyId, name: `the user of ${name}` }
	const by = { actor, requestId: null, credentialId: null }
	await decide(approvals, by, { workspaceId: call.workspaceId, id }, decision)
}

/** A decision that somebody made a moment before counts. */
async function release(
	approvals: ApprovalContext,
	{ workspaceId }: CallToApprove,
	id: string,
): Promise<void> {
	const by = { actor: systemActor('Signalbox'), requestId: null, credentialId: null }
	const decision = { answer: 'approve', reason: 'the grant asks for no approval any more' } as const
	await decide(approvals, by, { workspaceId, id }, decision).catch((error: unknown) => {
		if (!(error instanceof Problem && error.code === 'approval_decided')) throw error
	})
}

/** Waits for the decision about a call, which may be made in another process. `pending` if there is none in time. */
async function wait(
	approvals: ApprovalContext,
	waiters: Waiters,
	call: CallToApprove,
	approvalId: string,
	withinMs: number,
	signal: AbortSignal,
): Promise<ApprovalResult> {
	const { store, clock } = approvals
	const waitedMs = startTimer()
	const waiter = waiters.add(approvalId)
	try {
		for (;;) {
			const row = await findApproval(store.db, call.workspaceId, approvalId)
			if (!row) return { kind: 'revoked', approvalId }
			if (signal.aborted) return { kind: 'pending', approvalId, expiresAtMs: row.expires_at }
			const standing = (await approvalResultOf(approvals, row)) ?? ({ kind: 'expired', approvalId } as const)
			const leftMs = Math.min(withinMs - waitedMs(), row.expires_at - clock.nowMs())
			if (standing.kind !== 'pending' || leftMs <= 0) return standing
			await waiter.next(leftMs, signal)
		}
	} finally {
		waiter.end()
	}
}

function approvalRoutes(approvals: ApprovalContext): BoundOperation[] {
	const { store, sealer } = approvals
	const which = (context: RequestContext, id: string) => ({
		workspaceId: principalIn(context).workspaceId,
		id,
	})
	const decideBy = async (
		context: RequestContext,
		id: string,
		decision: Decision,
	): Promise<ApprovalDocument> =>
		presentApproval(await decide(approvals, deciderIn(context), which(context, id), decision), sealer)
	return bind(approvalOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const total = await countApprovals(store.db, workspaceId, query)
			const rows = await listApprovals(store.db, workspaceId, query, query, query)
			return {
				approvals: rows.map((row) => presentApproval(row, sealer)),
				pagination: paginate(query, total),
			}
		},
		get: async ({ params, context }) => {
			const row = await findApproval(store.db, principalIn(context).workspaceId, params.id)
			if (!row) throw notFound('approval')
			return presentApproval(row, sealer)
		},
		approve: ({ params, body, context }) =>
			decideBy(context, params.id, { answer: 'approve', forMinutes: body.for_minutes, reason: body.reason }),
		deny: ({ params, body, context }) =>
			decideBy(context, params.id, { answer: 'deny', reason: body.reason }),
		revoke: async ({ params, context }) =>
			presentApproval(await revoke(approvals, deciderIn(context), which(context, params.id)), sealer),
	})
}

function deciderIn(context: RequestContext): Decider {
	const principal = principalIn(context)
	const credentialId = principal.kind === 'user' ? null : principal.keyId
	return { actor: actorOf(principal), requestId: context.requestId, credentialId }
}

/** Several processes may request the same call at once: the key is unique, and the later ones read the first one's row. */
async function ask(approvals: ApprovalContext, call: CallToApprove): Promise<ApprovalResult> {
	const key = keyOfCall(approvals.sealer, call)
	for (let attempt = 0; attempt < 3; attempt += 1) {
		const open = await findOpen(approvals.store.db, call.workspaceId, key)
		const standing = open && (await approvalResultOf(approvals, open))
		if (standing) return standing
		const made = await begin(approvals, call, key, open)
		if (made) return made
	}
	return { kind: 'full' }
}

/** Null if another process was faster. */
async function begin(
	approvals: ApprovalContext,
	call: CallToApprove,
	key: string,
	stale: ApprovalRow | undefined,
): Promise<ApprovalResult | null> {
	const { store, clock } = approvals
	const standing = await findStanding(store.db, call.workspaceId, call, clock.nowMs())
	if (standing !== null) return { kind: 'run', approvalId: standing }
	const json = canonicalJson(call.arguments)
	if (Buffer.byteLength(json) > maxArgumentBytes) return { kind: 'too_large' }
	return request(approvals, call, key, json, stale).catch((error: unknown) => {
		if (duplicateOf(error) === null) throw error
		return null
	})
}

async function request(
	approvals: ApprovalContext,
	call: CallToApprove,
	key: string,
	json: string,
	stale: ApprovalRow | undefined,
): Promise<ApprovalResult> {
	const row = newRow(approvals, call, key, json)
	const isRequested = await approvals.mutate(async (tx) => {
		await lockCount(tx, `approvals ${call.agentId}`)
		if (stale) await expireOrClose(approvals, tx, stale)
		if ((await countPending(tx, call.workspaceId, call.agentId)) >= maxPending) return false
		await insertApproval(tx, row)
		const by = { actor: actorOf(call.principal), requestId: null }
		await noteChange(tx, approvals, by, 'request', { workspaceId: call.workspaceId, id: row.id })
		return true
	})
	if (!isRequested) return { kind: 'full' }
	return { kind: 'pending', approvalId: row.id, expiresAtMs: row.expires_at }
}

function newRow(
	{ clock, sealer }: ApprovalContext,
	call: CallToApprove,
	key: string,
	json: string,
): ApprovalRow {
	const nowMs = clock.nowMs()
	const ids = { id: newId(nowMs), workspace_id: call.workspaceId }
	return {
		...ids,
		agent_id: call.agentId,
		server_id: call.serverId,
		tool: call.tool,
		open_key: key,
		sealed_arguments: sealer.seal(json, argumentContext(ids)),
		credential_id: call.credentialId,
		approver: call.approver,
		status: 'pending',
		reason: null,
		decided_at: null,
		decided_by_kind: null,
		decided_by_id: null,
		decided_by_name: null,
		valid_until: null,
		for_minutes: null,
		used_at: null,
		requested_at: nowMs,
		expires_at: nowMs + decidableMs,
	}
}

/** Who decides, in which request, and with which credential (null for a person). */
interface Decider {
	actor: Actor
	requestId: string | null
	credentialId: string | null
}

interface Decision {
	answer: 'approve' | 'deny'
	/** If set: approves all calls of the tool by the agent for this period. */
	forMinutes?: number | undefined
	reason?: string | undefined
}

interface Which {
	workspaceId: string
	id: string
}

/** Decides about a waiting call. Throws `approval_decided` if it has been decided or its time is over. */
function decide(
	approvals: ApprovalContext,
	by: Decider,
	which: Which,
	decision: Decision,
): Promise<NamedApproval> {
	return approvals.mutate(async (tx) => {
		const row = await approvalOrNotFound(tx, which)
		const nowMs = approvals.clock.nowMs()
		if (decision.answer === 'approve') requireAnother(row, by)
		if (row.status !== 'pending' || row.expires_at <= nowMs) throw decided(row)
		const values = valuesOf(decision, by, nowMs)
		if (!(await moveApproval(tx, which.workspaceId, which.id, 'pending', values))) throw decided(row)
		const answered = await noteChange(tx, approvals, by, decision.answer, which)
		if (answered.for_minutes !== null) await approveWaiting(tx, approvals, by, answered)
		return answered
	})
}

/** Revokes an approval that no call has used yet, or that is for a period. */
function revoke(approvals: ApprovalContext, by: Decider, which: Which): Promise<NamedApproval> {
	return approvals.mutate(async (tx) => {
		const row = await approvalOrNotFound(tx, which)
		if (!(await endApproval(tx, which.workspaceId, which.id, 'revoked'))) throw decided(row)
		return noteChange(tx, approvals, by, 'revoke', which)
	})
}

async function approvalOrNotFound(
	tx: DatabaseTransaction,
	{ workspaceId, id }: Which,
): Promise<NamedApproval> {
	const row = await findApproval(tx, workspaceId, id)
	if (!row) throw notFound('approval')
	return row
}

/** Otherwise a program with one key could approve its own requests. */
function requireAnother(row: NamedApproval, { credentialId }: Decider): void {
	if (credentialId !== null && credentialId === row.credential_id)
		throw new Problem('forbidden', 'The key that sent the call cannot approve it.')
}

function valuesOf({ answer, forMinutes, reason }: Decision, { actor }: Decider, nowMs: number) {
	return {
		status: answer === 'approve' ? 'approved' : 'denied',
		reason: reason ?? null,
		decided_at: nowMs,
		decided_by_kind: actor.kind,
		decided_by_id: actor.id,
		decided_by_name: actor.name,
		for_minutes: forMinutes ?? null,
		valid_until: nowMs + (forMinutes === undefined ? decisionMs : forMinutes * 60_000),
	}
}

function decided({ status }: NamedApproval): Problem {
	const text = status === 'pending' ? 'Its time is over' : `It is ${status}`
	return new Problem('approval_decided', `${text}; nothing can be decided about it any more.`)
}

const keptMs = 30 * 24 * 60 * 60 * 1000
const batch = 100

/** Ends approvals that nobody decided or used in time, and deletes those decided over a month ago. */
export async function expireOverdue(approvals: ApprovalContext): Promise<void> {
	const { store, clock, mutate } = approvals
	for (const row of await listOverdue(store.db, clock.deletionMs(), batch))
		await mutate((tx) => expireOrClose(approvals, tx, row))
	await deleteRequestedBefore(store.db, clock.deletionMs() - keptMs)
}
