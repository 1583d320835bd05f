import type { cacheMissCauses } from '@signalbox/contract'
import {
	inputTokens,
	isAutomatic,
	leastMissed,
	leftInCache,
	longestMinimum,
	type PromptCall,
} from './cached-call.ts'
import { changeOf, type PartChange, type PromptChange } from './prompt-change.ts'

export type CacheMissCause = (typeof cacheMissCauses)[number]

/** Why a call paid again for what the call before it had left in the cache. */
export interface Miss {
	call: PromptCall
	before: PromptCall
	cause: CacheMissCause
	also: CacheMissCause[]
	part: PartChange | null
	missedTokens: number
}

/** Null: what could be read from the cache was read. */
export function explainMiss(call: PromptCall, before: PromptCall): Miss | null {
	const change = changeOf(before.parts, call.parts)
	const missedTokens = missedOf(call, before, change)
	if (missedTokens < leastMissed) return null
	const [cause, ...also] = causesOf(call, before, change)
	// A provider that caches by itself reads what it likes of a prompt that is the same.
	if (!cause || (cause === 'provider_miss' && isAutomatic(call) && missedTokens <= call.read.tokens))
		return null
	return { call, before, cause, also, part: partOf(cause, change), missedTokens }
}

/** Two questions about the same text share what the first had read itself; all others could have read everything. */
function missedOf(call: PromptCall, before: PromptCall, change: PromptChange): number {
	const left = hopesInVain(call, before)
		? Math.round(inputTokens(before) * change.common)
		: change.branched
			? before.read.tokens
			: leftInCache(before)
	return Math.min(left, inputTokens(call)) - call.read.tokens
}

/** Prompts that are marked for caching, and too short for it. */
function hopesInVain(...calls: PromptCall[]): boolean {
	return calls.every(
		(call) =>
			call.cacheMarks > 0 &&
			call.read.tokens + call.written.tokens === 0 &&
			inputTokens(call) < longestMinimum,
	)
}

function causesOf(call: PromptCall, before: PromptCall, change: PromptChange): CacheMissCause[] {
	const fewerMarks = call.cacheMarks < before.cacheMarks
	const found: Partial<Record<CacheMissCause, boolean>> = {
		model_changed: call.model !== before.model,
		connection_changed: call.connection !== before.connection || call.keySource !== before.keySource,
		cache_key_changed: change.cacheSettings,
		not_marked: fewerMarks && (call.cacheMarks === 0 ? call.read.tokens === 0 : isSame(change)),
		below_minimum: hopesInVain(call),
		expired: hasExpired(call, before, change),
		tools_changed: change.tool !== null,
		system_changed: change.text?.kind === 'system',
		parameters_changed: change.settings,
		history_compacted: change.compacted,
		messages_changed: change.text?.kind === 'message' && !change.compacted && !change.branched,
	}
	const causes = (Object.keys(found) as CacheMissCause[]).filter((cause) => found[cause])
	if (causes.length > 0) return causes
	return [call.startNs - before.startNs < before.untilAnswerNs ? 'concurrent' : 'provider_miss']
}

const usualSeconds = 300

/**
 * Where something was read the cache was alive, so that a changed prompt is reason enough; but pieces may have been
 * written for times of their own.
 */
function hasExpired(call: PromptCall, before: PromptCall, change: PromptChange): boolean {
	const seconds = Number(call.startNs - before.startNs) / 1e9
	if (call.read.tokens === 0)
		return seconds > Math.max(before.cacheSeconds, before.longestSeconds, usualSeconds)
	return isSame(change) && seconds > (before.shortestSeconds || usualSeconds)
}

function isSame({ tool, text, settings }: PromptChange): boolean {
	return !tool && !text && !settings
}

function partOf(cause: CacheMissCause, { tool, text }: PromptChange): PartChange | null {
	if (cause === 'tools_changed') return tool
	return ['system_changed', 'history_compacted', 'messages_changed'].includes(cause) ? text : null
}
