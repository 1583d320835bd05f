import { newReading, type ResponseReader } from '../provider.ts'
import { type Fields, fieldsIn, parseFields, textOr, utf8Bytes } from '../wire-values.ts'
import { readUsage } from './usage.ts'

const fields: ReadonlySet<string> = new Set(['usage', 'stopReason', 'serviceTier', 'message', '__type'])

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
		onBody: (found) => {
			const body = Object.fromEntries(found)
			readFigures(body)
			reading.finishReason = textOr(body.stopReason, '')
			reading.errorType = textOr(body.__type, '')
			reading.errorMessage = textOr(body.message, '')
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
