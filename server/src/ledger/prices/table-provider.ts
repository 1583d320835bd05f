/** Kinds of connections that the price table knows by another name. */
const tableNames: Readonly<Record<string, string>> = {
	gemini: 'google',
	vertex: 'google',
	azure_openai: 'azure',
	bedrock: 'aws',
}

/** The provider's name in the price table. */
export function tableProvider(provider: string): string {
	return tableNames[provider] ?? provider
}
