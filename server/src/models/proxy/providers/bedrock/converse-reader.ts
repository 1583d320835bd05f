import type { IncomingHttpHeaders } from 'node:http'
import { linesOf, type Usage } from '../../../../ledger/ledger.ts'
import {
	countOrNull,
	countOrZero,
	type Fields,
	fieldsIn,
	newReading,
	parseFields,
	type Reading,
	type ResponseReader,
	textOr,
	utf8Bytes,
} from '../provider.ts'

/** Fields of errors: Amazon's sign-in capitalises the message. */
export const errorFields = ['message', 'Message', '__type'] as const

/** The runtime names the type of an error in a header only, followed by an address: `ThrottlingException:http://…`. */
export function noteErrorType(reading: Reading, headers: IncomingHttpHeaders): void {
	reading.errorType = textOr(headers['x-amzn-errortype'], '').split(':')[0] as string
}

export function readError(reading: Reading, body: Fields): void {
	reading.errorType = textOr(body.__type, reading.errorType)
	reading.errorMessage = textOr(body.message, textOr(body.Message, ''))
}

const fields: ReadonlySet<string> = new Set(['usage', 'stopReason', 'serviceTier', ...errorFields])

/** Reads what Converse and ConverseStream answer. */
export function newConverseReader(): ResponseReader {
	const reading = newReading()

	const readFigures = (from: Fields) => {
		reading.serviceTier = textOr(fieldsIn(from.serviceTier)?.type, reading.serviceTier)
		const usage = readUsage(from.usage)
		if (!usage) return
		reading.usage = usage
		reading.rawUsage = from.usage
		reading.complete = true
	}
	const addContent = (bytes: number) => {
		reading.generatedBytes += bytes
		reading.content ||= bytes > 0
	}
	const readEvent: Record<string, (event: Fields) => void> = {
		contentBlockStart: () => {
			reading.content = true
		},
		contentBlockDelta: ({ delta: value }) => {
			const delta = fieldsIn(value)
			const thought = utf8Bytes(fieldsIn(delta?.reasoningContent)?.text)
			addContent(utf8Bytes(delta?.text) + utf8Bytes(fieldsIn(delta?.toolUse)?.input) + thought)
		},
		messageStop: (event) => {
			reading.finishReason = textOr(event.stopReason, 'end_turn')
		},
		metadata: (event) => {
			readFigures(event)
			reading.ended = true
		},
	}

	return {
		fields,
		reading,
		onHeaders: (headers) => noteErrorType(reading, headers),
		onBody: (found) => {
			const body = Object.fromEntries(found)
			readFigures(body)
			reading.finishReason = textOr(body.stopReason, '')
			readError(reading, body)
			reading.ended = true
		},
		onEvent: (data, name) => {
			const event = parseFields(data)
			if (name.startsWith('!')) {
				reading.errorType = name.slice(1)
				reading.errorMessage = textOr(event?.message, '')
			} else if (event && Object.hasOwn(readEvent, name)) readEvent[name]?.(event)
		},
	}
}

/**
 * The usage object of Converse as billed quantities: `inputTokens` is without cache reads and writes, and `cacheDetails`
 * says for how long was written. Null when there are no figures.
 */
export function readUsage(value: unknown): Usage | null {
	const usage = fieldsIn(value)
	if (!usage || (countOrNull(usage.inputTokens) === null && countOrNull(usage.outputTokens) === null))
		return null
	const cache_write_1h = writtenFor('1h', usage.cacheDetails)
	const written = countOrZero(usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount)
	const quantities = {
		in_text: countOrZero(usage.inputTokens),
		cache_read: countOrZero(usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount),
		cache_write_5m: Math.max(written - cache_write_1h, writtenFor('5m', usage.cacheDetails)),
		cache_write_1h,
		out_text: countOrZero(usage.outputTokens),
	}
	return { lines: linesOf(quantities), inconsistent: cache_write_1h > written && written > 0 }
}

function writtenFor(ttl: string, details: unknown): number {
	const entries = (Array.isArray(details) ? details : []).map(fieldsIn)
	return entries.reduce((sum, entry) => (entry?.ttl === ttl ? sum + countOrZero(entry.inputTokens) : sum), 0)
}

/** What the models that InvokeModel runs call their figures, each in its own words; null when there are none. */
export function readNativeUsage(body: Fields): Usage | null {
	const metrics = fieldsIn(body['amazon-bedrock-invocationMetrics'])
	const tokens = countsIn(metrics ?? body)
	if (tokens) return { lines: linesOf(tokens), inconsistent: false }
	return readUsage(body.usage)
}

/** The headers with the figures of InvokeModel, by their names in its streams. Many models report none in their bodies. */
const countHeaders = {
	inputTokenCount: 'x-amzn-bedrock-input-token-count',
	outputTokenCount: 'x-amzn-bedrock-output-token-count',
	cacheReadInputTokenCount: 'x-amzn-bedrock-cache-read-input-token-count',
	cacheWriteInputTokenCount: 'x-amzn-bedrock-cache-write-input-token-count',
} as const

/** The figures in the headers of an answer, in the form of those in streams. */
export function countsInHeaders(headers: IncomingHttpHeaders): Fields {
	const counts: Fields = {}
	for (const [name, header] of Object.entries(countHeaders))
		if (headers[header] !== undefined) counts[name] = Number(headers[header])
	return counts
}

function countsIn(body: Fields) {
	const input = countOrNull(body.inputTokenCount ?? body.prompt_token_count ?? body.inputTextTokenCount)
	const output = countOrNull(body.outputTokenCount ?? body.generation_token_count) ?? outputOfTitan(body)
	if (input === null && output === null) return null
	return {
		in_text: input ?? 0,
		cache_read: countOrZero(body.cacheReadInputTokenCount),
		cache_write_5m: countOrZero(body.cacheWriteInputTokenCount),
		out_text: output ?? 0,
	}
}

/** Titan counts the tokens of each of its texts. Its embeddings have none, and the results of a rerank have no tokens. */
function outputOfTitan({ results }: Fields): number | null {
	const counts = (Array.isArray(results) ? results : []).map((result) =>
		countOrNull(fieldsIn(result)?.tokenCount),
	)
	const reported = counts.filter((count) => count !== null)
	return reported.length === 0 ? null : reported.reduce((sum, count) => sum + count, 0)
}
