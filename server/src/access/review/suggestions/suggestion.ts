import { createHash } from 'node:crypto'
import type { AccessSuggestion } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import type { GrantRow } from '../../grants/index.ts'
import { listUse, type UseRow } from '../recorded-calls-repository.ts'
import type { ReviewContext } from '../review-context.ts'

/** A direct grant as it is, and as a suggestion would leave it; null if it would be deleted. */
export interface GrantStep {
	before: GrantRow
	after: Pick<GrantRow, 'access_mode' | 'allowed_tools'> | null
}

/** A current suggestion: its presentation, and the changes that applying it makes. */
export interface Suggestion {
	document: AccessSuggestion
	steps: GrantStep[]
}

export type SuggestionContent = Pick<
	AccessSuggestion,
	'kind' | 'agent' | 'server' | 'toolset' | 'changes' | 'evidence'
>

/** `target` is the id of the object to be changed. The id contains the number of examined days, so that they can be examined again. */
export function toSuggestion(target: string, content: SuggestionContent, steps: GrantStep[]): Suggestion {
	const what = JSON.stringify([content.kind, content.changes, steps.map(({ before }) => before)])
	const hash = createHash('sha256').update(what).digest('hex').slice(0, 32)
	const document: AccessSuggestion = {
		id: `${content.evidence.days}.${target}.${hash}`,
		state: 'open',
		applicable: steps.length > 0,
		...content,
		applied_at: null,
		reverted_at: null,
	}
	return { document, steps }
}

interface SuggestionId {
	days: number
	target: string
}

/** Null for anything that is not the id of a suggestion. */
export function parseSuggestionId(id: string): SuggestionId | null {
	const found = /^([1-9]\d?)\.([0-9a-f-]{36})\.[0-9a-f]{32}$/.exec(id)
	return found ? { days: Number(found[1]), target: found[2] as string } : null
}

/** Evidence of the use of some tools. */
export function toEvidence(
	days: number,
	used: ReadonlyMap<string, ToolUse>,
	unused: readonly string[],
	times: { givenMs: number | null; changedMs: number | null },
): AccessSuggestion['evidence'] {
	const tools = [...used].sort(([a, of], [b, other]) => other.calls - of.calls || (a < b ? -1 : 1))
	const lastMs = Math.max(0, ...tools.map(([, use]) => use.lastMs))
	return {
		days,
		calls: tools.reduce((sum, [, { calls }]) => sum + calls, 0),
		last_used_at: lastMs === 0 ? null : toIso(lastMs),
		tools_used: tools.map(([tool, use]) => ({ tool, calls: use.calls, last_used_at: toIso(use.lastMs) })),
		tools_unused: [...unused].sort(),
		given_at: times.givenMs === null ? null : toIso(times.givenMs),
		changed_at: times.changedMs === null ? null : toIso(times.changedMs),
	}
}

export interface ToolUse {
	calls: number
	lastMs: number
}

/** What agents did in a period. */
export interface RecordedUse {
	/** Agents with any recorded operation, including refused ones. */
	seen: ReadonlySet<string>
	/** By agent and server, then by tool: calls that were not refused. */
	of(agentId: string, serverId: string): ReadonlyMap<string, ToolUse>
	/** Whether prompts, resources or completions were used, which only some grants cover. */
	usedBesideTools(agentId: string, serverId: string): boolean
}

const none: ReadonlyMap<string, ToolUse> = new Map()

export async function readUse(
	telemetry: ReviewContext['telemetry'],
	workspaceId: string,
	range: TimeRange,
): Promise<RecordedUse> {
	const rows = await listUse(telemetry, workspaceId, range)
	const byPair = new Map<string, Map<string, ToolUse>>()
	const beside = new Set<string>()
	for (const row of rows) {
		if (row.beside !== '0') beside.add(`${row.agent} ${row.server}`)
		if (row.calls !== '0') add(byPair, row)
	}
	return {
		seen: new Set(rows.map(({ agent }) => agent)),
		of: (agentId, serverId) => byPair.get(`${agentId} ${serverId}`) ?? none,
		usedBesideTools: (agentId, serverId) => beside.has(`${agentId} ${serverId}`),
	}
}

function add(
	byPair: Map<string, Map<string, ToolUse>>,
	{ agent, server, tool, calls, last_ms }: UseRow,
): void {
	const key = `${agent} ${server}`
	const tools = byPair.get(key) ?? new Map<string, ToolUse>()
	byPair.set(key, tools.set(tool, { calls: Number(calls), lastMs: Number(last_ms) }))
}

export type AppliedRow = ControlSchema['access_suggestions']

export function findApplied(db: Queryable, workspaceId: string, id: string): Promise<AppliedRow | undefined> {
	return db
		.selectFrom('access_suggestions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

/** Newest first. */
export function listApplied(db: Queryable, workspaceId: string, reverted: boolean): Promise<AppliedRow[]> {
	return db
		.selectFrom('access_suggestions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('reverted_at', reverted ? 'is not' : 'is', null)
		.orderBy('applied_at', 'desc')
		.orderBy('id')
		.execute()
}

/** Stores an applied suggestion. It replaces the record of one that was reverted. */
export async function putApplied(tx: DatabaseTransaction, row: AppliedRow): Promise<void> {
	await tx
		.deleteFrom('access_suggestions')
		.where('workspace_id', '=', row.workspace_id)
		.where('id', '=', row.id)
		.execute()
	await tx.insertInto('access_suggestions').values(row).execute()
}

export async function markReverted(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	atMs: number,
): Promise<void> {
	await tx
		.updateTable('access_suggestions')
		.set({ reverted_at: atMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}
