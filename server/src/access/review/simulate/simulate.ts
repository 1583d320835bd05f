import type { AccessReason, accessReviewOperations, BodyOf, OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import {
	type AccessQuery,
	decideAccess,
	definitionOf,
	type GrantEntry,
	type ProposedPair,
} from '../../grants/index.ts'
import {
	type CallCounts,
	type CallsWithArguments,
	countCalls,
	findTraces,
	listArguments,
	type RecordedCalls,
} from '../recorded-calls-repository.ts'
import { inTurns, type ReviewContext } from '../review-context.ts'

type Simulate = (typeof accessReviewOperations)['simulate']

const dayMs = 86_400_000
/** Limits of one simulation: bytes of arguments that it holds, and different arguments that it checks. */
const maxArgumentBytes = 64 * 1024 * 1024
const maxArguments = 200_000

/** Decides the recorded calls of the last days under the current grants and under proposed ones. */
export async function simulate(
	review: ReviewContext,
	workspaceId: string,
	{ changes, days = 7 }: BodyOf<Simulate>,
): Promise<OutputOf<Simulate>> {
	const pairs = new Map(
		(await review.grants.propose(workspaceId, changes)).map((pair) => [keyOf(pair), pair]),
	)
	const nowMs = review.clock.nowMs()
	const range = { startMs: nowMs - days * dayMs, endMs: nowMs }
	const groups = new Groups(
		(id) => nameIn(review.agents, id, workspaceId),
		(id) => nameIn(review.servers, id, workspaceId),
	)
	const counts = await countCalls(review.telemetry, workspaceId, range, [...pairs.values()])
	const decide = createDecide(review, workspaceId, pairs, nowMs)
	const open = new Map<string, CallCounts>()
	for await (const count of inTurns(counts)) {
		groups.withoutServer += Number(count.without_server)
		const decision = decide(count)
		if (decision?.byArguments) open.set(toolKey(count), count)
		else groups.add(count, decision)
	}
	const listed =
		open.size === 0
			? []
			: await listArguments(review.telemetry, workspaceId, range, [...open.values()], maxLogsOf(open))
	await decideArguments(listed, open, groups, decide)
	const traces = await findTraces(review.telemetry, workspaceId, range, groups.samples())
	return { start: toIso(range.startMs), end: toIso(range.endMs), ...groups.present(traces) }
}

type Decide = ReturnType<typeof createDecide>

function createDecide(
	{ agents, servers }: ReviewContext,
	workspaceId: string,
	pairs: ReadonlyMap<string, ProposedPair>,
	nowMs: number,
) {
	return (
		{ agent: agentId, server: serverId, tool }: Pick<RecordedCalls, 'agent' | 'server' | 'tool'>,
		values?: unknown,
	) => {
		const pair = pairs.get(`${agentId} ${serverId}`)
		if (!pair) return null
		const agent = agents.get(agentId)
		const server = servers.get(serverId)
		const who: Who = {
			agent: agent?.workspaceId === workspaceId ? agent : undefined,
			server,
			definition: server && definitionOf(server, tool),
			suspended: server?.suspended.get(tool),
			nowMs,
		}
		return decidePair(who, pair, tool, values)
	}
}

/**
 * Decides once for each of the different arguments. Calls whose arguments were not recorded, or left out, are decided by the tool
 * alone.
 */
async function decideArguments(
	listed: readonly CallsWithArguments[],
	open: ReadonlyMap<string, CallCounts>,
	groups: Groups,
	decide: Decide,
): Promise<void> {
	const grouped = new Map<string, number>()
	for await (const calls of inTurns(listed)) {
		grouped.set(toolKey(calls), (grouped.get(toolKey(calls)) ?? 0) + Number(calls.calls))
		groups.add(calls, decide(calls, valuesOf(calls.arguments)))
	}
	for (const [key, count] of open) {
		const left = Number(count.calls) - (grouped.get(key) ?? 0)
		if (left > 0) groups.add({ ...count, calls: String(left) }, decide(count))
	}
}

function valuesOf(text: string): unknown {
	if (text === '') return undefined
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

function maxLogsOf(open: ReadonlyMap<string, CallCounts>): number {
	const of = (field: 'calls' | 'request_bytes') =>
		[...open.values()].reduce((sum, each) => sum + Number(each[field]), 0)
	const bytes = Math.max(1, of('request_bytes') / Math.max(1, of('calls')))
	return Math.floor(Math.max(1000, Math.min(maxArguments, maxArgumentBytes / bytes)))
}

function nameIn(
	view: { get(id: string): { name: string; workspaceId: string } | undefined },
	id: string,
	workspaceId: string,
): string | null {
	const entry = view.get(id)
	return entry?.workspaceId === workspaceId ? entry.name : null
}

function keyOf({ agentId, serverId }: ProposedPair): string {
	return `${agentId} ${serverId}`
}

function toolKey({ agent, server, tool }: Pick<RecordedCalls, 'agent' | 'server' | 'tool'>): string {
	return `${agent} ${server} ${tool}`
}

/** What a change does to a call; null for nothing. */
type AccessChange = 'newly_denied' | 'newly_allowed' | 'unknown' | null

interface ChangedDecision {
	change: AccessChange
	/** The reasons of the access decisions: about the call if its arguments are known, otherwise about the tool. */
	before: AccessReason
	after: AccessReason
	/** Whether recorded arguments could give a definite result. */
	byArguments: boolean
}

type Who = Pick<AccessQuery, 'agent' | 'server' | 'definition' | 'suspended' | 'nowMs'>

/** Decides about calls of a tool under the grants before and after. Without `values`, the arguments are unknown. */
function decidePair(who: Who, pair: ProposedPair, tool: string, values?: unknown): ChangedDecision {
	const ask = (grants: readonly GrantEntry[]) => decideAccess({ ...who, grants, tool, arguments: values })
	const [before, after] = [ask(pair.before), ask(pair.after)]
	const [then, now] = [outcomeOf(before, values), outcomeOf(after, values)]
	const reasons = { before: before.reason, after: after.reason }
	const byArguments = values === undefined && [before, after].some(({ reason }) => limited.has(reason))
	if (then === null || now === null) {
		const change = then === now && opensSame(who, pair, tool) ? null : 'unknown'
		return { change, ...reasons, byArguments: change !== null }
	}
	const change = then === now ? null : now ? 'newly_allowed' : 'newly_denied'
	return { change, ...reasons, byArguments: change !== null && byArguments }
}

const limited: ReadonlySet<AccessReason> = new Set(['granted_constrained', 'granted_on_approval'])

/** Whether a call is allowed; null if that depends on unknown arguments. */
function outcomeOf(
	{ allowed, reason }: { allowed: boolean; reason: AccessReason },
	values: unknown,
): boolean | null {
	if (values !== undefined || !limited.has(reason)) return allowed
	// A call that needs approval counts as refused, whatever its arguments.
	return reason === 'granted_on_approval' ? false : null
}

/** Whether the same arguments are allowed before and after: true if the tool is allowed by the same constraints. */
function opensSame(who: Who, { before, after }: ProposedPair, tool: string): boolean {
	const open = (grants: readonly GrantEntry[]) =>
		new Set(
			grants
				.filter((grant) => decideAccess({ ...who, grants: [grant], tool }).reason === 'granted_constrained')
				// Equal schemas share one constraint.
				.map(({ constraints }) => constraints?.get(tool)),
		)
	const [then, now] = [open(before), open(after)]
	return then.size === now.size && [...then].every((constraint) => now.has(constraint))
}

type Simulation = OutputOf<(typeof accessReviewOperations)['simulate']>
type Presented = Simulation['groups'][number]
type NameOf = (id: string) => string | null

const maxGroups = 1000
const maxSamples = 3

interface Group extends Pick<ChangedDecision, 'before' | 'after'> {
	change: NonNullable<AccessChange>
	agentId: string
	serverId: string
	tool: string
	calls: number
	firstMs: number
	lastMs: number
	samples: string[]
}

/** Calls of one tool by one agent with the same decisions, counted together. */
class Groups {
	withoutServer = 0
	readonly #nameOfAgent: NameOf
	readonly #nameOfServer: NameOf
	readonly #groups = new Map<string, Group>()
	readonly #totals = { newly_denied: 0, newly_allowed: 0, unknown: 0, unchanged: 0 }

	constructor(nameOfAgent: NameOf, nameOfServer: NameOf) {
		this.#nameOfAgent = nameOfAgent
		this.#nameOfServer = nameOfServer
	}

	/** `decision` is null for calls that no change concerns. */
	add(calls: RecordedCalls, decision: ChangedDecision | null): void {
		const change = decision?.change ?? null
		this.#totals[change ?? 'unchanged'] += Number(calls.calls)
		if (!decision || !change) return
		const { before, after } = decision
		const key = JSON.stringify([calls.agent, calls.server, calls.tool, change, before, after])
		const group = toGroup(calls, { change, before, after })
		const known = this.#groups.get(key)
		this.#groups.set(key, known ? merge(known, group) : group)
	}

	/** The samples of the groups that are returned. */
	samples(): string[] {
		return this.#shown().flatMap(({ samples }) => samples)
	}

	/** `traces`: trace ids by sample. */
	present(traces: ReadonlyMap<string, string>): Omit<Simulation, 'start' | 'end'> {
		const { newly_denied, newly_allowed, unknown, unchanged } = this.#totals
		const calls = newly_denied + newly_allowed + unknown + unchanged
		return {
			totals: { calls, ...this.#totals, without_server: this.withoutServer },
			groups: this.#shown().map((group) => this.#present(group, traces)),
			truncated: this.#groups.size > maxGroups,
		}
	}

	#shown(): Group[] {
		const sorted = [...this.#groups].sort(
			([keyA, a], [keyB, b]) => b.calls - a.calls || (keyA < keyB ? -1 : 1),
		)
		return sorted.slice(0, maxGroups).map(([, group]) => group)
	}

	#present(
		{ change, agentId, serverId, tool, calls, firstMs, lastMs, before, after, samples }: Group,
		traces: ReadonlyMap<string, string>,
	): Presented {
		return {
			change,
			agent: { uuid: agentId, name: this.#nameOfAgent(agentId) },
			server: { id: serverId, name: this.#nameOfServer(serverId) },
			tool,
			calls,
			first_at: toIso(firstMs),
			last_at: toIso(lastMs),
			reason_before: before,
			reason_after: after,
			sample_trace_ids: samples.flatMap((sample) => traces.get(sample) ?? []),
		}
	}
}

function toGroup(
	{ agent, server, tool, calls, first_ms, last_ms, samples }: RecordedCalls,
	decision: Pick<Group, 'change' | 'before' | 'after'>,
): Group {
	const when = { firstMs: Number(first_ms), lastMs: Number(last_ms) }
	return { ...decision, agentId: agent, serverId: server, tool, calls: Number(calls), ...when, samples }
}

function merge(a: Group, b: Group): Group {
	const samples = [...a.samples, ...b.samples].sort((x, y) => x.length - y.length || (x < y ? -1 : 1))
	return {
		...a,
		calls: a.calls + b.calls,
		firstMs: Math.min(a.firstMs, b.firstMs),
		lastMs: Math.max(a.lastMs, b.lastMs),
		samples: samples.slice(0, maxSamples),
	}
}
