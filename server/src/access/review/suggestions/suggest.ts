import type { AccessSuggestion, accessReviewOperations, OutputOf, QueryOf } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/audit.ts'
import { toIso } from '../../../platform/clock.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { paginate } from '../../../platform/paging.ts'
import type { GrantRow, HeldGrants } from '../../grants/index.ts'
import { inTurns, type ReviewContext } from '../review-context.ts'
import {
	type AppliedRow,
	findApplied,
	type GrantStep,
	listApplied,
	parseSuggestionId,
	putApplied,
	type RecordedUse,
	readUse,
	type Suggestion,
	type SuggestionContent,
	type ToolUse,
	toEvidence,
	toSuggestion,
} from './suggestion.ts'

const dayMs = 86_400_000

/** All suggestions from the usage of the last days, the most far-reaching first, in a stable order. */
export async function suggest(
	review: ReviewContext,
	workspaceId: string,
	askedDays: number,
): Promise<Suggestion[]> {
	const days = Math.min(askedDays, review.retentionDays)
	const nowMs = review.clock.nowMs()
	const sinceMs = nowMs - days * dayMs
	const held = await review.grants.held(workspaceId)
	const use = await readUse(review.telemetry, workspaceId, { startMs: sinceMs, endMs: nowMs })
	const agentsBy = (toolsetId: string, serverId: string) =>
		review.grants.view
			.ofToolset(toolsetId)
			.filter((grant) => grant.serverId === serverId)
			.map(({ agentId }) => agentId)
	const basis: Basis = { review, held, use, days, sinceMs, agentsBy }
	const grants = held.manual.filter(
		({ enabled, expires_at, updated_at }) =>
			enabled === 1 && (expires_at === null || expires_at > nowMs) && updated_at < sinceMs,
	)
	const ofUnseen = Map.groupBy(
		grants.filter(({ agent_id }) => !use.seen.has(agent_id)),
		({ agent_id }) => agent_id,
	)
	const unseen = [...held.derivedSinceMs].filter(([id, at]) => at < sinceMs && !use.seen.has(id))
	const idle = [...new Set([...ofUnseen.keys(), ...unseen.map(([id]) => id)])]
	const found: (Suggestion | null)[] = []
	for await (const id of inTurns(idle)) found.push(suggestForAgent(basis, id, ofUnseen.get(id) ?? []))
	for await (const row of inTurns(grants))
		if (!ofUnseen.has(row.agent_id)) found.push(suggestForGrant(basis, row))
	for await (const toolset of inTurns(held.toolsets)) found.push(suggestForToolset(basis, toolset))
	return found.filter((each) => each !== null).sort(bySweep)
}

const order = ['unseen_agent', 'unused_grant', 'all_to_used_tools', 'unused_tools', 'unused_tools_of_toolset']

function bySweep({ document: a }: Suggestion, { document: b }: Suggestion): number {
	return order.indexOf(a.kind) - order.indexOf(b.kind) || (a.id < b.id ? -1 : 1)
}

/** For an agent without any activity: removes its direct grants. Its derived grants depend on its groups, which people change. */
function suggestForAgent(
	{ review, held, days }: Basis,
	agentId: string,
	rows: readonly GrantRow[],
): Suggestion | null {
	const agent = review.agents.get(agentId)
	if (!agent) return null
	const given = [...rows.map(({ created_at }) => created_at), held.derivedSinceMs.get(agentId)]
	const givenMs = Math.min(...given.filter((at) => at !== undefined))
	const changedMs = rows.length === 0 ? null : Math.max(...rows.map(({ updated_at }) => updated_at))
	return toSuggestion(
		agentId,
		{
			kind: 'unseen_agent',
			agent: { uuid: agentId, name: agent.name },
			server: null,
			toolset: null,
			changes: rows.map(({ server_id }) => ({ op: 'delete', server_id, agent_uuid: agentId })),
			evidence: toEvidence(days, new Map(), [], { givenMs, changedMs }),
		},
		rows.map((before) => ({ before, after: null })),
	)
}

type Toolset = HeldGrants['toolsets'][number]

/** The tools of a toolset that none of its agents used. Null if there are none, or if the toolset is too new to tell. */
function suggestForToolset(basis: Basis, toolset: Toolset): Suggestion | null {
	if (toolset.updated_at >= basis.sinceMs) return null
	if (toolset.givenSinceMs === null || toolset.givenSinceMs >= basis.sinceMs) return null
	const used = new Map(
		toolset.tools.map((of) => [of.serverId, only(useBy(basis, toolset.id, of.serverId), of.tools)]),
	)
	const unused = toolset.tools.flatMap(({ serverId, tools }) =>
		tools.filter((tool) => !used.get(serverId)?.has(tool)),
	)
	if (unused.length === 0) return null
	const kept = toolset.tools.map(({ serverId, tools }) => ({
		server_id: serverId,
		tools: tools.filter((tool) => used.get(serverId)?.has(tool)),
	}))
	const times = { givenMs: toolset.created_at, changedMs: toolset.updated_at }
	return toSuggestion(
		toolset.id,
		{
			kind: 'unused_tools_of_toolset',
			agent: null,
			server: null,
			toolset: { id: toolset.id, name: toolset.name },
			changes: [{ toolset_id: toolset.id, tools: kept.filter(({ tools }) => tools.length > 0) }],
			evidence: toEvidence(basis.days, together([...used.values()]), unused, times),
		},
		[],
	)
}

/** What all agents with a grant from the toolset did on a server. */
function useBy({ use, agentsBy }: Basis, toolsetId: string, serverId: string): ReadonlyMap<string, ToolUse> {
	return together(agentsBy(toolsetId, serverId).map((agentId) => use.of(agentId, serverId)))
}

function together(uses: readonly ReadonlyMap<string, ToolUse>[]): ReadonlyMap<string, ToolUse> {
	const sum = new Map<string, ToolUse>()
	for (const [tool, { calls, lastMs }] of uses.flatMap((use) => [...use])) {
		const known = sum.get(tool)
		sum.set(tool, { calls: (known?.calls ?? 0) + calls, lastMs: Math.max(known?.lastMs ?? 0, lastMs) })
	}
	return sum
}

type List = (typeof accessReviewOperations)['suggestions']

export async function listSuggestions(
	review: ReviewContext,
	workspaceId: string,
	query: QueryOf<List>,
): Promise<OutputOf<List>> {
	const all = await (query.state === 'open'
		? listOpen(review, workspaceId, query.days)
		: listPast(review, workspaceId, query.state === 'reverted'))
	const first = (query.page - 1) * query.limit
	return {
		suggestions: all.slice(first, first + query.limit),
		pagination: paginate(query, all.length),
	}
}

/** A reverted suggestion is made again, marked as reverted, as long as its reasons hold. */
async function listOpen(
	review: ReviewContext,
	workspaceId: string,
	days: number,
): Promise<AccessSuggestion[]> {
	const reverted = new Map(
		(await listApplied(review.store.db, workspaceId, true)).map((row) => [row.id, row]),
	)
	return (await suggest(review, workspaceId, days)).map(({ document }) => {
		const atMs = reverted.get(document.id)?.reverted_at
		return { ...document, reverted_at: atMs ? toIso(atMs) : null }
	})
}

async function listPast(
	{ store }: ReviewContext,
	workspaceId: string,
	reverted: boolean,
): Promise<AccessSuggestion[]> {
	return (await listApplied(store.db, workspaceId, reverted)).map(presentApplied)
}

/** An applied suggestion, as it was at that time. */
export function presentApplied(row: AppliedRow): AccessSuggestion {
	return {
		...(JSON.parse(row.document) as AccessSuggestion),
		state: row.reverted_at === null ? 'applied' : 'reverted',
		applied_at: toIso(row.applied_at),
		reverted_at: row.reverted_at === null ? null : toIso(row.reverted_at),
	}
}

/** The data from which suggestions are derived. */
interface Basis {
	review: Pick<ReviewContext, 'agents' | 'servers'>
	held: HeldGrants
	use: RecordedUse
	days: number
	/** Grants that are newer are not suggested for removal. */
	sinceMs: number
	/** Agents with a grant on the server from the toolset. */
	agentsBy(toolsetId: string, serverId: string): readonly string[]
}

/** What the usage of a direct grant suggests; null for nothing. */
function suggestForGrant(basis: Basis, row: GrantRow): Suggestion | null {
	const { review, use, days } = basis
	const [agent, server] = [review.agents.get(row.agent_id), review.servers.get(row.server_id)]
	if (!agent || !server) return null
	const granted =
		row.allowed_tools === null
			? server.tools.map(({ name }) => name)
			: (JSON.parse(row.allowed_tools) as string[])
	const called = use.of(agent.id, server.id)
	const used = row.allowed_tools === null ? called : only(called, granted)
	const unused = granted.filter((tool) => !used.has(tool))
	const change = changeOf(row, used, unused, use.usedBesideTools(agent.id, server.id))
	if (!change) return null
	const pair = { server_id: server.id, agent_uuid: agent.id }
	const content: SuggestionContent = {
		kind: change.kind,
		agent: { uuid: agent.id, name: agent.name },
		server: { id: server.id, name: server.name },
		toolset: null,
		changes: [
			change.tools
				? { op: 'update', ...pair, access_mode: 'selected', allowed_tools: change.tools }
				: { op: 'delete', ...pair },
		],
		evidence: toEvidence(days, used, unused, { givenMs: row.created_at, changedMs: row.updated_at }),
	}
	return toSuggestion(row.id, content, [{ before: row, after: afterOf(change.tools) }])
}

interface Change {
	kind: 'unused_grant' | 'all_to_used_tools' | 'unused_tools'
	/** The tools that stay; null if the grant is deleted. */
	tools: string[] | null
}

function changeOf(
	row: GrantRow,
	used: ReadonlyMap<string, ToolUse>,
	unused: readonly string[],
	besideTools: boolean,
): Change | null {
	if (besideTools && (row.allowed_tools === null || (used.size === 0 && namesParts(row)))) return null
	if (used.size === 0) return { kind: 'unused_grant', tools: null }
	if (unused.length === 0) return null
	if (row.allowed_tools === null) return { kind: 'all_to_used_tools', tools: [...used.keys()].sort() }
	const kept = (JSON.parse(row.allowed_tools) as string[]).filter((tool) => used.has(tool))
	return { kind: 'unused_tools', tools: kept }
}

function namesParts({ allowed_prompts, allowed_resources }: GrantRow): boolean {
	return [allowed_prompts, allowed_resources].some((parts) => parts !== null && parts !== '[]')
}

function afterOf(tools: string[] | null): GrantStep['after'] {
	return tools && { access_mode: 'selected', allowed_tools: JSON.stringify(tools) }
}

function only(used: ReadonlyMap<string, ToolUse>, tools: readonly string[]): ReadonlyMap<string, ToolUse> {
	const wanted = new Set(tools)
	return new Map([...used].filter(([tool]) => wanted.has(tool)))
}

/** A grant before and after a suggestion was applied; `after` is null if it was deleted. */
export interface AppliedStep {
	before: GrantRow
	after: GrantRow | null
}

/** Applies a suggestion if the grants and the recorded calls still justify it. */
export async function applySuggestion(
	review: ReviewContext,
	request: RequestContext,
	id: string,
): Promise<AccessSuggestion> {
	const { workspaceId } = principalIn(request)
	const { document, steps } = await suggestionOrProblem(review, workspaceId, id)
	const nowMs = review.clock.nowMs()
	const grants = steps.map((step) => toApplied(step, nowMs))
	const row: AppliedRow = {
		workspace_id: workspaceId,
		id,
		document: JSON.stringify(document),
		grants: JSON.stringify(grants),
		applied_at: nowMs,
		reverted_at: null,
	}
	return review.mutate(async (tx) => {
		for (const { before, after } of grants) await rewrite(tx, review, request, id, { before, after })
		await putApplied(tx, row)
		await recordSuggestion(tx, review, request, 'access-review.apply', document)
		return presentApplied(row)
	})
}

async function suggestionOrProblem(
	review: ReviewContext,
	workspaceId: string,
	id: string,
): Promise<Suggestion> {
	const parsed = parseSuggestionId(id)
	if (!parsed) throw notFound('access suggestion')
	const found = (await suggest(review, workspaceId, parsed.days)).find(({ document }) => document.id === id)
	if (found?.document.applicable) return found
	if (found)
		throw new Problem('derived_grant', 'The access comes from toolsets: change those, or the groups.')
	const applied = await findApplied(review.store.db, workspaceId, id)
	if (applied?.reverted_at === null)
		throw new Problem('suggestion_outdated', 'The suggestion is applied already.')
	if (applied || (await isThere(review, workspaceId, parsed.target))) throw new Problem('suggestion_outdated')
	throw notFound('access suggestion')
}

/** Whether the object in a suggestion's id exists in the workspace. */
async function isThere({ grants, agents }: ReviewContext, workspaceId: string, id: string): Promise<boolean> {
	if (agents.get(id)?.workspaceId === workspaceId) return true
	const { manual, toolsets } = await grants.held(workspaceId)
	return [...manual, ...toolsets].some((each) => each.id === id)
}

function toApplied({ before, after }: GrantStep, nowMs: number): AppliedStep {
	return { before, after: after && { ...before, ...after, updated_at: nowMs } }
}

/** A grant that changes between reading and transaction gives the same error as one that changed before. */
async function rewrite(
	tx: DatabaseTransaction,
	{ grants }: ReviewContext,
	request: RequestContext,
	id: string,
	{ before, after }: AppliedStep,
): Promise<void> {
	try {
		await grants.rewrite(tx, request, { from: before, to: after, because: { suggestion: id } })
	} catch (error) {
		if (!(error instanceof Problem) || error.code !== 'grant_changed') throw error
		throw new Problem('suggestion_outdated', error.message, { cause: error })
	}
}

export function recordSuggestion(
	tx: DatabaseTransaction,
	{ audit }: ReviewContext,
	request: RequestContext,
	action: 'access-review.apply' | 'access-review.revert',
	{ id, kind, changes, agent, server }: AccessSuggestion,
): Promise<void> {
	const principal = principalIn(request)
	const name = [agent?.name, server?.name].filter((part) => part !== undefined).join(' → ')
	return audit.record(tx, {
		workspaceId: principal.workspaceId,
		actor: actorOf(principal),
		action,
		target: { kind: 'access_suggestion', id, name },
		detail: { kind, changes },
		requestId: request.requestId,
	})
}
