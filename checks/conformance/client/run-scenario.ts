import type { Client } from '@modelcontextprotocol/client'
import { openAgent } from './agent.ts'
import type { Platform } from './platform.ts'

/** A scenario, as the suite describes it to its client. */
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

/** Arguments for the suite's tools. The other tools need none. */
const argumentsOf: Record<string, Record<string, unknown>> = { add_numbers: { a: 5, b: 3 } }
/** The only URL of client metadata that the suite accepts. */
const suitesDescription = 'https://conformance-test.local/client-metadata.json'
const maxAttempts = 3

/**
 * Acts as the client that the suite tests: registers the suite's server in a running Signalbox and uses it through the gateway as a
 * stock agent, so that the suite tests our connector. Rejects when the agent cannot continue.
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

/** Removes the server, because the suite's server ends only after all its streams are closed. */
async function removeServer({ api }: Platform, id: string): Promise<void> {
	const path = `/v1/mcp/servers/${id}`
	const { access } = await api<{ access: { agent: { uuid: string } }[] }>('GET', `${path}/access`)
	for (const { agent } of access) await api('DELETE', `${path}/access/${agent.uuid}`, undefined, 204)
	await api('DELETE', path, undefined, 204)
}

/** Sets up OAuth and consents for the workspace as an admin. Repeats the consent if the server has changed its authorization server. */
async function authorize(platform: Platform, serverId: string, { name, context }: Scenario): Promise<void> {
	const { client_id, client_secret, issuer } = context
	const registered = client_id === undefined ? {} : { client_id, client_secret, issuer }
	const client = name === 'auth/basic-cimd' ? { client_id: suitesDescription } : registered
	const body = { mode: 'authorization_code', owner: 'workspace', ...client }
	await platform.api('PUT', `/v1/mcp/servers/${serverId}/oauth`, body)
	for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
		await platform.connect(serverId, {})
		if (await knowsTools(platform, serverId)) return
	}
}

/** Whether the server has tools that could be listed. */
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

/** Calls a tool. If the call needs a consent, gives it on the page that the error names and calls again. */
async function callTool(platform: Platform, serverId: string, agent: Client, call: Call): Promise<void> {
	for (let attempt = 1; ; attempt += 1)
		try {
			await agent.callTool(call)
			return
		} catch (error) {
			const { code, url } = (error as { data?: { code?: string; url?: string } }).data ?? {}
			if (code !== 'upstream_consent_required' || attempt === maxAttempts) throw error
			const scope = url && new URL(url).searchParams.get('scope')
			await platform.connect(serverId, scope ? { scope } : {})
		}
}
