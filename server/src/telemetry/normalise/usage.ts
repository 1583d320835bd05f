import type { Dimension, TokenBuckets } from '../../ledger/ledger.ts'
import {
	first,
	firstInteger,
	firstText,
	genkitOutput,
	type HotValues,
	modelRequested,
	type Names,
	objectOf,
	ownKinds,
	parseObject,
	provider,
	sdk,
	tokens,
} from './names.ts'
import { providerName } from './provider.ts'

export interface ReportedUsage extends TokenBuckets {
	/** Whether the sender reported any count other than 0, which no answered call has. */
	reported: boolean
	/** Parts of the buckets that may have a price of their own. */
	parts: PricedParts
}

export type PricedParts = Partial<Record<Exclude<Dimension, 'in_text' | 'out_text'>, number>>

export const noUsage: ReportedUsage = {
	inputTokens: 0,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
	outputTokens: 0,
	reasoningTokens: 0,
	reported: false,
	parts: {},
}

/** A sender's counts; cache and reasoning tokens may be part of the sums or not. */
interface Counted {
	input: number | null
	output: number | null
	cacheRead: number
	cacheWrite: number
	reasoning: number
	/** Whether the input excludes cache tokens. */
	exclusive: boolean
	parts?: PricedParts
}

/** Exclusive counts. Most conventions include cache tokens in the input, and reasoning tokens in the output. */
export function readUsage(values: HotValues, scope: string): ReportedUsage {
	const json = firstText(values, tokens.exclusiveJson)
	if (json !== '') return readLangfuseJson(parseObject(json))
	const input = firstInteger(values, tokens.input)
	const output = firstInteger(values, tokens.output)
	const inclusiveJson = firstText(values, tokens.inclusiveJson)
	if (input === null && output === null && inclusiveJson !== '')
		return readInclusiveJson(inclusiveJson, isGeminis(values))
	const genkit = firstText(values, genkitOutput)
	if (input === null && output === null && genkit !== '') return readGenkit(parseObject(genkit))
	const litellm = firstText(values, tokens.rawOfLitellm)
	if (litellm !== '') return readLitellm(values, { input, output }, litellm)
	const reasoning = countOf(values, tokens.reasoning)
	const counted: Counted = {
		input,
		output: output === null ? null : output + reasoning * reasoningMissed(values, scope),
		cacheRead: countOf(values, tokens.cacheRead),
		cacheWrite: countOf(values, tokens.cacheWrite),
		reasoning,
		parts: partsOf(values),
		exclusive:
			first(values, tokens.exclusive) === true ||
			isOpenlitsAnthropic(values) ||
			isBedrocks(values, scope) ||
			isAgnos(values, scope) ||
			isForwarded(values, scope),
	}
	const uncached = firstInteger(values, tokens.uncachedInput)
	if (uncached !== null) return toBuckets({ ...counted, input: uncached, exclusive: true })
	const metadata = firstText(values, tokens.vercelMetadata)
	const isInner = firstText(values, ownKinds.vercel).startsWith('ai.')
	// The AI SDK 7 follows the common conventions, which include cache tokens in the input.
	if (metadata !== '' && isInner) return toBuckets(withMetadata(counted, parseObject(metadata)))
	const raw = firstText(values, tokens.raw)
	return toBuckets(raw === '' ? counted : withRaw(counted, parseObject(raw)))
}

/** Audio and images cost many times as much as text, or less. What was read from a cache is a part of each. */
function partsOf(values: HotValues): PricedParts {
	const count = (of: Names) => countOf(values, of)
	const [cachedAudio, cachedImage] = [count(tokens.audioCacheRead), count(tokens.imageCacheRead)]
	return {
		in_audio: Math.max(0, count(tokens.audioInput) - cachedAudio),
		in_image: Math.max(0, count(tokens.imageInput) - cachedImage),
		in_video: count(tokens.videoInput),
		cache_read_audio: cachedAudio,
		cache_read_image: cachedImage,
		out_audio: count(tokens.audioOutput),
		out_image: count(tokens.imageOutput),
		cache_write_1h: count(tokens.cacheWriteForHour),
	}
}

function toBuckets(counted: Counted): ReportedUsage {
	const { input, output, cacheRead, cacheWrite, reasoning, exclusive, parts = {} } = counted
	return {
		parts,
		inputTokens: without(Math.max(0, input ?? 0), exclusive ? 0 : cacheRead + cacheWrite),
		cacheReadTokens: cacheRead,
		cacheWriteTokens: cacheWrite,
		outputTokens: without(Math.max(0, output ?? 0), reasoning),
		reasoningTokens: reasoning,
		// The Agents SDK has 0 for both where the provider reported nothing.
		reported: (input ?? 0) > 0 || (output ?? 0) > 0 || cacheRead + cacheWrite > 0,
	}
}

/**
 * Up to its version 5, the AI SDK forwards Anthropic's input count, which excludes cached tokens; cache writes are only in this
 * metadata.
 */
function withMetadata(counted: Counted, metadata: Record<string, unknown>): Counted {
	const anthropic = objectOf(metadata.anthropic)
	const bedrock = objectOf(objectOf(metadata.bedrock).usage)
	const openai = objectOf(metadata.openai)
	const usage = objectOf(anthropic.usage)
	return {
		...counted,
		cacheRead:
			counted.cacheRead ||
			firstCount(
				anthropic.cacheReadInputTokens,
				usage.cache_read_input_tokens,
				bedrock.cacheReadInputTokens,
				openai.cachedPromptTokens,
			),
		cacheWrite:
			counted.cacheWrite ||
			firstCount(
				anthropic.cacheCreationInputTokens,
				usage.cache_creation_input_tokens,
				bedrock.cacheWriteInputTokens,
			),
		reasoning: counted.reasoning || firstCount(openai.reasoningTokens),
		exclusive: counted.exclusive || 'anthropic' in metadata || 'bedrock' in metadata,
	}
}

/**
 * OpenLIT for Python forwards Anthropic's input count, which excludes cached tokens. OpenLIT is recognised by an attribute of each
 * span.
 */
function isOpenlitsAnthropic(values: HotValues): boolean {
	return firstText(values, sdk) === 'openlit' && firstText(values, provider) === 'anthropic'
}

/** The newer one of OpenTelemetry's instrumentations of the AWS SDK for Python. */
const bedrockScope = 'opentelemetry.instrumentation.genai.bedrock'

/** Instrumentations of the AWS SDK forward the usage of Bedrock, whose input excludes cached tokens. */
function isBedrocks(values: HotValues, scope: string): boolean {
	if (scope === bedrockScope || first(values, tokens.promptCaching) !== undefined) return true
	return firstText(values, tokens.rpcSystem) === 'aws-api' && firstText(values, provider) === 'aws.bedrock'
}

/** OpenInference forwards the counts of Agno, which are those of the provider. */
function isAgnos(values: HotValues, scope: string): boolean {
	if (scope !== 'openinference.instrumentation.agno') return false
	const served = `${providerName(firstText(values, provider))} ${firstText(values, modelRequested)}`
	return /anthropic|bedrock|claude/.test(served)
}

const ag2Scope = 'opentelemetry.instrumentation.ag2'

/** AG2 and Pipecat forward the counts of their provider. */
function isForwarded(values: HotValues, scope: string): boolean {
	return (
		(scope === ag2Scope || scope === 'pipecat') &&
		/^(?:anthropic|aws\.bedrock)$/.test(providerName(firstText(values, provider)))
	)
}

/** LiteLLM's name of a model, `openai/gpt-5`, in contrast to a path of Google's. */
const litellmName = /^(?!(?:projects|publishers|models|endpoints|tunedModels|apigee)\/)[\w-]+\//

/**
 * How often reasoning must be added to an output so that it is a part of it. AG2 forwards Gemini's output, which excludes it. The
 * Google ADK always adds it, also to that of LiteLLM, which already includes it.
 */
function reasoningMissed(values: HotValues, scope: string): -1 | 0 | 1 {
	if (scope === ag2Scope) return providerName(firstText(values, provider)) === 'gcp.gemini' ? 1 : 0
	const isAdks = scope === 'gcp.vertex.agent'
	return isAdks && litellmName.test(firstText(values, modelRequested)) ? -1 : 0
}

/** Until 2026 Logfire forwarded Anthropic's input count, which excludes cached tokens. */
function withRaw(counted: Counted, raw: Record<string, unknown>): Counted {
	// Names in OpenAI's two APIs, and in LangChain. Mirascope has the details beside the sums, which include them.
	const input = objectOf(raw.prompt_tokens_details ?? raw.input_tokens_details ?? raw.input_token_details)
	const output = objectOf(
		raw.completion_tokens_details ?? raw.output_tokens_details ?? raw.output_token_details,
	)
	const isAnthropic = isCount(raw.cache_read_input_tokens)
	// LangChain sets the sum to zero if it has the parts.
	const written = isAnthropic ? objectOf(raw.cache_creation) : input
	const [fiveMinutes, oneHour] = [
		firstCount(written.ephemeral_5m_input_tokens),
		firstCount(written.ephemeral_1h_input_tokens),
	]
	const cached = objectOf(input.cached_tokens_details)
	const [cachedAudio, cachedImage] = [firstCount(cached.audio_tokens), firstCount(cached.image_tokens)]
	return {
		...counted,
		parts: {
			in_audio: Math.max(0, firstCount(input.audio_tokens, input.audio) - cachedAudio),
			in_image: Math.max(0, firstCount(input.image_tokens) - cachedImage),
			cache_read_audio: cachedAudio,
			cache_read_image: cachedImage,
			cache_write_1h: oneHour,
			out_audio: firstCount(output.audio_tokens, output.audio),
			out_image: firstCount(output.image_tokens),
			...nonZero(counted.parts),
		},
		cacheRead:
			counted.cacheRead ||
			firstCount(raw.cache_read_input_tokens, input.cached_tokens, input.cache_read, raw.cache_read_tokens),
		cacheWrite:
			counted.cacheWrite ||
			firstCount(raw.cache_creation_input_tokens, input.cache_write_tokens, input.cache_creation) ||
			firstCount(raw.cache_write_tokens) ||
			fiveMinutes + oneHour,
		reasoning:
			counted.reasoning ||
			firstCount(output.reasoning_tokens, output.thinking_tokens, output.reasoning, raw.reasoning_tokens),
		exclusive: counted.exclusive || (isAnthropic && counted.input === raw.input_tokens),
	}
}

/**
 * LiteLLM reports only the sums under common names. The details are in the usage under its own names, with cache tokens included in
 * the input.
 */
function readLitellm(
	values: HotValues,
	{ input, output }: Pick<Counted, 'input' | 'output'>,
	usage: string,
): ReportedUsage {
	const raw = parsePython(usage)
	const sum = (reported: number | null, key: string) =>
		reported ?? (isCount(raw[key]) ? (raw[key] as number) : null)
	const counted: Counted = {
		input: sum(input, 'prompt_tokens'),
		output: sum(output, 'completion_tokens'),
		cacheRead: countOf(values, tokens.cacheRead),
		cacheWrite: countOf(values, tokens.cacheWrite),
		reasoning: countOf(values, tokens.reasoning),
		exclusive: false,
	}
	return toBuckets(withRaw(counted, raw))
}

/** Genkit reports the usage only in the answer, together with the provider's answer and its counts. */
function readGenkit({ usage, raw, custom }: Record<string, unknown>): ReportedUsage {
	const { inputTokens, outputTokens, totalTokens, thoughtsTokens, cachedContentTokens } = objectOf(usage)
	const input = isCount(inputTokens) ? inputTokens : null
	const output = isCount(outputTokens) ? outputTokens : null
	const thoughts = firstCount(thoughtsTokens)
	const isBeside = totalTokens === (input ?? 0) + (output ?? 0) + thoughts
	const counted: Counted = {
		...{ input, output: isBeside && output !== null ? output + thoughts : output },
		...{ cacheRead: firstCount(cachedContentTokens), cacheWrite: 0, reasoning: thoughts, exclusive: false },
	}
	return toBuckets(withRaw(counted, objectOf(objectOf(raw ?? custom).usage)))
}

/** Parses JSON, or Python's notation of a dictionary of numbers. */
function parsePython(text: string): Record<string, unknown> {
	if (!text.startsWith("{'")) return parseObject(text)
	const words: Record<string, string> = { "'": '"', None: 'null', True: 'true', False: 'false' }
	return parseObject(text.replaceAll(/'|\b(?:None|True|False)\b/g, (word) => words[word] as string))
}

/** MLflow reports Gemini's thoughts as a part of the total alone. Its values are JSON. */
const isGeminis = (values: HotValues) =>
	providerName(firstText(values, provider).replaceAll('"', '')) === 'gcp.gemini'

/** Names of MLflow, Braintrust and LangWatch; other keys in the object are parts of these counts. */
function readInclusiveJson(json: string, isOfGemini: boolean): ReportedUsage {
	const given = unwrapped(json)
	const sum = (...keys: string[]) => keys.map((key) => given[key]).find(isCount) ?? null
	const input = sum('input_tokens', 'prompt_tokens', 'promptTokens')
	const output = sum('output_tokens', 'completion_tokens', 'completionTokens')
	const rest = isOfGemini ? Math.max(0, (sum('total_tokens') ?? 0) - (input ?? 0) - (output ?? 0)) : 0
	return toBuckets({
		input,
		output: output === null ? null : output + rest,
		cacheRead: sum('cache_read_input_tokens', 'prompt_cached_tokens') ?? 0,
		cacheWrite: sum('cache_creation_input_tokens', 'prompt_cache_creation_tokens') ?? 0,
		reasoning: sum('reasoning_tokens', 'completion_reasoning_tokens') ?? rest,
		exclusive: false,
		parts: { in_audio: sum('prompt_audio_tokens') ?? 0, out_audio: sum('completion_audio_tokens') ?? 0 },
	})
}

/** LangWatch wraps each value together with its type. */
export function unwrapped(json: string): Record<string, unknown> {
	const given = parseObject(json)
	return 'value' in given ? objectOf(given.value) : given
}

function nonZero(parts: PricedParts = {}): PricedParts {
	return Object.fromEntries(Object.entries(parts).filter(([, quantity]) => quantity > 0))
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function firstCount(...values: unknown[]): number {
	return values.find(isCount) ?? 0
}

/** Subtracts a part from a sum. A part larger than the sum shows that the sum already excludes it. */
function without(sum: number, part: number): number {
	return part > sum ? sum : sum - part
}

function countOf(values: HotValues, names: Names): number {
	return Math.max(0, firstInteger(values, names) ?? 0)
}

/** Patterns in the names of counts, by bucket; the first match decides. */
const bucketWords: [RegExp, keyof TokenBuckets | null][] = [
	[/total/, null],
	// LangChain names the writes of Anthropic's cache after their lifetime.
	[/cache.*(?:creation|write)|(?:creation|write).*cache|ephemeral/, 'cacheWriteTokens'],
	[/cache/, 'cacheReadTokens'],
	[/reasoning|thinking/, 'reasoningTokens'],
	[/output|completion|candidates/, 'outputTokens'],
	[/input|prompt/, 'inputTokens'],
]

const partWords: [RegExp, keyof PricedParts][] = [
	[/cache.*audio|audio.*cache/, 'cache_read_audio'],
	[/ephemeral_1h/, 'cache_write_1h'],
	[/(?:input|prompt).*audio/, 'in_audio'],
	[/(?:output|completion).*audio/, 'out_audio'],
]

/** The counts are exclusive, except where Langfuse's wrapper of OpenAI forwards OpenAI's usage. */
function readLangfuseJson(given: Record<string, unknown>): ReportedUsage {
	const isOpenAis = ['prompt', 'input', 'completion', 'output'].some(
		(part) => `${part}_tokens_details` in given,
	)
	if (!isOpenAis) return readExclusive(given)
	const input = firstCount(given.prompt_tokens, given.input_tokens)
	const output = firstCount(given.completion_tokens, given.output_tokens)
	const sums = { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0, exclusive: false }
	return toBuckets(withRaw(sums, given))
}

function readExclusive(given: Record<string, unknown>): ReportedUsage {
	const usage: ReportedUsage = { ...noUsage, parts: {} }
	for (const [name, value] of Object.entries(given)) {
		if (!isCount(value)) continue
		const bucket = bucketWords.find(([word]) => word.test(name))?.[1]
		if (!bucket) continue
		usage[bucket] += value
		usage.reported ||= value > 0
		const part = partWords.find(([word]) => word.test(name))?.[1]
		if (part) usage.parts[part] = (usage.parts[part] ?? 0) + value
	}
	return usage
}
