import type { SpanRow } from '../span-row.ts'
import * as names from './names.ts'
import { firstText, type HotValues, parseObject } from './names.ts'

/** Prefixes of the provider names that libraries use, and OpenTelemetry's name for each provider. LiveKit uses the API's host as the name. */
const aliases: [RegExp, string][] = [
	[/^azure[._-]?openai|^azure\.ai\.openai|\.openai\.azure\.com\b/, 'azure.ai.openai'],
	[/^(?:az|azure)[._]ai(?:\.inference)?$/, 'azure.ai.inference'],
	[/^az\.ai\.agents$/, 'azure.ai.agents'],
	[/^openai\b|^(?:\w+\.)?api\.openai\.com\b/, 'openai'],
	[/^anthropic\b|^api\.anthropic\.com\b/, 'anthropic'],
	[/^(?:amazon-bedrock|bedrock|aws[._]?bedrock)/, 'aws.bedrock'],
	[/^(?:google[._-]vertex|vertex[_-]?ai|gcp\.vertex)/, 'gcp.vertex_ai'],
	[/^(?:google|gemini|gcp\.gemini|gcp\.gen_ai|generativelanguage\.googleapis\.com\b)/, 'gcp.gemini'],
	[/^mistral|^api\.mistral\.ai\b/, 'mistral_ai'],
	[/^(?:xai|x_ai|x-ai|grok|api\.x\.ai\b)/, 'x_ai'],
	[/^api\.groq\.com\b/, 'groq'],
	[/^api\.deepseek\.com\b/, 'deepseek'],
	[/^moonshot/, 'moonshot_ai'],
]

/** Frameworks that report their own name as the provider. */
const frameworks: ReadonlySet<string> = new Set([
	...[
		'strands-agents',
		'gcp.vertex.agent',
		'microsoft.agent_framework',
		'langchain',
		'litellm',
		'spring_ai',
		'semantic_kernel',
	],
])

/** OpenTelemetry's name of a provider, whatever a library calls it: `openai.chat` is `openai`. */
export function providerName(given: string): string {
	const name = given.toLowerCase()
	if (frameworks.has(name)) return name
	return aliases.find(([form]) => form.test(name))?.[1] ?? given
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
