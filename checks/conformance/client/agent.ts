import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Connects a stock MCP client to the gateway. It accepts every elicitation. */
export async function openAgent(url: string, key: string, version: string): Promise<Client> {
	const isModern = version >= '2026-07-28'
	const client = new Client(
		{ name: 'conformance-agent', version: '1' },
		{
			capabilities: { elicitation: { form: { applyDefaults: true } } },
			...(isModern && { versionNegotiation: { mode: { pin: version } } }),
		},
	)
	client.setRequestHandler('elicitation/create', async ({ params }) => ({
		action: 'accept' as const,
		content: 'confirmed' in properties(params) ? { confirmed: true } : {},
	}))
	const requestInit = { headers: { authorization: `Bearer ${key}` } }
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
	return client
}

function properties(params: object): object {
	const { requestedSchema } = params as { requestedSchema?: { properties?: object } }
	return requestedSchema?.properties ?? {}
}
