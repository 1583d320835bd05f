import { newReading, type ReadResult, type ResponseReader, type Surface } from '../provider.ts'
import { newResultsReader } from '../results-reader.ts'
import { type Fields, fieldsIn, parseFields, textOr, utf8Bytes } from '../wire-values.ts'
import { mergeUsage, readUsage } from './usage.ts'

const fields: ReadonlySet<string> = new Set(['id', 'model', 'usage', 'stop_reason', 'error', 'container'])

/** Reads messages, streamed or not. */
export function newReader({ operation }: Pick<Surface, 'operation'>): ResponseReader {
	if (operation === 'batches/results') return newResultsReader(resultIn)
	const reading = newReading()
	let usage: Fields | null = null

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
		reading.serviceTier = textOr(usage?.service_tier, reading.serviceTier)
		reading.speed = textOr(usage?.speed, reading.speed)
		reading.geo = textOr(usage?.inference_geo, reading.geo)
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
		content_block_start: (event) => readBlock(fieldsIn(event.content_block)),
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
		onBody: (found) => {
			const message = Object.fromEntries(found)
			readMessage(message)
			if (operation === 'batches' || operation === 'files') reading.objects.add(reading.responseId)
			if (operation === 'batches') reading.deferred = reading.responseId
			readError(found.get('error'))
			reading.finishReason = textOr(found.get('stop_reason'), '')
			reading.complete = reading.usage !== null
			reading.ended = true
		},
		onEvent: (data, name) => {
			const event = parseFields(data)
			const type = textOr(event?.type, name)
			if (event && Object.hasOwn(readEvent, type)) readEvent[type]?.(event)
		},
	}
}

/** A line of a batch's results: what was answered to one request. */
function resultIn({ custom_id, result }: Fields): ReadResult | null {
	const message = fieldsIn(fieldsIn(result)?.message)
	if (!message) return null
	const reader = newReader({ operation: 'batch_result' })
	reader.onBody(new Map(Object.entries(message)))
	return { key: textOr(custom_id, ''), reading: reader.reading }
}
