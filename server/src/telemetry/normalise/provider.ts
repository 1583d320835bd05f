/** Names of providers that libraries use, by how they begin, and OpenTelemetry's name for the same. */
const aliases: [RegExp, string][] = [
	[/^azure[._-]?openai|^azure\.ai\.openai/, 'azure.ai.openai'],
	[/^openai\b/, 'openai'],
	[/^anthropic\b/, 'anthropic'],
	[/^(?:amazon-bedrock|bedrock|aws[._]bedrock)/, 'aws.bedrock'],
	[/^(?:google[._-]vertex|vertex_?ai|gcp\.vertex)/, 'gcp.vertex_ai'],
	[/^(?:google|gemini|gcp\.gemini|gcp\.gen_ai)/, 'gcp.gemini'],
	[/^mistral/, 'mistral_ai'],
	[/^(?:xai|x_ai|x-ai|grok)/, 'x_ai'],
	[/^moonshot/, 'moonshot_ai'],
]

/** OpenTelemetry's name of a provider, whatever a library calls it: `openai.chat` is `openai`. */
export function providerName(given: string): string {
	const name = given.toLowerCase()
	return aliases.find(([form]) => form.test(name))?.[1] ?? given
}

const priceTables: Record<string, string> = {
	'azure.ai.openai': 'azure',
	'azure.ai.inference': 'azure',
	'aws.bedrock': 'aws',
	'gcp.gemini': 'google',
	'gcp.gen_ai': 'google',
	'gcp.vertex_ai': 'google',
	mistral_ai: 'mistral',
	x_ai: 'x-ai',
	moonshot_ai: 'moonshotai',
}

/** Where a span names no provider, these models have only one. */
const makers: [RegExp, string][] = [
	[/^claude-/, 'anthropic'],
	[/^(?:gpt-|o[134](?:-|$)|text-embedding-)/, 'openai'],
	[/^gemini-/, 'google'],
]

/** The provider's name in the price table. */
export function priceProviderOf(provider: string, model: string): string {
	if (provider !== '') return priceTables[provider] ?? provider.toLowerCase()
	return makers.find(([form]) => form.test(model))?.[1] ?? ''
}
