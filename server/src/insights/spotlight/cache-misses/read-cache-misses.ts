import type { cacheMissOperations, OutputOf, QueryOf } from '@signalbox/contract'
import { type PriceCall, presentMoney } from '../../../ledger/index.ts'
import { toIso } from '../../../platform/clock.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import type { QueryStore } from '../repository.ts'
import { explainMiss, type Miss } from './explain-miss.ts'
import { extraCost, readRateOf } from './extra-cost.ts'
import { findBefore } from './find-before.ts'
import { presentMiss } from './present-miss.ts'
import { findEarlier, findPromptCalls, findSuspects, type Suspect } from './repository.ts'

type Operation = (typeof cacheMissOperations)['cache_misses']

export interface CacheMissDependencies {
	telemetry: QueryStore
	priceCall: PriceCall
}

interface PricedMiss {
	miss: Miss
	extra: bigint | null
}

/** Suspects that are looked at in all, and at once: their prompts are lists of hundreds of hashes. */
const mostSuspects = 500
const chunkSize = 10

/** Which calls paid again for what was in the cache, why, and what it cost. */
export async function readCacheMisses(
	{ telemetry, priceCall }: CacheMissDependencies,
	workspaceId: string,
	range: TimeRange,
	{ start: _start, end: _end, cause: wanted, limit, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const { calls, suspects, found } = await findSuspects(telemetry, workspaceId, range, {
		filter,
		limit: mostSuspects,
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
		complete: suspects <= mostSuspects,
		total: misses.length,
		...amountsOf(misses),
		unpriced_calls: misses.filter(({ extra }) => extra === null).length,
		causes: causes.sort((a, b) => Number(b.extra_cost_nano_usd) - Number(a.extra_cost_nano_usd)),
		cache_misses: misses.slice(0, limit).map(({ miss, extra }) => presentMiss(miss, extra)),
	}
}

/** Neighbours in a session have the same calls before them, so they are read together. */
async function explainAll(
	telemetry: QueryStore,
	workspaceId: string,
	suspects: readonly Suspect[],
): Promise<Miss[]> {
	const inOrder = [...suspects].sort((a, b) => (a.startNs < b.startNs ? -1 : 1))
	const misses: Miss[] = []
	for (let at = 0; at < inOrder.length; at += chunkSize)
		misses.push(...(await explainChunk(telemetry, workspaceId, inOrder.slice(at, at + chunkSize))))
	return misses
}

async function explainChunk(
	telemetry: QueryStore,
	workspaceId: string,
	chunk: readonly Suspect[],
): Promise<Miss[]> {
	const earlier = await Promise.all(chunk.map((suspect) => findEarlier(telemetry, workspaceId, suspect)))
	const places = new Map([...chunk, ...earlier.flat()].map((place) => [place.spanId, place]))
	const prompts = await findPromptCalls(telemetry, workspaceId, [...places.values()])
	return chunk.flatMap(({ spanId }, at) => {
		const call = prompts.get(spanId)
		const candidates = (earlier[at] ?? []).flatMap((place) => prompts.get(place.spanId) ?? [])
		const before = call && findBefore(call, candidates)
		return (before && explainMiss(call, before)) ?? []
	})
}

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
