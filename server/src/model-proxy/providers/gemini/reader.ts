import { newReading, type ResponseReader, type Surface } from '../provider.ts'
import { type Fields, fieldsIn, parseFields, textOr, utf8Bytes } from '../wire-values.ts'
import { billedSearches, readUsage, tierOf } from './usage.ts'

const fields: ReadonlySet<string> = new Set([
	...['candidates', 'usageMetadata', 'modelVersion', 'responseId', 'error', 'promptFeedback'],
])

/** Reads what Gemini answers: one object, a stream of them as events, or as the items of a JSON list. */
export function newReader({ format }: Pick<Surface, 'format'>): ResponseReader {
	const reading = newReading()
	let queries = 0

	const readCandidate = (candidate: Fields | null) => {
		const content = fieldsIn(candidate?.content)
		for (const part of Array.isArray(content?.parts) ? content.parts : []) addPart(fieldsIn(part) ?? {})
		const searched = fieldsIn(candidate?.groundingMetadata)?.webSearchQueries
		if (Array.isArray(searched)) queries = Math.max(queries, searched.length)
		reading.finishReason = textOr(candidate?.finishReason, reading.finishReason)
	}
	const addPart = (part: Fields) => {
		const call = fieldsIn(part.functionCall)
		const bytes = utf8Bytes(part.text) + (call ? utf8Bytes(JSON.stringify(call)) : 0)
		reading.generatedBytes += bytes
		reading.content ||= bytes > 0 || part.inlineData !== undefined
	}
	/** The figures grow along a stream: the last ones stand. */
	const readChunk = (chunk: Fields) => {
		for (const candidate of Array.isArray(chunk.candidates) ? chunk.candidates : [])
			readCandidate(fieldsIn(candidate))
		reading.responseId = textOr(chunk.responseId, reading.responseId)
		reading.model = textOr(chunk.modelVersion, reading.model)
		// A refused prompt has no candidate.
		reading.finishReason ||= textOr(fieldsIn(chunk.promptFeedback)?.blockReason, '')
		readError(fieldsIn(chunk.error))
		const usage = readUsage(chunk.usageMetadata, billedSearches(queries, reading.model))
		if (usage) {
			reading.usage = usage
			reading.rawUsage = chunk.usageMetadata
			reading.serviceTier = tierOf(fieldsIn(chunk.usageMetadata))
		}
		reading.complete = reading.usage !== null && reading.finishReason !== ''
	}
	const readError = (error: Fields | null) => {
		if (!error) return
		reading.errorType = textOr(error.status, 'error')
		reading.errorMessage = textOr(error.message, '')
	}

	return {
		fields,
		listed: format === 'stream',
		reading,
		onBody: (found) => {
			readChunk(Object.fromEntries(found))
			reading.complete = reading.usage !== null
			reading.ended = true
		},
		onEvent: (data) => {
			const chunk = parseFields(data)
			if (chunk) readChunk(chunk)
		},
	}
}
