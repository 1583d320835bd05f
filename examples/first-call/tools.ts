import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { prove, until } from './expect.ts'
import type { Signalbox } from './signalbox.ts'

export interface Granted {
	serverId: string
	serverSlug: string
	agentUuid: string
	agentKey: string
}

/** Registers the server, creates an agent and its key, and grants it `echo` and `get-sum`. */
export async function setUp({ api }: Signalbox, serverUrl: string): Promise<Granted> {
	const server = await api<{ id: string; slug: string; health_status: string }>(
		'POST',
		'/v1/mcp/servers',
		{ name: 'Everything', url: serverUrl },
		201,
	)
	prove('the server is registered and healthy', server.health_status, 'healthy')
	const { tools } = await api<{ tools: { name: string }[] }>('GET', `/v1/mcp/servers/${server.id}/tools`)
	prove(
		'its tools are known',
		tools.some(({ name }) => name === 'echo'),
		true,
	)
	const agent = await api<{ uuid: string }>('POST', '/v1/agents', { name: 'First agent' }, 201)
	const { key } = await api<{ key: string }>('POST', `/v1/agents/${agent.uuid}/keys`, { name: 'laptop' }, 201)
	const grant = { agent_uuid: agent.uuid, access_mode: 'selected', allowed_tools: ['echo', 'get-sum'] }
	await api('POST', `/v1/mcp/servers/${server.id}/access`, grant, 201)
	return { serverId: server.id, serverSlug: server.slug, agentUuid: agent.uuid, agentKey: key }
}

/** Proves what the agent sees and may do; answers how many calls it made: allowed and denied. */
export async function useTools(
	signalbox: Signalbox,
	granted: Granted,
): Promise<{ allowed: number; denied: number }> {
	const one = await connect(`${signalbox.url}/mcp/${granted.serverSlug}`, granted.agentKey)
	const all = await connect(`${signalbox.url}/mcp`, granted.agentKey)
	prove('/mcp/{server} lists exactly the granted tools', await toolNames(one), ['echo', 'get-sum'])
	prove('/mcp lists them with the name of their server', await toolNames(all), [
		'everything__echo',
		'everything__get-sum',
	])
	prove('echo answers', await callText(one, 'echo', { message: 'hello' }), 'Echo: hello')
	prove(
		'echo answers through the aggregate',
		await callText(all, 'everything__echo', { message: 'again' }),
		'Echo: again',
	)
	prove('a tool that is not granted is refused by name', /get-env/.test(await refusal(one, 'get-env')), true)
	const denied = 1 + (await proveSwitches(signalbox, granted, one))
	await Promise.all([one.close(), all.close()])
	return { allowed: 4, denied }
}

/** Pausing the agent and switching the grant off stop the next call within a second; undoing it lets calls pass again. */
async function proveSwitches(
	{ api }: Signalbox,
	{ serverId, agentUuid }: Granted,
	client: Client,
): Promise<number> {
	await api('POST', `/v1/agents/${agentUuid}/pause`)
	const paused = await until(
		() => outcome(client),
		(result) => result === 'refused',
		1000,
	)
	prove('pausing the agent takes effect within 1 s', paused.tookMs < 1000, true)
	await api('POST', `/v1/agents/${agentUuid}/resume`)
	prove('a resumed agent may call again', await outcome(client), 'answered')
	await api('PATCH', `/v1/mcp/servers/${serverId}/access/${agentUuid}`, { enabled: false })
	const disabled = await until(
		() => outcome(client),
		(result) => result === 'refused',
		1000,
	)
	prove('switching the grant off takes effect within 1 s', disabled.tookMs < 1000, true)
	await api('PATCH', `/v1/mcp/servers/${serverId}/access/${agentUuid}`, { enabled: true })
	prove('switched on, the call passes again', await outcome(client), 'answered')
	return 2
}

async function connect(url: string, key: string): Promise<Client> {
	const client = new Client({ name: 'first-call', version: '1.0.0' })
	await client.connect(
		new StreamableHTTPClientTransport(new URL(url), {
			requestInit: { headers: { authorization: `Bearer ${key}` } },
		}),
	)
	return client
}

async function toolNames(client: Client): Promise<string[]> {
	return (await client.listTools()).tools.map(({ name }) => name).sort()
}

async function callText(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
	const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] }
	return content[0]?.text ?? ''
}

async function refusal(client: Client, name: string): Promise<string> {
	try {
		await client.callTool({ name, arguments: {} })
	} catch (error) {
		return (error as Error).message
	}
	throw new Error(`The call of ${name} was not refused.`)
}

async function outcome(client: Client): Promise<'answered' | 'refused'> {
	return callText(client, 'echo', { message: 'still there?' }).then(
		() => 'answered' as const,
		() => 'refused' as const,
	)
}
