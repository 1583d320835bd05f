import type { TokenBuckets } from '../../ledger/index.ts'
import { first, firstInteger, firstText, type HotValues, type Names } from './hot-keys.ts'
import { tokens } from './names.ts'

export interface ReportedUsage extends TokenBuckets {
	/** Whether the sender gave any figure. */
	reported: boolean
}

export const noUsage: ReportedUsage = {
	inputTokens: 0,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
	outputTokens: 0,
	reasoningTokens: 0,
	reported: false,
}

/** Exclusive buckets: most conventions count cache tokens inside the input and reasoning inside the output. */
export function readUsage(values: HotValues): ReportedUsage {
	const json = firstText(values, tokens.exclusiveJson)
	if (json !== '') return readExclusiveJson(json)
	const input = firstInteger(values, tokens.input)
	const output = firstInteger(values, tokens.output)
	const cacheReadTokens = countOf(values, tokens.cacheRead)
	const cacheWriteTokens = countOf(values, tokens.cacheWrite)
	const reasoningTokens = countOf(values, tokens.reasoning)
	const exclusive = first(values, tokens.exclusive) === true
	const cached = exclusive ? 0 : cacheReadTokens + cacheWriteTokens
	return {
		inputTokens: without(Math.max(0, input ?? 0), cached),
		cacheReadTokens,
		cacheWriteTokens,
		outputTokens: without(Math.max(0, output ?? 0), reasoningTokens),
		reasoningTokens,
		reported: input !== null || output !== null,
	}
}

/** Takes a part out of a sum; a part larger than its sum shows that the sum was exclusive already. */
function without(sum: number, part: number): number {
	return part > sum ? sum : sum - part
}

function countOf(values: HotValues, names: Names): number {
	return Math.max(0, firstInteger(values, names) ?? 0)
}

/** The words of a bucket in the names that its counts have; the first that fits decides. */
const bucketWords: [RegExp, keyof TokenBuckets | null][] = [
	[/total/, null],
	[/cache.*(?:creation|write)|(?:creation|write).*cache/, 'cacheWriteTokens'],
	[/cache/, 'cacheReadTokens'],
	[/reasoning|thinking/, 'reasoningTokens'],
	[/output|completion|candidates/, 'outputTokens'],
	[/input|prompt/, 'inputTokens'],
]

function readExclusiveJson(json: string): ReportedUsage {
	const usage = { ...noUsage }
	for (const [name, value] of Object.entries(parseObject(json))) {
		if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) continue
		const bucket = bucketWords.find(([word]) => word.test(name))?.[1]
		if (!bucket) continue
		usage[bucket] += value
		usage.reported = true
	}
	return usage
}

export function parseObject(json: string): Record<string, unknown> {
	// Most spans have none, and what `JSON.parse` throws is dear.
	if (json === '') return {}
	try {
		const value: unknown = JSON.parse(json)
		return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
	} catch {
		return {}
	}
}
