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
	textOr,
	utf8Bytes,
} from '../provider.ts'

/** Kinds of iterations whose tokens are billed but not included in the top-level figures. */
const extraIterations = new Set(['compaction', 'advisor_message'])

/**
 * Merges newer figures of a stream into older ones, field by field: they are cumulative, so they are never added, and null,
 * absent or smaller values are ignored.
 */
export function mergeUsage(older: Fields | null, newer: Fields | null): Fields | null {
	if (!older || !newer) return newer ?? older
	const merged: Fields = { ...older }
	for (const [name, value] of Object.entries(newer)) {
		if (value !== null) merged[name] = laterOf(older[name], value)
	}
	return merged
}

function laterOf(older: unknown, newer: unknown): unknown {
	return typeof older === 'number' && typeof newer === 'number' ? Math.max(older, newer) : newer
}

/** The run of the substitute that answered, because the requested model declined; null if none did. */
function substituteIn(usage: Fields | null): Fields | null {
	const runs = Array.isArray(usage?.iterations) ? usage.iterations : []
	return fieldsIn(runs.findLast((run) => fieldsIn(run)?.type === 'fallback_message'))
}

/**
 * Whether a run is billed beside the top-level figures: compaction and advisor, and models that declined in favour of a substitute.
 * A refusal before any output is free.
 */
function isBeside({ type, model, output_tokens }: Fields, substitute: Fields | null): boolean {
	if (extraIterations.has(String(type))) return true
	const isOther = typeof model === 'string' && model !== substitute?.model
	return substitute !== null && type === 'message' && isOther && countOrZero(output_tokens) > 0
}

/**
 * The usage object of messages as billed quantities. `input_tokens` excludes cache reads and writes; thinking is part of the
 * output; runs beside the answer have their own models. Null if there are no figures.
 */
export function readUsage(value: unknown): Usage | null {
	const usage = fieldsIn(value)
	if (!usage || (countOrNull(usage.input_tokens) === null && countOrNull(usage.output_tokens) === null))
		return null
	const runs = [readRun(usage, 0, '')]
	const substitute = substituteIn(usage)
	for (const [index, iteration] of (Array.isArray(usage.iterations) ? usage.iterations : []).entries()) {
		const run = fieldsIn(iteration)
		if (run && isBeside(run, substitute)) runs.push(readRun(run, index + 1, textOr(run.model, '')))
	}
	// OpenRouter uses this form too.
	const lines = [...runs.flatMap((run) => run.lines), ...reportedCost(usage)]
	return { lines, inconsistent: runs.some((run) => run.inconsistent) }
}

function readRun(usage: Fields, iteration: number, model: string): Usage {
	const thinking = countOrZero(fieldsIn(usage.output_tokens_details)?.thinking_tokens)
	const output = countOrZero(usage.output_tokens) - thinking
	const split = fieldsIn(usage.cache_creation)
	const fiveMinutes = countOrZero(split?.ephemeral_5m_input_tokens)
	const oneHour = countOrZero(split?.ephemeral_1h_input_tokens)
	const serverTools = fieldsIn(usage.server_tool_use)
	const quantities = {
		in_text: countOrZero(usage.input_tokens),
		cache_read: countOrZero(usage.cache_read_input_tokens),
		// If the total is larger than its parts, the rest counts as 5-minute writes.
		cache_write_5m: Math.max(countOrZero(usage.cache_creation_input_tokens) - oneHour, fiveMinutes),
		cache_write_1h: oneHour,
		out_text: output,
		out_reasoning: thinking,
		web_search: countOrZero(serverTools?.web_search_requests),
		web_fetch: countOrZero(serverTools?.web_fetch_requests),
	}
	const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
	const figures = [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens]
	return {
		lines: linesOf(quantities, iteration, model),
		inconsistent: output < 0 || isAnyUnreadable(figures),
	}
}

const fields: ReadonlySet<string> = new Set(['id', 'model', 'usage', 'stop_reason', 'error', 'container'])

/** Reads messages, streamed or not. */
export function newReader({ operation }: Pick<Surface, 'operation'>): ResponseReader {
	if (operation === 'batches/results') return newResultsReader(resultIn)
	const reading = newReading()
	let usage: Fields | null = null
	let costInHeader: readonly UsageLine[] = []

	const readMessage = (message: Fields) => {
		reading.responseId = textOr(message.id, reading.responseId)
		reading.model = textOr(message.model, reading.model)
		keepContainer(message)
		readUsageOf(message.usage)
	}
	/** Code runs in a container that later messages can name. */
	const keepContainer = (from: Fields | null) => {
		const id = textOr(fieldsIn(from?.container)?.id, '')
		if (id) reading.objects.add(id)
	}
	const readUsageOf = (value: unknown) => {
		usage = mergeUsage(usage, fieldsIn(value))
		reading.rawUsage = usage
		reading.usage = readUsage(usage)
		// A stream begins with the name of the model that was requested.
		reading.model = textOr(substituteIn(usage)?.model, reading.model)
		reading.serviceTier = textOr(usage?.service_tier, reading.serviceTier)
		reading.speed = textOr(usage?.speed, reading.speed)
		reading.geo = textOr(usage?.inference_geo, reading.geo)
	}
	/** The figures so far are those of the model that declined. */
	const beginSubstitute = (by: Fields | null) => {
		reading.model = textOr(by?.model, reading.model)
		usage = null
	}
	const readError = (value: unknown) => {
		const error = fieldsIn(value)
		if (!error) return
		reading.errorType = textOr(error.type, 'error')
		reading.errorMessage = textOr(error.message, '')
	}
	const readBlock = (block: Fields | null) => {
		const bytes = utf8Bytes(block?.text) + utf8Bytes(block?.thinking) + utf8Bytes(block?.partial_json)
		reading.generatedBytes += bytes
		reading.content ||= bytes > 0 || block?.type === 'tool_use'
	}

	const readEvent: Record<string, (event: Fields) => void> = {
		message_start: (event) => readMessage(fieldsIn(event.message) ?? {}),
		content_block_start: (event) => {
			const block = fieldsIn(event.content_block)
			if (block?.type === 'fallback') beginSubstitute(fieldsIn(block.to))
			else readBlock(block)
		},
		content_block_delta: (event) => readBlock(fieldsIn(event.delta)),
		message_delta: (event) => {
			keepContainer(fieldsIn(event.delta))
			readUsageOf(event.usage)
			reading.complete ||= fieldsIn(event.usage) !== null
			reading.finishReason = textOr(fieldsIn(event.delta)?.stop_reason, reading.finishReason)
		},
		message_stop: () => {
			reading.ended = true
		},
		error: (event) => readError(event.error),
	}

	return {
		fields,
		reading,
		onHeaders: (headers) => {
			costInHeader = costOfLiteLlm(headers)
			return costInHeader.length > 0
		},
		onBody: (found) => {
			const message = Object.fromEntries(found)
			readMessage(message)
			if (operation === 'batches' || operation === 'files') reading.objects.add(reading.responseId)
			if (operation === 'batches') reading.deferred = reading.responseId
			readError(found.get('error'))
			reading.finishReason = textOr(found.get('stop_reason'), '')
			reading.complete = reading.usage !== null
			addCost(reading, costInHeader)
			reading.ended = true
		},
		onEvent: (data, name) => {
			const event = parseFields(data)
			const type = textOr(event?.type, name)
			if (event && Object.hasOwn(readEvent, type)) readEvent[type]?.(event)
		},
	}
}

/** A line of a batch's results: the answer to one request. */
function resultIn({ custom_id, result }: Fields): ReadResult | null {
	const message = fieldsIn(fieldsIn(result)?.message)
	if (!message) return null
	const reader = newReader({ operation: 'batch_result' })
	reader.onBody(new Map(Object.entries(message)))
	return { key: textOr(custom_id, ''), reading: reader.reading }
}
