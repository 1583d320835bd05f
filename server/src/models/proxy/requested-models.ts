import type { CallBody } from './call-body.ts'
import { fieldsIn, type Surface } from './providers/provider.ts'

/** Models that a call names; null stands for one that is not certain. */
export type RequestedModels = readonly (string | null)[]

/** Members of a body that name further models: substitutes (Anthropic, OpenRouter, LiteLLM, Vercel), and models of tools. */
const beside: ReadonlySet<string> = new Set([
	...['fallbacks', 'models', 'tools', 'providerOptions'],
	...['context_window_fallbacks', 'content_policy_fallbacks'],
])

/**
 * Every model that a call may cause to run: its own first, then those that may answer in its place, and those that its tools run.
 * `search`: LiteLLM's proxy prefers a model in the query string.
 */
export function requestedModels(surface: Surface | null, body: CallBody, search = ''): RequestedModels {
	// The requests of a batch name their own models.
	const own = surface?.model ?? (surface?.defers ? null : body.model)
	return [own, ...otherModels(body), ...(surface?.model === undefined && namesModel(search) ? [null] : [])]
}

function namesModel(search: string): boolean {
	return (
		search !== '' && [...new URLSearchParams(search).keys()].some((name) => name.toLowerCase() === 'model')
	)
}

function otherModels(body: CallBody): RequestedModels {
	// What cannot be read may name any model.
	if (body.fault !== null) return [null]
	const named = body.json?.members.filter(({ name }) => beside.has(name)) ?? []
	if (named.length === 0) return []
	const values = body.fields(beside)
	return named.flatMap(({ name }) => {
		// A member that is too long to be read may name any model.
		if (!values?.has(name)) return [null]
		const value = values.get(name)
		if (name === 'tools') return listOf(value).flatMap(modelsOfTool)
		return name === 'providerOptions'
			? substitutesIn(fieldsIn(fieldsIn(value)?.gateway)?.models)
			: substitutesIn(value)
	})
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : []
}

/** The adviser of Anthropic, and the image generation of OpenAI, which may have another model write SVG. */
function modelsOfTool(value: unknown): RequestedModels {
	const tool = fieldsIn(value)
	if (tool === null || tool.type === 'function' || tool.type === 'custom') return []
	return [tool.model, fieldsIn(tool.svg)?.model].filter((model) => typeof model === 'string')
}

/** A text instead of a list lets the provider choose: `default`. */
function substitutesIn(value: unknown): RequestedModels {
	if (value === undefined || value === null) return []
	if (!Array.isArray(value)) return [null]
	return value.map((one) => {
		const model = fieldsIn(one)?.model ?? one
		return typeof model === 'string' ? model : null
	})
}
