import type { Provider, Vendor } from '@signalbox/contract'

/** Who answers at these hosts and those below them, whatever dialect they are spoken to in. */
const vendorsByHost: Readonly<Record<string, Vendor>> = {
	'api.openai.com': 'openai',
	'api.anthropic.com': 'anthropic',
	'generativelanguage.googleapis.com': 'gemini',
	'openrouter.ai': 'openrouter',
	'api.mistral.ai': 'mistral_ai',
	'codestral.mistral.ai': 'mistral_ai',
	'api.groq.com': 'groq',
	'api.deepseek.com': 'deepseek',
	'api.x.ai': 'x_ai',
	'api.cerebras.ai': 'cerebras',
	'api.cohere.ai': 'cohere',
	'api.cohere.com': 'cohere',
	'api.fireworks.ai': 'fireworks',
	'api.together.xyz': 'together',
	'api.together.ai': 'together',
	'api.perplexity.ai': 'perplexity',
	// Those of the same companies in China bill in another currency.
	'api.moonshot.ai': 'moonshot_ai',
	'api.minimax.io': 'minimax',
	'api.z.ai': 'zai',
	'api.voyageai.com': 'voyageai',
}

export interface VendorFields {
	provider: string
	base_url: string
	/** What the connection's own setting says; null: nothing. */
	priced_as: string | null
}

/** Under whom the calls of a connection are recorded, and whose prices apply: its own setting, else the host, else its kind. */
export function vendorOf({ provider, base_url, priced_as }: VendorFields): Vendor {
	if (priced_as !== null) return priced_as as Vendor
	const labels = new URL(base_url).hostname.split('.')
	for (let at = 0; at < labels.length - 1; at += 1) {
		const host = labels.slice(at).join('.')
		if (Object.hasOwn(vendorsByHost, host)) return vendorsByHost[host] as Vendor
	}
	return provider as Provider
}

/**
 * Whose prices apply to a call over a connection. One that was recorded under the kind of its connection, as all were before connections had
 * vendors, has the present vendor of that.
 */
export function vendorAndKind(
	recorded: string,
	connection: VendorFields | undefined,
): { provider: string; kind: string } {
	const kind = connection?.provider
	const vendor = connection && vendorOf(connection)
	// Another connection may have had the name.
	if (!kind || !vendor || (recorded !== kind && recorded !== vendor))
		return { provider: recorded, kind: recorded }
	return { provider: vendor, kind }
}
