import type { cacheMissCauses } from '@signalbox/contract'
import type { PriceCall } from '../../../ledger/ledger.ts'
import type { Exchange, ExchangePart } from '../../../telemetry/index.ts'

/** Tokens and nano-dollars of one part of a model's input; null: unpriced. */
export interface Billed {
	tokens: number
	costNanoUsd: bigint | null
}

/** A model call from the point of view of its provider's cache. */
export interface CachedCall {
	traceId: string
	spanId: string
	startNs: bigint
	/** When its answer began; what it wrote to the cache cannot be read before. */
	untilAnswerNs: bigint
	sessionId: string
	agentId: string
	agentName: string
	connection: string
	/** Whose key was used: `connection` or `caller`. */
	keySource: string
	provider: string
	model: string
	cacheMarks: number
	cacheSeconds: number
	/** In the order of the prompt: what was read from the cache, what was written to it, and the rest. */
	read: Billed
	written: Billed
	rest: Billed
	/** Nano-dollars per 1,000,000 tokens read from the cache, if the call's ledger has it. */
	readRate: number | null
	/** The shortest and the longest lifetime for which it wrote, in seconds; 0: unknown. */
	shortestSeconds: number
	maxSeconds: number
}

/** A call with the parts of its prompt. */
export interface PromptCall extends CachedCall {
	parts: Exchange['parts']
}

/** Providers that cache long prompts automatically, and the minimum number of tokens. */
export const automaticProviders: readonly string[] = ['openai', 'azure_openai', 'gemini', 'vertex']
export const automaticMinimum = 1024
/** They cache the prompt in whole blocks of this many tokens. */
export const automaticBlock = 128

/** No prompt of this length is too short to be cached: the largest minimum is Anthropic's. */
export const maxMinimum = 4096

/** Smaller misses, in tokens, are not reported. */
export const minMissedTokens = 256

function inputTokens({ read, written, rest }: CachedCall): number {
	return read.tokens + written.tokens + rest.tokens
}

/** How many tokens of its prompt a call leaves in the cache. `cache-miss-repository.ts` has the same in SQL. */
function leftInCache(call: CachedCall): number {
	const reported = call.read.tokens + call.written.tokens
	if (call.cacheMarks > 0 || !isAutomatic(call)) return reported
	const tokens = inputTokens(call)
	return tokens < automaticMinimum ? 0 : tokens - (tokens % automaticBlock)
}

/** Whether the provider caches automatically, and therefore guarantees nothing. */
function isAutomatic({ provider, cacheMarks }: CachedCall): boolean {
	return cacheMarks === 0 && automaticProviders.includes(provider)
}

type Parts = Exchange['parts']

/** The first part that differs from the previous call. */
export interface PartChange {
	kind: 'tool' | 'system' | 'message'
	name: string
	/** Zero-based, among the tools or among the system texts and messages. */
	position: number
	change: 'added' | 'removed' | 'changed' | 'moved'
	/** Hash of the part at that position; '' if there is none. `afterHash` likewise. */
	beforeHash: string
	afterHash: string
}

/** How the prompt of a call differs from the previous one. */
interface PromptChange {
	tool: PartChange | null
	/** The first changed system text or message; parts appended at the end do not count. */
	text: PartChange | null
	/** There are fewer messages than before, and one of them has changed. */
	compacted: boolean
	settings: boolean
	cacheSettings: boolean
	/** The only difference is another last message: two prompts about the same text. */
	branched: boolean
	/** The share of the previous prompt that both have in common, 0 to 1, by bytes. */
	common: number
}

function changeOf(before: Parts, after: Parts): PromptChange {
	const [oldTexts, newTexts] = [textsOf(before), textsOf(after)]
	const tool = toolChange(toolsOf(before), toolsOf(after))
	const text = textChange(oldTexts, newTexts)
	const branched =
		tool === null &&
		text?.kind === 'message' &&
		text.position === oldTexts.length - 1 &&
		newTexts.length <= oldTexts.length
	return {
		tool,
		text,
		compacted: text?.kind === 'message' && messagesIn(newTexts) < messagesIn(oldTexts),
		settings: settingsHash(before, 'prompt') !== settingsHash(after, 'prompt'),
		cacheSettings: settingsHash(before, 'cache') !== settingsHash(after, 'cache'),
		branched,
		common: commonShare(before, after),
	}
}

function toolsOf(parts: Parts): ExchangePart[] {
	return parts.filter(({ kind }) => kind === 'tool')
}

/** Without a line that providers leave out of the prompt. */
function textsOf(parts: Parts): ExchangePart[] {
	return parts.filter(({ kind, name }) => (kind === 'system' && name !== 'attribution') || kind === 'message')
}

function messagesIn(texts: readonly ExchangePart[]): number {
	return texts.filter(({ kind }) => kind === 'message').length
}

function firstDifference(before: readonly ExchangePart[], after: readonly ExchangePart[]): number {
	const length = Math.max(before.length, after.length)
	for (let at = 0; at < length; at++) if (before[at]?.hash !== after[at]?.hash) return at
	return -1
}

function toolChange(before: readonly ExchangePart[], after: readonly ExchangePart[]): PartChange | null {
	const position = firstDifference(before, after)
	if (position < 0) return null
	const [old, fresh] = [before[position], after[position]]
	const place = { kind: 'tool' as const, position, beforeHash: old?.hash ?? '', afterHash: fresh?.hash ?? '' }
	if (old && !has(after, old)) return { ...place, name: old.name, change: 'removed' }
	if (fresh && !has(before, fresh)) return { ...place, name: fresh.name, change: 'added' }
	const name = (fresh ?? (old as ExchangePart)).name
	return { ...place, name, change: old?.name === fresh?.name ? 'changed' : 'moved' }
}

function has(tools: readonly ExchangePart[], { name }: ExchangePart): boolean {
	return tools.some((tool) => tool.name === name)
}

function textChange(before: readonly ExchangePart[], after: readonly ExchangePart[]): PartChange | null {
	const position = firstDifference(before, after)
	const [old, fresh] = [before[position], after[position]]
	// Neither appending parts nor going back to an earlier point changes the prefix.
	if (!old || !fresh) return null
	const part = fresh.kind === 'system' || old.kind !== 'system' ? fresh : old
	return {
		kind: part.kind as 'system' | 'message',
		name: part.name,
		position,
		change: old.kind === fresh.kind ? 'changed' : part === fresh ? 'added' : 'removed',
		beforeHash: old.hash,
		afterHash: fresh.hash,
	}
}

function settingsHash(parts: Parts, name: string): string | undefined {
	return parts.find((part) => part.kind === 'settings' && part.name === name)?.hash
}

function commonShare(before: Parts, after: Parts): number {
	const prompt = (parts: Parts) => [...toolsOf(parts), ...textsOf(parts)]
	const [old, fresh] = [prompt(before), prompt(after)]
	const until = firstDifference(old, fresh)
	const bytes = (parts: readonly ExchangePart[]) => parts.reduce((sum, part) => sum + part.bytes, 0)
	return until < 0 ? 1 : bytes(old.slice(0, until)) / Math.max(1, bytes(old))
}

/**
 * The earlier call that a prompt continues: the one that has most in common with it, and the latest of those. Agents run several
 * conversations in one session; calls that share no message are not compared.
 */
export function findBefore(call: PromptCall, earlier: readonly PromptCall[]): PromptCall | null {
	const own = new Set(call.parts.map(({ hash }) => hash))
	let best: PromptCall | null = null
	let most = 0
	for (const candidate of earlier) {
		if (candidate.startNs >= call.startNs) continue
		const shared = candidate.parts.filter(({ kind, hash }) => kind !== 'answer' && own.has(hash))
		if (!textsOf(shared).some(({ kind }) => kind === 'message')) continue
		const bytes = shared.reduce((sum, part) => sum + part.bytes, 0)
		const isBetter = bytes > most || (bytes === most && best !== null && candidate.startNs > best.startNs)
		if (isBetter) [best, most] = [candidate, bytes]
	}
	return best
}

/** Returns the price at which a call could have read from the cache, in nano-dollars per 1,000,000 tokens; null if there is none. */
type FindReadRate = (call: CachedCall) => number | null

/** What was paid for the missed tokens beyond the price of reading them from the cache; null if a price is not known. */
export function extraCost({ call, before, missedTokens }: Miss, findReadRate: FindReadRate): bigint | null {
	const fromWritten = Math.min(missedTokens, call.written.tokens)
	const paidWritten = shareOf(call.written, fromWritten)
	const paidRest = shareOf(call.rest, missedTokens - fromWritten)
	const sameModel = call.model === before.model && call.connection === before.connection
	const rate = call.readRate ?? (sameModel ? before.readRate : null) ?? findReadRate(call)
	if (paidWritten === null || paidRest === null || rate === null) return null
	return paidWritten + paidRest - (BigInt(missedTokens) * BigInt(Math.round(rate))) / 1_000_000n
}

function shareOf({ tokens, costNanoUsd }: CachedCall['rest'], wanted: number): bigint | null {
	if (wanted === 0) return 0n
	return costNanoUsd === null || tokens === 0 ? null : (costNanoUsd * BigInt(wanted)) / BigInt(tokens)
}

/** Uses the workspace's prices for a prompt of the call's length, since some prices depend on it. */
export function readRateOf(workspaceId: string, priceCall: PriceCall): FindReadRate {
	return ({ provider, model, connection, startNs, read, written, rest }) => {
		const quantity = read.tokens + written.tokens + rest.tokens
		const lines = [{ dimension: 'cache_read' as const, quantity, iteration: 0, model: '' }]
		const [entry] = priceCall({ provider, model, connection, startNs, workspaceId, lines }).ledger
		if (!entry || entry.rate === null) return null
		const [numerator = 1, denominator = 1] = entry.factor.split('/').filter(Boolean).map(Number)
		return (entry.rate * numerator) / denominator
	}
}

export type CacheMissCause = (typeof cacheMissCauses)[number]

/** Why a call paid again for what the previous call had left in the cache. */
export interface Miss {
	call: PromptCall
	before: PromptCall
	cause: CacheMissCause
	also: CacheMissCause[]
	part: PartChange | null
	missedTokens: number
}

/** Null: everything that could be read from the cache was read. */
export function explainMiss(call: PromptCall, before: PromptCall): Miss | null {
	const change = changeOf(before.parts, call.parts)
	const missedTokens = missedOf(call, before, change)
	if (missedTokens < minMissedTokens) return null
	const [cause, ...also] = causesOf(call, before, change)
	// A provider that caches automatically may read any part of an unchanged prompt.
	if (!cause || (cause === 'provider_miss' && isAutomatic(call) && missedTokens <= call.read.tokens))
		return null
	return { call, before, cause, also, part: partOf(cause, change), missedTokens }
}

/** Two prompts about the same text share what the first had read itself; any other prompt could have read everything. */
function missedOf(call: PromptCall, before: PromptCall, change: PromptChange): number {
	const left = hopesInVain(call, before)
		? Math.round(inputTokens(before) * change.common)
		: change.branched
			? before.read.tokens
			: leftInCache(before)
	return Math.min(left, inputTokens(call)) - call.read.tokens
}

/** Prompts that are marked for caching, but too short for it. */
function hopesInVain(...calls: PromptCall[]): boolean {
	return calls.every(
		(call) =>
			call.cacheMarks > 0 && call.read.tokens + call.written.tokens === 0 && inputTokens(call) < maxMinimum,
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

const defaultSeconds = 300

/**
 * If something was read, the cache had not expired, so a changed prompt explains the miss; but parts may have been written with
 * different lifetimes.
 */
function hasExpired(call: PromptCall, before: PromptCall, change: PromptChange): boolean {
	const seconds = Number(call.startNs - before.startNs) / 1e9
	if (call.read.tokens === 0)
		return seconds > Math.max(before.cacheSeconds, before.maxSeconds, defaultSeconds)
	return isSame(change) && seconds > (before.shortestSeconds || defaultSeconds)
}

function isSame({ tool, text, settings }: PromptChange): boolean {
	return !tool && !text && !settings
}

function partOf(cause: CacheMissCause, { tool, text }: PromptChange): PartChange | null {
	if (cause === 'tools_changed') return tool
	return ['system_changed', 'history_compacted', 'messages_changed'].includes(cause) ? text : null
}
