import type { Usage } from '../../../../ledger/ledger.ts'
import {
	countOrNull,
	countOrZero,
	type Fields,
	fieldsIn,
	newReading,
	parseFields,
	type ResponseReader,
	type Surface,
	textOr,
	utf8Bytes,
} from '../provider.ts'
import { billedSearches, readUsage } from './usage.ts'

const stored = (operation: string, more: Partial<Surface> = {}): Surface => ({
	operation: `interactions/${operation}`,
	modelCall: false,
	listed: true,
	...more,
})

/** The Interactions API. Google stores each interaction, and later ones continue it by its id. */
export const interactionSurfaces: Readonly<Record<string, Surface>> = {
	'POST interactions': {
		...{ operation: 'interactions', modelCall: true, listed: true, refers: true, creates: true },
		namesIn: ['previous_interaction_id', 'environment'],
	},
	// A background interaction reports its usage in this answer.
	'GET interactions/{object}': stored('get', { results: true }),
	'DELETE interactions/{object}': stored('delete'),
	'POST interactions/{object}/cancel': stored('cancel'),
}

const fields: ReadonlySet<string> = new Set([
	...['id', 'model', 'agent', 'status', 'usage', 'service_tier', 'environment_id', 'error'],
])
const lastEvent = /^interaction\.completed?$/

/** Reads an interaction, whole or as a stream of its steps. */
export function newInteractionReader({ operation }: Pick<Surface, 'operation'>): ResponseReader {
	const reading = newReading()

	const readInteraction = (of: Fields) => {
		reading.responseId = textOr(of.id, reading.responseId)
		reading.model = textOr(of.model, textOr(of.agent, reading.model))
		reading.serviceTier = textOr(of.service_tier, reading.serviceTier)
		for (const id of [of.id, of.environment_id])
			if (typeof id === 'string' && id !== '') reading.objects.add(id)
		const status = textOr(of.status, '')
		if (status !== '' && status !== 'in_progress') reading.finishReason = status
		takeUsage(of.usage)
		reading.complete = reading.usage !== null && reading.finishReason !== ''
		if (operation === 'interactions/get' && reading.complete)
			reading.results = [{ key: reading.responseId, reading }]
	}
	const takeUsage = (value: unknown) => {
		const usage = readInteractionUsage(value, reading.model)
		if (!usage) return
		reading.usage = usage
		reading.rawUsage = value
	}
	const readError = (error: Fields | null) => {
		if (!error) return
		reading.errorType = textOr(error.status, textOr(error.code, 'error'))
		reading.errorMessage = textOr(error.message, '')
	}

	return {
		fields,
		reading,
		onBody: (found) => {
			const body = Object.fromEntries(found)
			readInteraction(body)
			readError(fieldsIn(body.error))
			// Its usage will be in the answer to a later request for it.
			if (operation === 'interactions' && body.status === 'in_progress') reading.deferred = reading.responseId
			reading.ended = true
		},
		onEvent: (data, name) => {
			if (data === '[DONE]') {
				reading.ended = true
				return
			}
			const event = parseFields(data)
			if (!event) return
			const type = textOr(event.event_type, name)
			const bytes = bytesOf(fieldsIn(event.delta))
			reading.generatedBytes += bytes
			reading.content ||= bytes > 0
			const interaction = fieldsIn(event.interaction)
			if (interaction) readInteraction(interaction)
			else takeUsage(event.usage)
			if (type === 'error') readError(fieldsIn(event.error))
			if (lastEvent.test(type)) reading.ended = true
		},
	}
}

function bytesOf(delta: Fields | null): number {
	if (!delta) return 0
	const inner = fieldsIn(delta.content)
	return utf8Bytes(delta.text) + utf8Bytes(delta.arguments) + utf8Bytes(inner?.text) + utf8Bytes(delta.data)
}

/** The usage of an interaction, converted to the form of `usageMetadata`; null if it has no figures. */
export function readInteractionUsage(value: unknown, model: string): Usage | null {
	const usage = fieldsIn(value)
	if (!usage) return null
	const queries = listOf(usage.grounding_tool_count)
		.filter(({ type }) => type === 'google_search')
		.reduce((sum, { count }) => sum + countOrZero(count), 0)
	const metadata = {
		promptTokenCount: countOrNull(usage.total_input_tokens),
		cachedContentTokenCount: usage.total_cached_tokens,
		candidatesTokenCount: countOrNull(usage.total_output_tokens),
		thoughtsTokenCount: usage.total_thought_tokens,
		toolUsePromptTokenCount: usage.total_tool_use_tokens,
		promptTokensDetails: detailsOf(usage.input_tokens_by_modality),
		cacheTokensDetails: detailsOf(usage.cached_tokens_by_modality),
		candidatesTokensDetails: detailsOf(usage.output_tokens_by_modality),
	}
	return readUsage(metadata, billedSearches(queries, model))
}

function detailsOf(value: unknown): Fields[] {
	return listOf(value).map(({ modality, tokens }) => ({
		modality: textOr(modality, '').toUpperCase(),
		tokenCount: tokens,
	}))
}

function listOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.map(fieldsIn).filter((item) => item !== null) : []
}
