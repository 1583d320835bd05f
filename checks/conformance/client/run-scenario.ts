import type { Client } from '@modelcontextprotocol/client'
import { openAgent } from './agent.ts'
import type { Platform } from './platform.ts'

/** What the suite says of one scenario. */
export interface Scenario {
	name: string
	version: string
	serverUrl: string
	context: Record<string, unknown>
}

interface Call {
	name: string
	arguments: Record<string, unknown>
}

/** What the suite's tools take; others take nothing. */
const argumentsOf: Record<string, Record<string, unknown>> = { add_numbers: { a: 5, b: 3 } }
/** The only published description of a client that the suite takes for one. */
const suitesDescription = 'https://conformance-test.local/client-metadata.json'
const attemptsMost = 3

/**
 * Plays the client that the suite tests: registers its server with a running Signalbox, whose connector is what the suite
 * sees, and uses it through the gateway as a stock agent. Rejects where the agent gets no further.
 */
export async function runScenario(platform: Platform, scenario: Scenario): Promise<void> {
	const name = `${scenario.name.replaceAll('/', '-')} ${scenario.version}`
	const servers = '/v1/mcp/servers'
	const body = { name, url: scenario.serverUrl }
	const { id, slug } = await platform.api<{ id: string; slug: string }>('POST', servers, body, 201)
	try {
		if (scenario.name.startsWith('auth/')) await authorize(platform, id, scenario)
		else await knowsTools(platform, id)
		const key = await addAgent(platform, id, name)
		const agent = await openAgent(`${platform.url}/mcp/${slug}`, key, scenario.version)
		await useEverything(platform, id, agent, scenario)
		await agent.close()
	} finally {
		await removeServer(platform, id)
	}
}

/** The suite's server ends when nobody holds a stream of it any more. */
async function removeServer({ api }: Platform, id: string): Promise<void> {
	const path = `/v1/mcp/servers/${id}`
	const { access } = await api<{ access: { agent: { uuid: string } }[] }>('GET', `${path}/access`)
	for (const { agent } of access) await api('DELETE', `${path}/access/${agent.uuid}`, undefined, 204)
	await api('DELETE', path, undefined, 204)
}

/** An admin sets up OAuth and agrees for the workspace; again when the server has another authorization server by then. */
async function authorize(platform: Platform, serverId: string, { name, context }: Scenario): Promise<void> {
	const { client_id, client_secret, issuer } = context
	const registered = client_id === undefined ? {} : { client_id, client_secret, issuer }
	const client = name === 'auth/basic-cimd' ? { client_id: suitesDescription } : registered
	const body = { mode: 'authorization_code', owner: 'workspace', ...client }
	await platform.api('PUT', `/v1/mcp/servers/${serverId}/oauth`, body)
	for (let attempt = 1; attempt <= attemptsMost; attempt += 1) {
		await platform.connect(serverId, {})
		if (await knowsTools(platform, serverId)) return
	}
}

/** Whether the server's tools could be listed; some have none. */
async function knowsTools({ api }: Platform, serverId: string): Promise<boolean> {
	await api('POST', `/v1/mcp/servers/${serverId}/tools/refresh`).catch(() => {})
	const { tools } = await api<{ tools: unknown[] }>('GET', `/v1/mcp/servers/${serverId}/tools`)
	return tools.length > 0
}

async function addAgent(platform: Platform, serverId: string, name: string): Promise<string> {
	const agent = await platform.api<{ id: string }>('POST', '/v1/agents', { name }, 201)
	const path = `/v1/agents/${agent.id}/keys`
	const { key } = await platform.api<{ key: string }>('POST', path, { name: 'suite' }, 201)
	const grant = { agent_uuid: agent.id, access_mode: 'all' }
	await platform.api('POST', `/v1/mcp/servers/${serverId}/access`, grant, 201)
	return key
}

async function useEverything(platform: Platform, serverId: string, agent: Client, scenario: Scenario) {
	const { tools } = await agent.listTools()
	const given = scenario.context.toolCalls as Call[] | undefined
	const schema = tools[0]?.inputSchema
	const calls =
		given ??
		tools.map(({ name, inputSchema }) => ({
			name,
			arguments: 'schema' in (inputSchema.properties ?? {}) ? { schema } : (argumentsOf[name] ?? {}),
		}))
	for (const call of calls) await callTool(platform, serverId, agent, call)
	if (scenario.name.startsWith('auth/')) return
	await readEverything(agent)
}

async function readEverything(agent: Client): Promise<void> {
	const { prompts, resources } = agent.getServerCapabilities() ?? {}
	const offered = prompts ? (await agent.listPrompts()).prompts : []
	for (const { name } of offered) await agent.getPrompt({ name })
	const readable = resources ? (await agent.listResources()).resources : []
	for (const { uri } of readable) await agent.readResource({ uri })
}

/** A call that needs somebody's consent is made again after it was given on the page that the error names. */
async function callTool(platform: Platform, serverId: string, agent: Client, call: Call): Promise<void> {
	for (let attempt = 1; ; attempt += 1)
		try {
			await agent.callTool(call)
			return
		} catch (error) {
			const { code, url } = (error as { data?: { code?: string; url?: string } }).data ?? {}
			if (code !== 'upstream_consent_required' || attempt === attemptsMost) throw error
			const scope = url && new URL(url).searchParams.get('scope')
			await platform.connect(serverId, scope ? { scope } : {})
		}
}
