import type { Exchange } from '../../../telemetry/index.ts'

/** Tokens and nano-dollars of one part of what a model read; null: unpriced. */
export interface Billed {
	tokens: number
	costNanoUsd: bigint | null
}

/** A model call as the cache of its provider saw it. */
export interface CachedCall {
	traceId: string
	spanId: string
	startNs: bigint
	/** Until its answer began: what it wrote cannot be read before. */
	untilAnswerNs: bigint
	sessionId: string
	agentId: string
	agentName: string
	connection: string
	/** Whose key it was: `connection` or `caller`. */
	keySource: string
	provider: string
	model: string
	cacheMarks: number
	cacheSeconds: number
	/** In the order of the prompt: what was read from the cache, what was written to it, and the rest. */
	read: Billed
	written: Billed
	rest: Billed
	/** Nano-dollars for 1,000,000 tokens that are read from the cache, when its ledger says so. */
	readRate: number | null
	/** The shortest and the longest time for which it wrote, in seconds; 0: it does not say. */
	shortestSeconds: number
	longestSeconds: number
}

/** A call with what its prompt was made of. */
export interface PromptCall extends CachedCall {
	parts: Exchange['parts']
}

/** Providers that cache long prompts without being asked, and from how many tokens on. */
export const automaticProviders: readonly string[] = ['openai', 'azure_openai', 'gemini', 'vertex']
export const automaticMinimum = 1024
/** They cache whole blocks of it. */
export const automaticBlock = 128

/** No prompt this long is too short to be cached: the longest minimum is Anthropic's. */
export const longestMinimum = 4096

/** Fewer tokens than these are not worth a word. */
export const leastMissed = 256

export function inputTokens({ read, written, rest }: CachedCall): number {
	return read.tokens + written.tokens + rest.tokens
}

/** How many tokens of its prompt a call leaves in the cache. `repository.ts` says the same in SQL. */
export function leftInCache(call: CachedCall): number {
	const told = call.read.tokens + call.written.tokens
	if (call.cacheMarks > 0 || !isAutomatic(call)) return told
	const tokens = inputTokens(call)
	return tokens < automaticMinimum ? 0 : tokens - (tokens % automaticBlock)
}

/** Whether the provider caches by itself, and therefore promises nothing. */
export function isAutomatic({ provider, cacheMarks }: CachedCall): boolean {
	return cacheMarks === 0 && automaticProviders.includes(provider)
}
