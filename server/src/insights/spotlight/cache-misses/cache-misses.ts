import { cacheMissOperations, type OutputOf, type QueryOf } from '@signalbox/contract'
import { type PriceCall, presentMoney } from '../../../ledger/ledger.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import { notFound } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn } from '../../../platform/http/route.ts'
import { readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import { findExchange, findTexts } from '../../../telemetry/index.ts'
import type { QueryStore } from '../counted-calls.ts'
import { mayReadMessages } from '../sessions/read-messages.ts'
import {
	findEarlier,
	findPromptCalls,
	findSuspects,
	hasCall,
	type Place,
	type SuspectCall,
} from './cache-miss-repository.ts'
import {
	explainMiss,
	extraCost,
	findBefore,
	type Miss,
	type PartChange,
	type PromptCall,
	readRateOf,
} from './explain-miss.ts'

type CacheMissDocument = OutputOf<(typeof cacheMissOperations)['cache_misses']>['cache_misses'][number]

function presentMiss(
	{ call, before, cause, also, part, missedTokens }: Miss,
	extra: bigint | null,
): CacheMissDocument {
	return {
		...placeOf(call),
		session_id: call.sessionId,
		agent: { id: orNull(call.agentId), name: orNull(call.agentName) },
		provider: orNull(call.provider),
		cause,
		also,
		part: part && presentPart(part),
		before: placeOf(before),
		missed_tokens: missedTokens,
		...presentMoney('extra_cost', extra),
	}
}

function placeOf({ traceId, spanId, startNs, connection, model }: Miss['call']) {
	return {
		trace_id: traceId,
		span_id: spanId,
		started_at: toIso(Number(startNs / 1_000_000n)),
		connection: orNull(connection),
		model: orNull(model),
	}
}

function presentPart({ kind, name, position, change }: PartChange) {
	return { kind, name, server: kind === 'tool' ? serverOfTool(name) : null, position: position + 1, change }
}

/** Clients name a tool of a server `mcp__server__tool`. */
function serverOfTool(name: string): string | null {
	return name.match(/^mcp__(.+?)__/)?.[1] ?? null
}

function orNull(text: string): string | null {
	return text === '' ? null : text
}

type Operation = (typeof cacheMissOperations)['cache_misses']

interface CacheMissDependencies {
	telemetry: QueryStore
	priceCall: PriceCall
}

interface PricedMiss {
	miss: Miss
	extra: bigint | null
}

/** How many suspects are examined in total. */
const maxSuspects = 500
/** How many prompts are read at once: each is a list of hundreds of hashes. */
const chunkPrompts = 300

/** The calls that paid again for tokens that were in the cache, with cause and cost. */
export async function readCacheMisses(
	{ telemetry, priceCall }: CacheMissDependencies,
	workspaceId: string,
	range: TimeRange,
	{ start: _start, end: _end, cause: wanted, limit, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const { calls, suspects, found } = await findSuspects(telemetry, workspaceId, range, {
		filter,
		limit: maxSuspects,
	})
	const findReadRate = readRateOf(workspaceId, priceCall)
	const misses = (await explainAll(telemetry, workspaceId, found))
		.filter(({ cause }) => wanted === undefined || cause === wanted)
		.map((miss) => ({ miss, extra: extraCost(miss, findReadRate) }))
		.sort(dearestFirst)
	const causes = [...Map.groupBy(misses, ({ miss }) => miss.cause)].map(([cause, those]) => ({
		cause,
		calls: those.length,
		...amountsOf(those),
	}))
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		calls,
		complete: suspects <= maxSuspects,
		total: misses.length,
		...amountsOf(misses),
		unpriced_calls: misses.filter(({ extra }) => extra === null).length,
		causes: causes.sort((a, b) => Number(b.extra_cost_nano_usd) - Number(a.extra_cost_nano_usd)),
		cache_misses: misses.slice(0, limit).map(({ miss, extra }) => presentMiss(miss, extra)),
	}
}

async function explainAll(
	telemetry: QueryStore,
	workspaceId: string,
	suspects: readonly SuspectCall[],
): Promise<Miss[]> {
	const earlier = await findEarlier(telemetry, workspaceId, suspects)
	const misses: Miss[] = []
	for (const { chunk, places } of chunksOf(suspects, earlier)) {
		const prompts = await findPromptCalls(telemetry, workspaceId, places)
		for (const { spanId } of chunk) {
			const miss = missOf(prompts.get(spanId), prompts, earlier.get(spanId) ?? [])
			if (miss) misses.push(miss)
		}
	}
	return misses
}

/** Divides suspects by the number of prompts that they need. Adjacent calls of a session have the same earlier calls. */
function* chunksOf(suspects: readonly SuspectCall[], earlier: ReadonlyMap<string, readonly Place[]>) {
	const bySession = Map.groupBy(
		[...suspects].sort((a, b) => (a.startNs < b.startNs ? -1 : 1)),
		({ sessionId }) => sessionId,
	)
	let chunk: SuspectCall[] = []
	let places = new Map<string, Place>()
	for (const suspect of [...bySession.values()].flat()) {
		chunk.push(suspect)
		for (const place of [suspect, ...(earlier.get(suspect.spanId) ?? [])]) places.set(place.spanId, place)
		if (places.size < chunkPrompts) continue
		yield { chunk, places: [...places.values()] }
		chunk = []
		places = new Map()
	}
	if (chunk.length > 0) yield { chunk, places: [...places.values()] }
}

function missOf(
	call: PromptCall | undefined,
	prompts: ReadonlyMap<string, PromptCall>,
	earlier: readonly Place[],
): Miss | null {
	const before = call && findBefore(call, callsAt(prompts, earlier))
	return before ? explainMiss(call, before) : null
}

const callsAt = (prompts: ReadonlyMap<string, PromptCall>, places: readonly Place[]) =>
	places.flatMap(({ spanId }) => prompts.get(spanId) ?? [])

function amountsOf(misses: readonly PricedMiss[]) {
	const cost = misses.reduce((sum, { extra }) => sum + (extra ?? 0n), 0n)
	const isUnpriced = misses.length > 0 && misses.every(({ extra }) => extra === null)
	return {
		missed_tokens: misses.reduce((sum, { miss }) => sum + miss.missedTokens, 0),
		...presentMoney('extra_cost', isUnpriced ? null : cost),
	}
}

function dearestFirst(a: PricedMiss, b: PricedMiss): number {
	const [left, right] = [a.extra ?? -1n, b.extra ?? -1n]
	return left === right ? b.miss.missedTokens - a.miss.missedTokens : left < right ? 1 : -1
}

type Explained = OutputOf<(typeof cacheMissOperations)['cache_miss']>

/** Whether one call missed the cache. `mayRead`: whether the caller may read messages. */
export async function getCacheMiss(
	{ telemetry, priceCall }: CacheMissDependencies,
	workspaceId: string,
	{ trace_id, span_id }: { trace_id: string; span_id: string },
	mayRead: boolean,
): Promise<Explained> {
	const areIds = /^[0-9a-f]{32}$/i.test(trace_id) && /^[0-9a-f]{16}$/i.test(span_id)
	const place = areIds ? await findExchange(telemetry, workspaceId, trace_id, span_id) : null
	if (!place) {
		if (areIds && (await hasCall(telemetry, workspaceId, trace_id, span_id))) return notCompared
		throw notFound('model call')
	}
	const earlier = (await findEarlier(telemetry, workspaceId, [place])).get(span_id.toLowerCase()) ?? []
	const prompts = await findPromptCalls(telemetry, workspaceId, [place, ...earlier])
	const call = prompts.get(place.spanId)
	const before = call && findBefore(call, callsAt(prompts, earlier))
	if (!before) return notCompared
	const miss = explainMiss(call, before)
	if (!miss) return { verdict: 'no_miss', miss: null, difference: null }
	return {
		verdict: 'miss',
		miss: presentMiss(miss, extraCost(miss, readRateOf(workspaceId, priceCall))),
		difference: mayRead ? await differenceIn(telemetry, workspaceId, miss) : null,
	}
}

const notCompared: Explained = { verdict: 'not_judged', miss: null, difference: null }

/** Where the first changed part differs; null if its text is not stored. */
async function differenceIn(
	telemetry: QueryStore,
	workspaceId: string,
	{ call, before, part }: Miss,
): Promise<Explained['difference']> {
	if (!part) return null
	const textOf = async ({ parts, startNs }: Miss['call'], hash: string) => {
		const wanted = parts.filter((one) => one.hash === hash)
		return (await findTexts(telemetry, workspaceId, { parts: wanted, startNs })).get(hash)
	}
	const [old, fresh] = await Promise.all([textOf(before, part.beforeHash), textOf(call, part.afterHash)])
	if (old === undefined || fresh === undefined) return null
	const offset = commonLength(old, fresh)
	return { offset, before: excerptOf(old, offset), after: excerptOf(fresh, offset) }
}

function commonLength(left: string, right: string): number {
	const length = Math.min(left.length, right.length)
	let at = 0
	while (at < length && left[at] === right[at]) at++
	return at
}

const excerptBefore = 80
const excerptAfter = 160

function excerptOf(text: string, at: number): string {
	return text.slice(Math.max(0, at - excerptBefore), at + excerptAfter)
}

/** Opens the operations on prompts that were paid for again. */
export function openCacheMisses(dependencies: CacheMissDependencies & { clock: Clock }): BoundOperation[] {
	return bind(cacheMissOperations, {
		cache_misses: ({ query, context }) => {
			const range = readTimeRange(query, dependencies.clock.nowMs())
			return readCacheMisses(dependencies, principalIn(context).workspaceId, range, query)
		},
		cache_miss: ({ params, context }) => {
			const principal = principalIn(context)
			return getCacheMiss(dependencies, principal.workspaceId, params, mayReadMessages(principal))
		},
	})
}
