import type { SpanRow } from '../span-row.ts'
import * as names from './names.ts'
import { firstText, type HotValues, parseObject } from './names.ts'

/**
 * Prefixes of the provider names that libraries use, and OpenTelemetry's name for each provider, or else that of the model proxy. LiveKit
 * uses the API's host as the name.
 */
const aliases: [RegExp, string][] = [
	[/^azure[._-]?openai|^azure\.ai\.openai|\.openai\.azure\.com\b/, 'azure.ai.openai'],
	[/^(?:az|azure)[._]ai(?:\.inference)?$|^azure\.deepseek$/, 'azure.ai.inference'],
	[/^az\.ai\.agents$/, 'azure.ai.agents'],
	[/^openai\b|^(?:\w+\.)?api\.openai\.com\b/, 'openai'],
	[/^anthropic\b|^api\.anthropic\.com\b/, 'anthropic'],
	[/^(?:amazon[._-]bedrock|bedrock|aws[._]?bedrock|aws$)/, 'aws.bedrock'],
	[/^(?:google[._-]vertex|vertex\b|vertex[_-]?ai|gcp\.vertex)/, 'gcp.vertex_ai'],
	[/^(?:google|gemini|gcp\.gemini|gcp\.gen_ai|generativelanguage\.googleapis\.com\b)/, 'gcp.gemini'],
	[/^mistral|^api\.mistral\.ai\b/, 'mistral_ai'],
	[/^(?:xai|x_ai|x-ai|grok|api\.x\.ai\b)/, 'x_ai'],
	[/^(?:api\.)?moonshot/, 'moonshot_ai'],
	[/^open_?router\b/, 'openrouter'],
	[/^(?:api\.)?together(?:[_-]?ai)?\b/, 'together'],
	[/^(?:api\.)?fireworks(?:[_-]?ai)?\b/, 'fireworks'],
	[/^(?:api\.)?perplexity(?:[_-]?ai)?\b/, 'perplexity'],
	[/^(?:api\.)?cohere(?:_chat)?\b/, 'cohere'],
	[/^(?:api\.)?(groq|deepseek|cerebras)\b/, '$1'],
	[/^ollama(?:_chat)?\b/, 'ollama'],
	[/^voyage(?:[_-]?ai)?\b/, 'voyageai'],
]

/** The AI SDK puts the API after the provider, also after one that a program has named itself: `groq.chat`, `azure.responses`. */
const withApi =
	/^([a-z][\w-]*)\.(?:chat|completions?|responses|messages|embeddings?|textembedding|reranking|image|speech|transcription|video)$/

/** Frameworks, and Vercel's gateway, that report their own name as the provider. */
const frameworks: ReadonlySet<string> = new Set([
	...[
		'strands-agents',
		'gcp.vertex.agent',
		'microsoft.agent_framework',
		'langchain',
		'litellm',
		'spring_ai',
		'semantic_kernel',
		'gateway',
	],
])

/** What `nameOf` has found, because most calls are of a few providers. */
const found = new Map<string, string>()
const most = { names: 1000, length: 100 }

/** OpenTelemetry's name of a provider, whatever a library calls it: `openai.chat` is `openai`. */
export function providerName(given: string): string {
	const known = found.get(given)
	if (known !== undefined) return known
	const name = nameOf(given)
	if (found.size < most.names && given.length <= most.length) found.set(given, name)
	return name
}

function nameOf(given: string): string {
	const name = given.toLowerCase()
	if (frameworks.has(name)) return name
	const [, maker] = withApi.exec(name) ?? []
	// Everything else that calls itself Azure may be one of several services.
	if (maker === 'azure') return 'azure.ai.openai'
	for (const [form, alias] of aliases) {
		const matched = form.exec(name)
		if (matched) return alias.replace('$1', matched[1] ?? '')
	}
	return maker ?? given
}

const priceTables: Record<string, string> = {
	'azure.ai.openai': 'azure',
	'azure.ai.inference': 'azure',
	'azure.ai.agents': 'azure',
	'microsoft.foundry': 'azure',
	'aws.bedrock': 'aws',
	'gcp.gemini': 'google',
	'gcp.gen_ai': 'google',
	'gcp.vertex_ai': 'google',
	mistral_ai: 'mistral',
	x_ai: 'x-ai',
	moonshot_ai: 'moonshotai',
}

/** Models that only one provider serves, for spans that name no provider. */
const makers: [RegExp, string][] = [
	[/^claude-/, 'anthropic'],
	[/^(?:gpt-|o[134](?:-|$)|text-embedding-)/, 'openai'],
	[/^gemini-/, 'google'],
	[/^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|cohere)\./, 'aws'],
]

/** The provider and model of a call as named in the price table. LiteLLM prefixes its models with their provider, `openai/gpt-5`. */
export function pricedAs(provider: string, model: string): { provider: string; model: string } {
	const isNamed = provider !== '' && !frameworks.has(provider)
	const slash = model.indexOf('/')
	const prefix = slash > 0 ? providerName(model.slice(0, slash)) : ''
	if (prefix !== '' && (!isNamed || prefix === provider))
		return { provider: tableOf(prefix), model: model.slice(slash + 1) }
	return { provider: isNamed ? tableOf(provider) : makerOf(model), model }
}

/** OpenTelemetry's name for the maker of a model, for spans that name no provider; '' if several providers serve it. */
export function makerName(model: string): string {
	const maker = makerOf(model)
	return maker === 'aws' ? 'aws.bedrock' : providerName(maker)
}

function tableOf(provider: string): string {
	return priceTables[provider] ?? provider.toLowerCase()
}

function makerOf(model: string): string {
	return makers.find(([form]) => form.test(model))?.[1] ?? ''
}

interface CalledModel {
	provider: string
	requested: string
	served: string
}

/** The provider, the requested model, and the model that answered. */
export function modelOf(
	values: HotValues,
	{ dialect, kind, textOf }: { dialect: string; kind: SpanRow['kind']; textOf: typeof firstText },
): CalledModel {
	const provider =
		textOf(values, names.provider) || (dialect === 'openinference' ? langchainProvider(values) : '')
	const named = unlessNone(textOf(values, names.modelRequested))
	// MLflow has the parameters of a call as attributes of their own.
	const asked = askedModel(values) || (dialect === 'mlflow' ? textOf(values, names.clients.model) : '')
	const requested = withoutApi(asked || named)
	// traceAI's attribute of the requested model has the one that answered.
	const served =
		withoutApi(unlessNone(textOf(values, names.model))) || (asked !== '' && asked !== named ? named : '')
	if (kind !== 'model_call') return { provider: providerName(provider), requested, served }
	if (provider === '' && requested !== '') {
		// LiteLLM reports the provider only as a prefix of the model, and not for all operations; Langfuse and Netra have no attribute for it.
		const [prefix = '', ...rest] = firstText(values, names.litellmModel).split('/')
		if (rest.length > 0) return { provider: providerName(prefix), requested, served }
		if (dialect === 'langfuse' || dialect === 'netra' || prefix !== '')
			return { provider: makerName(requested), requested, served }
	}
	if (dialect !== 'genkit' || requested !== '') return { provider: providerName(provider), requested, served }
	const [maker = '', ...model] = firstText(values, names.genkitName).split('/')
	return model.length === 0
		? { provider: providerName(provider), requested: maker, served }
		: { provider: providerName(provider || maker), requested: model.join('/'), served }
}

function langchainProvider(values: HotValues): string {
	const { ls_provider } = parseObject(firstText(values, names.metadata))
	return typeof ls_provider === 'string' ? ls_provider : ''
}

/** Micrometer's value for something absent. */
const unlessNone = (text: string) => (text === 'none' ? '' : text)

/** Mirascope ends its name of a model of OpenAI with the API that it calls, which is no part of the model. */
const withoutApi = (model: string) => model.replace(/^(\w[\w-]*\/.+):(?:completions|responses)$/, '$1')

/** The requested model from the parameters, for libraries whose attribute has the model that answered. */
function askedModel(values: HotValues): string {
	const { model } = parseObject(firstText(values, names.invocation))
	return typeof model === 'string' ? model : ''
}
