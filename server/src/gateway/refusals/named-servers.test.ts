import { expect, it } from 'vitest'
import { startHandler } from '../../servers/discovery/testing.ts'
import { closedAddress } from '../../servers/testing.ts'
import { newWireClient } from '../testing-client.ts'
import { useCallStage } from '../testing-stage.ts'

const stage = useCallStage()
const grantPath = () => `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`
const serverPath = () => `/v1/mcp/servers/${stage.serverId}`
const change = (path: string, body: object) => stage.gateway.manage('PATCH', path, body)
/** The refusal of a call on the aggregate endpoint. */
const refusal = async (tool = 'tools__run') => {
	const client = newWireClient(`${stage.gateway.url}/mcp`, stage.agent.key)
	const { error } = (await client.modern('tools/call', { name: tool, arguments: { path: '/etc' } })).body
	return { text: error.message as string, server: error.data.server as string | null }
}

it('names the server of a tool that the agent has, if that server or the grant is the reason', async () => {
	await change(serverPath(), { status: 'inactive' })
	expect(await refusal()).toEqual({
		text: 'The server Tools cannot be used now: its status is inactive. An admin of the workspace can switch it on.',
		server: 'Tools',
	})
	await change(serverPath(), { status: 'active' })
	await change(grantPath(), { enabled: false })
	expect((await refusal()).text).toContain('to Tools is switched off.')
	const constraints = { run: { properties: { path: { type: 'string', pattern: '^/data/' } } } }
	await change(grantPath(), { enabled: true, constraints })
	expect((await refusal()).text).toMatch(/may not send these arguments to tools__run of Tools: \S/)
	await change(grantPath(), { constraints: {} })
})

it('reports a server that was never reached as unreachable, not as one without the tool', async () => {
	const id = await stage.gateway.addServer('Away', await closedAddress())
	await stage.gateway.grant(stage.agent.id, id, ['run'])
	const text =
		'The MCP server Away was never reached, so its tools are not known. The connection was refused.'
	expect(await refusal('away__run')).toEqual({ text, server: 'Away' })
	const client = newWireClient(`${stage.gateway.url}/mcp/away`, stage.agent.key)
	expect((await client.modern('tools/call', { name: 'run' })).body.error).toMatchObject({
		message: text,
		data: { code: 'upstream_unreachable' },
	})
})

it('says that a server has not listed its tools, in the list too, which would look like one of a server without any', async () => {
	const { url, close } = await startHandler<{ id?: number; method?: string }>(({ id, method }, response) => {
		const found = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
		const answer =
			method === 'server/discover' ? { result: found } : { error: { code: -32603, message: 'no' } }
		response.writeHead(200, { 'content-type': 'application/json' })
		response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
	})
	const id = await stage.gateway.addServer('Shy', url)
	await stage.gateway.grant(stage.agent.id, id, null)
	expect((await refusal('shy__run')).text).toMatch(
		/^The MCP server Shy has never listed its tools, so its tools are not known[.] .*refused tools.list/,
	)
	const client = newWireClient(`${stage.gateway.url}/mcp/shy`, stage.agent.key)
	expect((await client.modern('tools/list', {})).body.result).toMatchObject({
		tools: [],
		_meta: { 'signalbox/unavailable_servers': [{ server: 'shy', health: 'degraded' }] },
	})
	close()
})

it('names no server for a tool that the server does not have', async () => {
	expect(await refusal('tools__nothing')).toMatchObject({ server: null })
})
