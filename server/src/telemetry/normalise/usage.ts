import type { Dimension, TokenBuckets } from '../../ledger/ledger.ts'
import {
	adkResponse,
	first,
	firstInteger,
	firstText,
	genkitOutput,
	type HotValues,
	modelRequested,
	type Names,
	objectOf,
	operation,
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
export function readUsage(values: HotValues, scope: string, name: () => string): ReportedUsage {
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
	const answered = firstText(values, adkResponse)
	if (answered.includes('"usageMetadata":{'))
		return readGeminis(objectOf(parseObject(answered).usageMetadata))
	const reasoning = countOf(values, tokens.reasoning)
	const cacheRead = countOf(values, tokens.cacheRead)
	const counted: Counted = {
		input: input !== null && addsCached(scope, name) ? without(input, cacheRead) : input,
		output: output === null ? null : output + reasoning * reasoningMissed(values, scope),
		cacheRead,
		cacheWrite: countOf(values, tokens.cacheWrite),
		reasoning,
		parts: partsOf(values),
		exclusive: first(values, tokens.exclusive) === true || excludesCached(values, scope),
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

/** MLflow's values are JSON. */
const isGeminis = (values: HotValues) =>
	providerName(firstText(values, provider).replaceAll('"', '')) === 'gcp.gemini'

/** The newer one of OpenTelemetry's instrumentations of the AWS SDK for Python. */
const bedrockScope = 'opentelemetry.instrumentation.genai.bedrock'
/** AG2 and Paid forward each provider's own counts. */
const forwardingScopes: ReadonlySet<string> = new Set(['opentelemetry.instrumentation.ag2', 'paid.python'])

/** Whether a library forwards the input count of Anthropic or Bedrock, which excludes cached tokens. Each span of OpenLIT names it. */
function excludesCached(values: HotValues, scope: string): boolean {
	// Instrumentations of the AWS SDK.
	if (scope === bedrockScope || first(values, tokens.promptCaching) !== undefined) return true
	const served = firstText(values, provider)
	if (firstText(values, tokens.rpcSystem) === 'aws-api' && served === 'aws.bedrock') return true
	if (firstText(values, sdk) === 'openlit' && served === 'anthropic') return true
	if (forwardingScopes.has(scope) || scope === 'pipecat' || scope === 'agentscope')
		return /^(?:anthropic|aws\.bedrock)$/.test(providerName(served))
	// OpenInference forwards the counts of Agno, which are those of the provider.
	if (scope !== 'openinference.instrumentation.agno') return false
	return /anthropic|bedrock|claude/.test(`${providerName(served)} ${firstText(values, modelRequested)}`)
}

/** LiteLLM's name of a model, `openai/gpt-5`, in contrast to a path of Google's. */
const litellmName = /^(?!(?:projects|publishers|models|endpoints|tunedModels|apigee)\/)[\w-]+\//
/** OpenTelemetry's instrumentation of Gemini's client for Python. */
const genaiScope = 'opentelemetry.instrumentation.google_genai'

/**
 * How often reasoning must be added to an output so that it is a part of it. AG2, Paid, OpenLIT and the interactions of OpenTelemetry's
 * instrumentation forward Gemini's output, which excludes it. The Google ADK always adds it, also to that of LiteLLM, which already
 * includes it.
 */
function reasoningMissed(values: HotValues, scope: string): -1 | 0 | 1 {
	if (scope === genaiScope) return firstText(values, operation) === 'interactions.create' ? 1 : 0
	if (forwardingScopes.has(scope) || firstText(values, sdk) === 'openlit') return isGeminis(values) ? 1 : 0
	const isAdks = scope === 'gcp.vertex.agent'
	return isAdks && litellmName.test(firstText(values, modelRequested)) ? -1 : 0
}

/** OpenInference adds the cached tokens of an interaction with Gemini to an input that includes them. */
function addsCached(scope: string, name: () => string): boolean {
	return (
		scope === 'openinference.instrumentation.google_genai' && /^(?:Async)?InteractionsResource\./.test(name())
	)
}

/** Gemini's own counts: the thoughts and what its tools add to the prompt are beside the sums. The ADK for JavaScript has them there. */
function readGeminis(usage: Record<string, unknown>): ReportedUsage {
	const { promptTokenCount: prompt, candidatesTokenCount: output, thoughtsTokenCount } = usage
	const thoughts = firstCount(thoughtsTokenCount)
	return toBuckets({
		input: isCount(prompt) ? prompt + firstCount(usage.toolUsePromptTokenCount) : null,
		output: isCount(output) || thoughts > 0 ? firstCount(output) + thoughts : null,
		...{ cacheRead: firstCount(usage.cachedContentTokenCount), cacheWrite: 0, reasoning: thoughts },
		exclusive: false,
	})
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

/**
 * Names of MLflow, Braintrust and LangWatch; other keys in the object are parts of these counts. MLflow reports Gemini's thoughts as a
 * part of the total alone.
 */
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
