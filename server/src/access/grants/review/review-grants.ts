import type { ProposedChange } from '@signalbox/contract'
import { recordChange } from '../../../accounts/audit/audit.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import type { RequestContext } from '../../../platform/http/route.ts'
import { changeOf, type GrantContext, type NamedTarget } from '../grant-context.ts'
import { type GrantEntry, type GrantView, manualSource } from '../grant-entry.ts'
import {
	deleteGrant,
	findManualGrant,
	findManualGrantById,
	findTarget,
	type GrantRow,
	insertGrants,
	listManualGrants,
	listManualGrantsIn,
	listTargets,
	oldestDerivedBy,
	updateGrant,
} from '../grant-repository.ts'
import { changedTerms, type GrantTerms, newTerms } from '../grant-terms.ts'
import { toGrantEntry } from '../grant-view.ts'
import { columnsOf, termsOf } from '../present-grant.ts'
import { proposedGrants } from '../toolsets/preview-toolset.ts'
import {
	listAllToolsets,
	listToolsIn,
	type ToolsetRow,
	type ToolsOfServer,
} from '../toolsets/toolset-repository.ts'
import { toolsetOrNotFound } from '../toolsets/toolsets.ts'

/** All grants of an agent on a server, as they are and as they would be. */
export interface ProposedPair {
	agentId: string
	serverId: string
	before: readonly GrantEntry[]
	after: readonly GrantEntry[]
}

/**
 * What changes, made one after the other, would make of the current grants. Nothing is changed. Throws what the API would answer
 * to such a change, with its index in the list.
 */
export async function proposeChanges(
	grants: GrantContext,
	view: GrantView,
	workspaceId: string,
	changes: readonly ProposedChange[],
): Promise<ProposedPair[]> {
	const ofGrants = changes.flatMap((change, index) => (isOfGrant(change) ? [{ change, index }] : []))
	const draft = new Draft(view, await manualGrants(grants, workspaceId, ofGrants))
	for (const { change, index } of ofGrants)
		draft.change(change, (row) => atPlace(index, () => proposeRow(row, change, workspaceId)))
	const ofToolsets = changes.flatMap((change, index) => (isOfGrant(change) ? [] : [{ change, index }]))
	refuseTwice(ofToolsets)
	for (const { change, index } of ofToolsets) {
		const row = await toolsetOrNotFound(grants.store.db, workspaceId, change.toolset_id).catch((error) =>
			rethrowAt(index, error),
		)
		const { toolset_id: _, ...content } = change
		const proposed = await proposedGrants(grants, row, content).catch((error) => rethrowAt(index, error))
		draft.derive(row.id, [...proposed.values()])
	}
	return draft.pairs()
}

async function manualGrants(
	grants: GrantContext,
	workspaceId: string,
	changes: readonly { change: GrantChange; index: number }[],
): Promise<GrantRow[]> {
	if (changes.length === 0) return []
	const { db } = grants.store
	const agentIds = [...new Set(changes.map(({ change }) => change.agent_uuid))]
	const serverIds = [...new Set(changes.map(({ change }) => change.server_id))]
	const servers = await listTargets(db, 'mcp_servers', workspaceId, serverIds)
	const agents = await listTargets(db, 'agents', workspaceId, agentIds)
	for (const { change, index } of changes) {
		if (!servers.has(change.server_id)) rethrowAt(index, notFound('MCP server'))
		if (!agents.has(change.agent_uuid)) rethrowAt(index, notFound('agent'))
	}
	return listManualGrants(db, workspaceId, agentIds, serverIds)
}

/** The grants of each agent and server that a change concerns. */
class Draft {
	readonly #view: GrantView
	readonly #stored: Map<string, GrantRow>
	/** The changed grants; null for a deleted one. */
	readonly #manual = new Map<string, GrantRow | null>()
	readonly #pairs = new Map<string, ProposedPair>()

	constructor(view: GrantView, rows: readonly GrantRow[]) {
		this.#view = view
		this.#stored = new Map(rows.map((row) => [pairOf(row.agent_id, row.server_id), row]))
	}

	change({ agent_uuid: agentId, server_id: serverId }: GrantChange, to: Change): void {
		const key = pairOf(agentId, serverId)
		const pair = this.#pair(agentId, serverId, this.#stored.get(key) ?? null)
		const derived = pair.after.filter(({ source }) => source !== manualSource)
		const present = this.#manual.has(key) ? this.#manual.get(key) : this.#stored.get(key)
		const row = to({ manual: present ?? null, derived })
		this.#manual.set(key, row)
		pair.after = row ? [...derived, toGrantEntry(row)] : derived
	}

	derive(toolsetId: string, proposed: readonly GrantEntry[]): void {
		for (const { agentId, serverId } of this.#view.ofToolset(toolsetId)) {
			const pair = this.#pair(agentId, serverId)
			pair.after = pair.after.filter(({ source }) => source !== toolsetId)
		}
		for (const grant of proposed) {
			const pair = this.#pair(grant.agentId, grant.serverId)
			pair.after = [...pair.after, grant]
		}
	}

	pairs(): ProposedPair[] {
		return [...this.#pairs.values()]
	}

	/** Uses the stored direct grant if it was read, because a change builds on its exact texts. */
	#pair(agentId: string, serverId: string, stored?: GrantRow | null): ProposedPair {
		const key = pairOf(agentId, serverId)
		const known = this.#pairs.get(key)
		if (known) return known
		const seen = this.#view.of(agentId, serverId)
		const derived = seen.filter(({ source }) => source !== manualSource)
		const before = stored === undefined ? seen : stored ? [...derived, toGrantEntry(stored)] : derived
		const pair = { agentId, serverId, before, after: before }
		this.#pairs.set(key, pair)
		return pair
	}
}

type Change = (present: { manual: GrantRow | null; derived: readonly GrantEntry[] }) => GrantRow | null

function pairOf(agentId: string, serverId: string): string {
	return `${agentId} ${serverId}`
}

function refuseTwice(changes: readonly { change: ToolsetChange; index: number }[]): void {
	const seen = new Set<string>()
	for (const { change, index } of changes) {
		if (seen.has(change.toolset_id)) {
			const detail = 'must name each toolset once'
			rethrowAt(
				index,
				new Problem('invalid_request', `body/toolset_id: ${detail}.`, {
					errors: [{ pointer: '/toolset_id', code: 'conflict', detail }],
				}),
			)
		}
		seen.add(change.toolset_id)
	}
}

function atPlace<T>(index: number, work: () => T): T {
	try {
		return work()
	} catch (error) {
		return rethrowAt(index, error)
	}
}

/** Rethrows a problem of one change with its index in the list. */
function rethrowAt(index: number, error: unknown): never {
	if (!(error instanceof Problem)) throw error
	const detail = error.message.replace(/^body/, '')
	const errors = error.errors?.map((each) => ({ ...each, pointer: `/changes/${index}${each.pointer}` }))
	throw new Problem(error.code, `body/changes/${index}${detail.startsWith('/') ? '' : ': '}${detail}`, {
		...(errors && { errors }),
		cause: error,
	})
}

/** The direct grant after a change; null if it is deleted. Throws what the API would answer to such a change. */
function proposeRow(
	{ manual, derived }: { manual: GrantRow | null; derived: readonly GrantEntry[] },
	change: GrantChange,
	workspaceId: string,
): GrantRow | null {
	if (change.op === 'create') {
		if (manual) throw new Problem('conflict', 'The agent has access to this server already.')
		return toRow(change, newTerms(change), workspaceId)
	}
	if (!manual && derived.length > 0)
		throw new Problem('derived_grant', 'The agent has this access by a toolset.')
	if (!manual) throw notFound('access grant')
	if (change.op === 'delete') return null
	return { ...manual, ...columnsOf(changedTerms(termsOf(manual), change)) }
}

function toRow({ agent_uuid, server_id }: GrantChange, terms: GrantTerms, workspaceId: string): GrantRow {
	const nowhere = { id: '', created_at: 0, updated_at: 0 }
	return {
		...nowhere,
		workspace_id: workspaceId,
		server_id,
		agent_id: agent_uuid,
		source: manualSource,
		...columnsOf(terms),
	}
}

type GrantChange = Extract<ProposedChange, { op: string }>
type ToolsetChange = Exclude<ProposedChange, { op: string }>

function isOfGrant(change: ProposedChange): change is GrantChange {
	return 'op' in change
}

/** A direct grant in its required state and in its new state; at least one of the two is not null. */
export interface Rewrite {
	from: GrantRow | null
	to: GrantRow | null
	/** The reason, for the audit record. */
	because: Record<string, unknown>
}

/** Changes a grant from one state to another, exactly as given, including its timestamps. */
export async function rewriteGrant(
	tx: DatabaseTransaction,
	grants: GrantContext,
	request: RequestContext,
	{ from, to, because }: Rewrite,
): Promise<void> {
	const row = (from ?? to) as GrantRow
	const server = await targetOf(tx, 'mcp_servers', row.workspace_id, row.server_id)
	const agent = await targetOf(tx, 'agents', row.workspace_id, row.agent_id)
	await requireState(tx, from, row)
	if (to === null) await deleteGrant(tx, row.workspace_id, row.id)
	else if (from === null) await insertGrants(tx, [to])
	else await updateGrant(tx, row.workspace_id, row.id, valuesOf(to))
	const action = to === null ? 'access.delete' : from === null ? 'access.create' : 'access.update'
	const terms = to ? termsOf(to) : {}
	await recordChange(tx, grants, request, changeOf(action, row.id, { agent, server, ...terms, ...because }))
}

async function targetOf(
	tx: DatabaseTransaction,
	table: 'agents' | 'mcp_servers',
	workspaceId: string,
	id: string,
): Promise<NamedTarget> {
	const target = await findTarget(tx, table, workspaceId, id)
	if (target) return target
	throw new Problem('grant_changed', `The ${table === 'agents' ? 'agent' : 'server'} ${id} is gone.`)
}

/** Throws `grant_changed` with the names of the fields that differ. */
async function requireState(tx: DatabaseTransaction, from: GrantRow | null, row: GrantRow): Promise<void> {
	const found = from
		? await findManualGrantById(tx, row.workspace_id, row.id)
		: await findManualGrant(tx, row.workspace_id, row.server_id, row.agent_id)
	const which = `The grant ${row.id} of the agent ${row.agent_id} on the server ${row.server_id}`
	if (!from && found) throw new Problem('grant_changed', `${which} was granted again since.`)
	if (!from) return
	if (!found) throw new Problem('grant_changed', `${which} was taken away since.`)
	const differing = differencesOf(from, found)
	if (differing.length > 0)
		throw new Problem('grant_changed', `${which} was changed since: ${differing.join(', ')}.`)
}

function differencesOf(before: GrantRow, now: GrantRow): string[] {
	const columns = Object.keys(before) as (keyof GrantRow)[]
	// PostgreSQL returns large integers as text in some places, so values are compared as text.
	return columns.filter((column) => String(before[column]) !== String(now[column]))
}

function valuesOf({ id, workspace_id, server_id, agent_id, source, created_at, ...values }: GrantRow) {
	return values
}

/** The grants of a workspace, with the data that decides whether they are needed. */
export interface HeldGrants {
	/** Direct grants. */
	manual: GrantRow[]
	toolsets: HeldToolset[]
	/** Agents with derived grants, and when the oldest of these was created, in milliseconds since 1970. */
	derivedSinceMs: Map<string, number>
}

interface HeldToolset extends ToolsetRow {
	tools: ToolsOfServer[]
	/** When the oldest grant derived from it was created; null if there is none. */
	givenSinceMs: number | null
}

export async function listHeld(db: Queryable, workspaceId: string): Promise<HeldGrants> {
	const rows = await listAllToolsets(db, workspaceId)
	const tools = await listToolsIn(
		db,
		workspaceId,
		rows.map(({ id }) => id),
	)
	const givenSince = await oldestDerivedBy(db, workspaceId, 'source')
	return {
		manual: await listManualGrantsIn(db, workspaceId),
		toolsets: rows.map((row) => ({
			...row,
			tools: tools.get(row.id) ?? [],
			givenSinceMs: givenSince.get(row.id) ?? null,
		})),
		derivedSinceMs: await oldestDerivedBy(db, workspaceId, 'agent_id'),
	}
}
