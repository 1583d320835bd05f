import type { cacheMissOperations, OutputOf } from '@signalbox/contract'
import { notFound } from '../../../platform/errors.ts'
import { findExchange, findTexts } from '../../../telemetry/index.ts'
import type { QueryStore } from '../repository.ts'
import { explainMiss, type Miss } from './explain-miss.ts'
import { extraCost, readRateOf } from './extra-cost.ts'
import { findBefore } from './find-before.ts'
import { presentMiss } from './present-miss.ts'
import type { CacheMissDependencies } from './read-cache-misses.ts'
import { findEarlier, findPromptCalls, hasCall } from './repository.ts'

type Explained = OutputOf<(typeof cacheMissOperations)['cache_miss']>

/** Whether one call missed the cache. `mayRead`: whether the caller may see what prompts say. */
export async function getCacheMiss(
	{ telemetry, priceCall }: CacheMissDependencies,
	workspaceId: string,
	{ trace_id, span_id }: { trace_id: string; span_id: string },
	mayRead: boolean,
): Promise<Explained> {
	const areIds = /^[0-9a-f]{32}$/i.test(trace_id) && /^[0-9a-f]{16}$/i.test(span_id)
	const place = areIds ? await findExchange(telemetry, workspaceId, trace_id, span_id) : null
	if (!place) {
		if (areIds && (await hasCall(telemetry, workspaceId, trace_id, span_id))) return notJudged
		throw notFound('model call')
	}
	const earlier = await findEarlier(telemetry, workspaceId, place)
	const prompts = await findPromptCalls(telemetry, workspaceId, [place, ...earlier])
	const call = prompts.get(place.spanId)
	const before =
		call &&
		findBefore(
			call,
			earlier.flatMap(({ spanId }) => prompts.get(spanId) ?? []),
		)
	if (!before) return notJudged
	const miss = explainMiss(call, before)
	if (!miss) return { verdict: 'no_miss', miss: null, difference: null }
	return {
		verdict: 'miss',
		miss: presentMiss(miss, extraCost(miss, readRateOf(workspaceId, priceCall))),
		difference: mayRead ? await differenceIn(telemetry, workspaceId, miss) : null,
	}
}

const notJudged: Explained = { verdict: 'not_judged', miss: null, difference: null }

/** Where the first other piece differs; null where its text is not kept. */
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
