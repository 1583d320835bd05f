import type { SpanRow } from '../span-row.ts'
import * as names from './names.ts'
import { firstText, type HotValues } from './names.ts'
import { makerName, providerName } from './provider.ts'
import { parseObject } from './usage.ts'

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
	const told = unlessNone(textOf(values, names.modelRequested))
	// MLflow has the parameters of a call as attributes of their own.
	const asked = askedModel(values) || (dialect === 'mlflow' ? textOf(values, names.clients.model) : '')
	const requested = asked || told
	// traceAI's attribute of the requested model has the one that answered.
	const served = unlessNone(textOf(values, names.model)) || (asked !== '' && asked !== told ? told : '')
	if (kind !== 'model_call') return { provider: providerName(provider), requested, served }
	if (provider === '' && requested !== '') {
		// LiteLLM reports the provider only as a prefix of the model, and not for all operations; Langfuse has no attribute for it.
		const [prefix = '', ...rest] = firstText(values, names.litellmModel).split('/')
		if (rest.length > 0) return { provider: providerName(prefix), requested, served }
		if (dialect === 'langfuse' || prefix !== '') return { provider: makerName(requested), requested, served }
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

/** The requested model from the parameters, for libraries whose attribute has the model that answered. */
function askedModel(values: HotValues): string {
	const { model } = parseObject(firstText(values, names.invocation))
	return typeof model === 'string' ? model : ''
}
