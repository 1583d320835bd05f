import { isDeepStrictEqual } from 'node:util'
import { type AgentStatus, type agentOperations, type BodyOf, byScope } from '@signalbox/contract'
import {
	type Actor,
	type Audit,
	actorOf,
	type RequestedChange,
	recordChange,
} from '../../accounts/audit/audit.ts'
import type { Identity } from '../../accounts/identity/identity.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import {
	type ControlStore,
	type DatabaseTransaction,
	duplicateOf,
	lockGroups,
} from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { authorize, principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import {
	type AgentDocument,
	everyModelText,
	type ModelWarnings,
	modelAccessText,
	presentAgent,
} from './agent.ts'
import {
	type AgentRow,
	type AgentWithUse,
	deleteAgent,
	findAgentWithUse,
	insertAgent,
	listDependents,
	moveStatus,
	namesLike,
	replaceGroups,
	updateAgent,
} from './agent-repository.ts'

/** What every operation on agents needs. */
export interface AgentContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	identity: Pick<Identity, 'createCredential' | 'listKeys'>
	clock: Clock
	/** The configured public origin, or null: then it is the address of the request. */
	publicUrl: string | null
	/** The parts of a model access that have no effect now, such as connections that do not exist. */
	modelWarnings: ModelWarnings
	/** Brings the grants that agents have through toolsets in line with their groups. */
	deriveGrants(tx: DatabaseTransaction, workspaceId: string, agentIds: readonly string[]): Promise<void>
	/** Listeners for the deletion of agents. */
	onRemove: OnRemovedAgent[]
}

/** Called in the transaction that deletes an agent. */
export type OnRemovedAgent = (
	tx: DatabaseTransaction,
	removed: { workspaceId: string; agentId: string; by: Actor; requestId: string },
) => Promise<void>

/** A change of an agent, as it is recorded. */
function changeOf(
	action: string,
	{ id, name }: { id: string; name: string },
	detail: Record<string, unknown>,
): RequestedChange {
	return { action, target: { kind: 'agent', id, name }, detail, viewKind: 'agent' }
}

/** An agent that the platform creates for a person. */
export interface AddedAgent {
	workspaceId: string
	/** A number is appended if it is taken. */
	name: string
	description: string
	groups: readonly string[]
	by: Actor
	requestId: string
}

/** Creates an agent in the caller's transaction, with the grants of its groups. Resolves with its id. */
export async function addAgent(
	agents: AgentContext,
	tx: DatabaseTransaction,
	{ workspaceId, name, description, groups, by, requestId }: AddedAgent,
): Promise<string> {
	await lockGroups(tx)
	const nowMs = agents.clock.nowMs()
	const free = freeName(name, await namesLike(tx, workspaceId, name))
	const row = newRow(workspaceId, { name: free, description }, nowMs)
	await insertAgent(tx, row)
	if (groups.length > 0) {
		await replaceGroups(tx, workspaceId, row.id, groups)
		await agents.deriveGrants(tx, workspaceId, [row.id])
	}
	await agents.audit.record(tx, {
		workspaceId,
		actor: by,
		action: 'agents.create',
		target: { kind: 'agent', id: row.id, name: row.name },
		detail: { name: row.name, status: row.status, groups },
		requestId,
	})
	await appendChange(tx, 'agent', row.id, agents.clock)
	return row.id
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
	if (!taken.has(wanted)) return wanted
	let number = 2
	while (taken.has(`${wanted} ${number}`)) number += 1
	return `${wanted} ${number}`
}

type AgentVerb = 'pause' | 'resume' | 'stop' | 'start'

/** The states in which each verb is allowed, and the resulting state. */
const transitions: Record<AgentVerb, { from: readonly AgentStatus[]; to: AgentStatus }> = {
	pause: { from: ['active'], to: 'paused' },
	resume: { from: ['paused'], to: 'active' },
	stop: { from: ['active', 'paused', 'error'], to: 'stopped' },
	start: { from: ['stopped', 'error'], to: 'active' },
}

type Created = BodyOf<(typeof agentOperations)['create']>
type Updated = BodyOf<(typeof agentOperations)['update']>

const readOnly = [
	'uuid',
	'id',
	'status',
	'created_at',
	'updated_at',
	'mcp_server_count',
	'last_seen_at',
	'warnings',
]
const moving = ['updated_at', 'last_seen_at', 'warnings']

/** An agent of the workspace. Throws the same 404 for malformed ids and for agents of other workspaces. */
export async function agentOrNotFound(
	tx: DatabaseTransaction,
	{ clock }: AgentContext,
	workspaceId: string,
	id: string,
): Promise<AgentWithUse> {
	const row = await findAgentWithUse(tx, workspaceId, id, clock.nowMs())
	if (!row) throw notFound('agent')
	return row
}

export async function createAgent(
	agents: AgentContext,
	request: RequestContext,
	body: Created,
): Promise<AgentDocument> {
	const { workspaceId } = principalIn(request)
	if (body.groups?.length || body.model_access?.mode === 'selected' || body.call_limits)
		requireAccessWrite(request)
	const nowMs = agents.clock.nowMs()
	const row = newRow(workspaceId, body, nowMs)
	return agents.mutate(async (tx) => {
		if (body.groups?.length) await lockGroups(tx)
		await insertAgent(tx, row).catch(rethrowNameTaken)
		if (body.groups?.length) await setGroups(tx, agents, row, body.groups)
		return finishChange(tx, agents, request, 'agents.create', row)
	})
}

function newRow(workspaceId: string, body: Created, nowMs: number): AgentRow {
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		name: body.name,
		description: body.description ?? '',
		status: 'active',
		last_seen_at: null,
		model_access: body.model_access ? modelAccessText(body.model_access) : everyModelText,
		call_limits: body.call_limits ? JSON.stringify(body.call_limits) : null,
		tool_face: body.tool_listing ?? body.tool_face ?? null,
		created_at: nowMs,
		updated_at: nowMs,
	}
}

export async function changeAgent(
	agents: AgentContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<AgentDocument> {
	const { workspaceId } = principalIn(request)
	return agents.mutate(async (tx) => {
		if (body.groups) await lockGroups(tx)
		const before = await agentOrNotFound(tx, agents, workspaceId, id)
		const current = presentAgent(agents, before)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, moving)
		const modelAccess = body.model_access ? modelAccessText(body.model_access) : before.model_access
		const groups = body.groups && !isDeepStrictEqual([...body.groups].sort(), current.groups)
		const callLimits = limitsAfter(before, body)
		if (groups || modelAccess !== before.model_access || callLimits !== before.call_limits)
			requireAccessWrite(request)
		const values = {
			name: body.name ?? before.name,
			description: body.description ?? before.description,
			model_access: modelAccess,
			call_limits: callLimits,
			tool_face: body.tool_listing ?? body.tool_face ?? before.tool_face,
			updated_at: agents.clock.nowMs(),
		}
		await updateAgent(tx, workspaceId, id, values).catch(rethrowNameTaken)
		if (groups) await setGroups(tx, agents, before, body.groups as string[])
		return finishChange(tx, agents, request, 'agents.update', before)
	})
}

export async function changeStatus(
	agents: AgentContext,
	request: RequestContext,
	id: string,
	verb: AgentVerb,
): Promise<AgentDocument> {
	const { workspaceId } = principalIn(request)
	const { from, to } = transitions[verb]
	return agents.mutate(async (tx) => {
		const moved = await moveStatus(tx, workspaceId, id, from, to, agents.clock.nowMs())
		const row = await agentOrNotFound(tx, agents, workspaceId, id)
		if (!moved)
			throw new Problem(
				'conflict',
				`The agent is ${row.status}; ${verb} needs it to be ${from.join(' or ')}.`,
			)
		return finishChange(tx, agents, request, `agents.${verb}`, row)
	})
}

export async function removeAgent(agents: AgentContext, request: RequestContext, id: string): Promise<void> {
	const { workspaceId } = principalIn(request)
	const removed = {
		workspaceId,
		agentId: id,
		by: actorOf(principalIn(request)),
		requestId: request.requestId,
	}
	await agents.mutate(async (tx) => {
		const row = await agentOrNotFound(tx, agents, workspaceId, id)
		requireUnchanged(presentAgent(agents, row))
		const { credentials, grants } = await listDependents(tx, workspaceId, id)
		await deleteAgent(tx, workspaceId, id)
		const lost = { keys: credentials.length, grants: grants.length }
		await recordChange(tx, agents, request, changeOf('agents.delete', row, lost))
		for (const credential of credentials) await appendChange(tx, 'credential', credential, agents.clock)
		for (const notify of agents.onRemove) await notify(tx, removed)
	})
}

async function finishChange(
	tx: DatabaseTransaction,
	agents: AgentContext,
	request: RequestContext,
	action: string,
	{ id, workspace_id }: AgentRow,
): Promise<AgentDocument> {
	const row = await agentOrNotFound(tx, agents, workspace_id, id)
	const document = presentAgent(agents, row)
	const { name, description, status, groups, model_access, call_limits, tool_listing } = document
	const detail = { name, description, status, groups, model_access, call_limits, tool_listing }
	await recordChange(tx, agents, request, changeOf(action, row, detail))
	return document
}

function limitsAfter(before: AgentRow, { call_limits }: Updated): string | null {
	if (call_limits === undefined) return before.call_limits
	return call_limits === null ? null : JSON.stringify(call_limits)
}

/** Groups, limits and model access decide what an agent may do, so changing them requires the right to give access. */
function requireAccessWrite(request: RequestContext): void {
	const refusal = authorize(byScope('access:write'), principalIn(request))
	if (refusal) throw refusal
}

async function setGroups(
	tx: DatabaseTransaction,
	agents: AgentContext,
	{ id, workspace_id }: AgentRow,
	groups: readonly string[],
): Promise<void> {
	await replaceGroups(tx, workspace_id, id, groups)
	await agents.deriveGrants(tx, workspace_id, [id])
}

function rethrowNameTaken(error: unknown): never {
	if (duplicateOf(error) === null) throw error
	throw new Problem('name_taken', 'An agent of this name exists already.', { cause: error })
}
