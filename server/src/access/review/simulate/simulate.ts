import type { accessReviewOperations, BodyOf, OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { ProposedPair } from '../../grants/index.ts'
import { definitionOf } from '../../grants/index.ts'
import { inTurns } from '../in-turns.ts'
import type { ReviewContext } from '../review-context.ts'
import { Groups } from './groups.ts'
import { judgePair, type Who } from './judge-pair.ts'
import {
	type CallCounts,
	type CallsWithArguments,
	countCalls,
	findTraces,
	listArguments,
	type RecordedCalls,
} from './simulation-repository.ts'

type Simulate = (typeof accessReviewOperations)['simulate']

const dayMs = 86_400_000
/** What one simulation may hold of arguments, and how many different ones it judges. */
const argumentBytesMax = 64 * 1024 * 1024
const argumentsMax = 200_000

/** Judges the recorded calls of the last days under the present grants and under proposed ones. */
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
	const judge = createJudge(review, workspaceId, pairs, nowMs)
	const open = new Map<string, CallCounts>()
	for await (const count of inTurns(counts)) {
		groups.withoutServer += Number(count.without_server)
		const judgement = judge(count)
		if (judgement?.byArguments) open.set(toolKey(count), count)
		else groups.add(count, judgement)
	}
	const listed =
		open.size === 0
			? []
			: await listArguments(review.telemetry, workspaceId, range, [...open.values()], mostOf(open))
	await judgeArguments(listed, open, groups, judge)
	const traces = await findTraces(review.telemetry, workspaceId, range, groups.samples())
	return { start: toIso(range.startMs), end: toIso(range.endMs), ...groups.present(traces) }
}

type Judge = ReturnType<typeof createJudge>

function createJudge(
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
			nowMs,
		}
		return judgePair(who, pair, tool, values)
	}
}

/** Judges each of the different arguments once; what was not recorded, or left out, by the tool alone. */
async function judgeArguments(
	listed: readonly CallsWithArguments[],
	open: ReadonlyMap<string, CallCounts>,
	groups: Groups,
	judge: Judge,
): Promise<void> {
	const told = new Map<string, number>()
	for await (const calls of inTurns(listed)) {
		told.set(toolKey(calls), (told.get(toolKey(calls)) ?? 0) + Number(calls.calls))
		groups.add(calls, judge(calls, valuesOf(calls.arguments)))
	}
	for (const [key, count] of open) {
		const left = Number(count.calls) - (told.get(key) ?? 0)
		if (left > 0) groups.add({ ...count, calls: String(left) }, judge(count))
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

function mostOf(open: ReadonlyMap<string, CallCounts>): number {
	const of = (field: 'calls' | 'request_bytes') =>
		[...open.values()].reduce((sum, each) => sum + Number(each[field]), 0)
	const bytes = Math.max(1, of('request_bytes') / Math.max(1, of('calls')))
	return Math.floor(Math.max(1000, Math.min(argumentsMax, argumentBytesMax / bytes)))
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
