import { linesOf, type Usage, type UsageLine } from '../../../../ledger/ledger.ts'
import {
	addCost,
	costOfLiteLlm,
	countOrNull,
	countOrZero,
	type Fields,
	fieldsIn,
	isAnyUnreadable,
	newReading,
	newResultsReader,
	parseFields,
	type ReadResult,
	type ResponseReader,
	reportedCost,
	type Surface,
	sumOf,
	textOr,
	utf8Bytes,
} from '../provider.ts'

const fields: ReadonlySet<string> = new Set([
	...['id', 'model', 'usage', 'service_tier', 'error', 'status', 'tool_usage'],
	...['output', 'output_file_id', 'error_file_id', 'background'],
	...['choices', 'object', 'incomplete_details'],
	// Fields of errors in other forms.
	...['message', 'detail', 'type', 'error_type'],
])
/** Errors for a temporary limit and for an exhausted quota both have status 429; the type only names the exceeded unit. */
const limits: ReadonlySet<string> = new Set([
	'rate_limit_exceeded',
	'insufficient_quota',
	'billing_hard_limit_reached',
])
/** These use input only, and some providers report nothing but the total. */
const inputAlone: ReadonlySet<string> = new Set(['embeddings', 'rerank'])
const ofItems: ReadonlySet<string> = new Set(['id', 'error', 'data'])
/** Streams of responses, images, speech and transcriptions end with one of these events. */
const terminalEvent =
	/^(response\.(completed|incomplete|failed)|image_\w+\.completed|(speech\.audio|transcript\.text)\.done)$/

/** Reads the answers of OpenAI's API, streamed or not. */
export function newReader({
	operation,
	creates,
	format,
}: Pick<Surface, 'operation' | 'creates' | 'format'>): ResponseReader {
	if (operation === 'files/content') return newResultsReader(resultIn)
	const reading = newReading()
	const plain = operation.startsWith('images/') ? 'out_image' : 'out_text'
	let costInHeader: readonly UsageLine[] = []

	/** The fields that a body, a chunk and a response object have in common. */
	const readEnvelope = (from: Fields) => {
		reading.responseId = textOr(from.id, reading.responseId)
		reading.model = textOr(from.model, reading.model)
		reading.serviceTier = textOr(from.service_tier, reading.serviceTier)
		reading.finishReason = finishIn(from) || reading.finishReason
		const error = errorIn(from)
		if (error) readError(error)
		// The figures of a stream are cumulative: the last ones count.
		if (creates) {
			for (const id of storedIn(from)) reading.objects.add(id)
			reading.deferred = isDeferred(operation, from) ? reading.responseId : ''
		}
		// Groq has a field of its own for the usage of streams, and Moonshot puts it into the last choice.
		const reported = from.usage ?? fieldsIn(from.x_groq)?.usage ?? usageOfChoice(from.choices)
		const usage = readUsage(completed(reported), plain)
		if (!usage) return
		reading.usage = { ...usage, lines: [...usage.lines, ...readToolUsage(from.tool_usage)] }
		reading.rawUsage = reported
		reading.complete = true
		if (operation === 'responses/get') reading.results = [{ key: reading.responseId, reading }]
	}
	const completed = (usage: unknown) => {
		if (inputAlone.has(operation)) return withInput(usage)
		return format === 'openai' ? withThoughts(usage) : usage
	}
	const readError = (error: Fields) => {
		const code = textOr(error.code, '')
		// An event that is the error itself has the type of such events.
		const type = error.type === 'error' ? '' : textOr(error.type, '')
		reading.errorType = limits.has(code) ? code : type || code || 'error'
		reading.errorMessage = textOr(error.message, '')
	}
	const addContent = (bytes: number) => {
		reading.generatedBytes += bytes
		reading.content ||= bytes > 0
	}
	const readResponsesEvent = (type: string, event: Fields) => {
		if (type.endsWith('.delta')) addContent(utf8Bytes(event.delta))
		if (type === 'error') readError(fieldsIn(event.error) ?? event)
		const response = fieldsIn(event.response)
		if (response) readEnvelope(response)
		else if (event.usage) readEnvelope(event)
		const item = fieldsIn(event.item)
		if (creates && item) reading.objects.add(textOr(item.id, ''))
		if (type.endsWith('partial_image')) reading.content = true
		if (terminalEvent.test(type)) reading.ended = true
	}

	return {
		fields: operation === 'conversations/items' ? ofItems : fields,
		reading,
		onHeaders: (headers) => {
			costInHeader = costOfLiteLlm(headers)
			return costInHeader.length > 0
		},
		onBody: (found) => {
			readEnvelope(Object.fromEntries(found))
			addCost(reading, costInHeader)
			reading.ended = true
		},
		onEvent: (data, name) => {
			if (data === '[DONE]') {
				reading.ended = true
				return
			}
			const event = parseFields(data)
			if (!event) return
			if (name === 'error') readError(fieldsIn(event.error) ?? event)
			if (typeof event.type === 'string' && !event.choices) return readResponsesEvent(event.type, event)
			readEnvelope(event)
			for (const choice of Array.isArray(event.choices) ? event.choices : [])
				addContent(deltaBytes(fieldsIn(fieldsIn(choice)?.delta)) + utf8Bytes(fieldsIn(choice)?.text))
		},
	}
}

/**
 * The error in an answer. Servers with OpenAI's dialect also send only the text (Ollama, LM Studio, xAI, TGI), or put the fields
 * at the top level (vLLM, Mistral), or use their framework's form (`detail`).
 */
function errorIn({ error, error_type, id, message, detail, type }: Fields): Fields | null {
	if (typeof error === 'string' && error !== '') return { message: error, type: error_type }
	if (error) return fieldsIn(error)
	const text = textOr(message, textOr(detail, ''))
	return text === '' || id !== undefined ? null : { message: text, type }
}

/** Why the answer ended, in a choice or in a response, which has a status instead; '' while it has not ended. */
function finishIn({ choices, object, status, incomplete_details: details }: Fields): string {
	if (object === 'response') {
		const isRunning = status === 'queued' || status === 'in_progress'
		return isRunning ? '' : textOr(fieldsIn(details)?.reason, textOr(status, ''))
	}
	const reasons = Array.isArray(choices) ? choices.map((choice) => fieldsIn(choice)?.finish_reason) : []
	return textOr(
		reasons.findLast((reason) => typeof reason === 'string'),
		'',
	)
}

function usageOfChoice(choices: unknown): unknown {
	return Array.isArray(choices) ? fieldsIn(choices.at(-1))?.usage : undefined
}

/** Whether its usage will be reported in another answer, to a request for the results. */
function isDeferred(operation: string, { background, status }: Fields): boolean {
	if (operation.startsWith('batches')) return true
	return background === true && (status === 'queued' || status === 'in_progress')
}

/** A line of a batch's output: the answer to one request. */
function resultIn({ custom_id, response }: Fields): ReadResult | null {
	const body = fieldsIn(fieldsIn(response)?.body)
	if (!body) return null
	const reader = newReader({ operation: 'batch_result' })
	reader.onBody(new Map(Object.entries(body)))
	return { key: textOr(custom_id, ''), reading: reader.reading }
}

function deltaBytes(delta: Fields | null): number {
	if (!delta) return 0
	// OpenRouter, vLLM, Ollama and Groq use the field `reasoning`; some servers send the same text under both names.
	const thoughts = utf8Bytes(delta.reasoning_content) || utf8Bytes(delta.reasoning)
	let bytes = utf8Bytes(delta.content) + utf8Bytes(delta.refusal) + thoughts
	for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
		const named = fieldsIn(fieldsIn(call)?.function)
		bytes += utf8Bytes(named?.name) + utf8Bytes(named?.arguments)
	}
	return bytes
}

function withInput(value: unknown): unknown {
	const usage = fieldsIn(value)
	return usage && { prompt_tokens: usage.input_tokens ?? usage.total_tokens, ...usage }
}

/** Google's form of completion tokens excludes thinking, which the total includes. */
function withThoughts(value: unknown): unknown {
	const usage = fieldsIn(value)
	const total = countOrZero(usage?.total_tokens)
	const completion = countOrZero(usage?.completion_tokens)
	const thoughts = total - countOrZero(usage?.prompt_tokens) - completion
	if (!usage || thoughts <= 0) return value
	const details = { ...fieldsIn(usage.completion_tokens_details), reasoning_tokens: thoughts }
	return { ...usage, completion_tokens: completion + thoughts, completion_tokens_details: details }
}

/**
 * The ids that OpenAI has stored with an answer: the object itself, the items of a response or a conversation, the result files
 * of a batch.
 */
function storedIn(answer: Fields): string[] {
	const items = Array.isArray(answer.output) ? answer.output.map((item) => fieldsIn(item)?.id) : []
	// The items added to a conversation.
	const listed = Array.isArray(answer.data) ? answer.data.map((item) => fieldsIn(item)?.id) : []
	const ids = [answer.id, answer.output_file_id, answer.error_file_id, ...items, ...listed]
	return ids.filter((id): id is string => typeof id === 'string' && id !== '')
}

/** The kind of plain output tokens: text, or images for APIs that generate images. */
type PlainOutput = 'out_text' | 'out_image'

/**
 * The usage object of chat completions, embeddings, responses, images and audio as billed quantities. Cached, cache-written,
 * audio and image tokens are parts of the prompt; reasoning, audio, images and rejected predictions are parts of the completion.
 * Null if there are no figures.
 */
export function readUsage(value: unknown, plain: PlainOutput = 'out_text'): Usage | null {
	const usage = fieldsIn(value)
	if (!usage) return null
	if (usage.type === 'duration') return readDuration(usage)
	const prompt = countOrNull(usage.prompt_tokens) ?? countOrNull(usage.input_tokens)
	const completion = countOrNull(usage.completion_tokens) ?? countOrNull(usage.output_tokens)
	if (prompt === null && completion === null) return null
	const figures = [usage.prompt_tokens, usage.input_tokens, usage.completion_tokens, usage.output_tokens]
	const input = readInput(
		detailsOf(usage, ['prompt_tokens_details', 'input_tokens_details', 'input_token_details']),
		countOrZero(usage.prompt_cache_hit_tokens) ||
			countOrZero(usage.cached_tokens) ||
			countOrZero(usage.num_cached_tokens),
	)
	const details = detailsOf(usage, [
		'completion_tokens_details',
		'output_tokens_details',
		'output_token_details',
	])
	const output = readOutput(details)
	if (plain === 'out_image')
		output.out_image = Math.max(0, (completion ?? 0) - countOrZero(details.text_tokens))
	const in_text = (prompt ?? 0) - sumOf(input)
	// The total shows that xAI's completion tokens do not include thinking.
	const isBeside = usage.total_tokens === (prompt ?? 0) + (completion ?? 0) + output.out_reasoning
	// Mistral bills sound by the second, beside the tokens of the text.
	const audio_s = secondsIn(usage.prompt_audio_seconds)
	const out_text = (completion ?? 0) + (isBeside ? output.out_reasoning : 0) - sumOf(output)
	return {
		lines: [...linesOf({ in_text, ...input, out_text, ...output, audio_s }), ...reportedCost(usage)],
		inconsistent: in_text < 0 || out_text < 0 || isAnyUnreadable(figures),
	}
}

/** Transcriptions with some models are billed by the second. */
function readDuration({ seconds }: Fields): Usage | null {
	if (typeof seconds !== 'number' || !(seconds >= 0)) return null
	return { lines: linesOf({ audio_s: secondsIn(seconds) }), inconsistent: false }
}

function secondsIn(value: unknown): number {
	return typeof value === 'number' && value > 0 && value < 1e9 ? Math.ceil(value) : 0
}

/** What the tools of a response used beside its model: searches, and images made by another model. */
export function readToolUsage(value: unknown): readonly UsageLine[] {
	const tools = fieldsIn(value)
	if (!tools) return []
	const image = fieldsIn(tools.image_gen)
	const searches = countOrZero(fieldsIn(tools.web_search)?.num_requests)
	const images = readUsage(image, 'out_image')?.lines ?? []
	const model = textOr(image?.model, 'image_generation')
	return [...linesOf({ web_search: searches }), ...images.map((line) => ({ ...line, iteration: 1, model }))]
}

function detailsOf(usage: Fields, names: readonly string[]): Fields {
	for (const name of names) {
		const details = fieldsIn(usage[name])
		if (details) return details
	}
	return {}
}

/**
 * Realtime and some audio models report the kinds of cached tokens. `besides`: cached tokens reported beside the details
 * (DeepSeek, Moonshot and Mistral), used if the details contain none.
 */
function readInput(parts: Fields, besides: number) {
	const cached = fieldsIn(parts.cached_tokens_details)
	const cachedAudio = countOrZero(cached?.audio_tokens)
	const cachedImage = countOrZero(cached?.image_tokens)
	// Alibaba's name for the same.
	const written = countOrZero(parts.cache_write_tokens) || countOrZero(parts.cache_creation_input_tokens)
	const longLived = countOrZero(fieldsIn(parts.cache_write_tokens_details)?.ttl_12h_tokens)
	// LiteLLM's proxy, for Anthropic's models, and Alibaba report the lifetimes in this form.
	const ofAnthropic = fieldsIn(parts.cache_creation_token_details) ?? fieldsIn(parts.cache_creation)
	const fiveMinutes = countOrZero(ofAnthropic?.ephemeral_5m_input_tokens)
	const oneHour = countOrZero(ofAnthropic?.ephemeral_1h_input_tokens)
	return {
		cache_read: Math.max(0, (countOrZero(parts.cached_tokens) || besides) - cachedAudio - cachedImage),
		cache_read_audio: cachedAudio,
		cache_read_image: cachedImage,
		cache_write_5m: fiveMinutes,
		cache_write_1h: oneHour,
		cache_write_30m: Math.max(0, written - longLived - fiveMinutes - oneHour),
		cache_write_12h: longLived,
		in_audio: Math.max(0, countOrZero(parts.audio_tokens) - cachedAudio),
		in_image: Math.max(0, countOrZero(parts.image_tokens) - cachedImage),
	}
}

function readOutput(parts: Fields) {
	return {
		out_reasoning: countOrZero(parts.reasoning_tokens),
		out_audio: countOrZero(parts.audio_tokens),
		out_image: countOrZero(parts.image_tokens),
		pred_rejected: countOrZero(parts.rejected_prediction_tokens),
	}
}
