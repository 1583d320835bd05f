import { expect, it } from 'vitest'
import { newWireClient } from '../testing-client.ts'
import { useCallStage } from '../testing-stage.ts'
import { startScriptedUpstream } from '../testing-upstream.ts'

const stage = useCallStage()
const at = (path: string) => newWireClient(stage.gateway.url + path, stage.agent.key)
/** What an agent can learn from an answer: the names that it sent itself are masked. */
const learned = ({ status, text }: { status: number; text: string }) => ({
	status,
	text: text.replaceAll(/none|hidden|secret_tool|no_such_tool/g, '…'),
})

it('a server or tool without a grant is indistinguishable from one that does not exist', async () => {
	const tools = [{ name: 'secret_tool', inputSchema: {} }]
	const upstream = await startScriptedUpstream([...tools, { name: 'run', inputSchema: {} }], () => {})
	const serverId = await stage.gateway.addServer('Hidden', upstream.url)
	const asks: ((server: string, tool: string) => Promise<{ status: number; text: string }>)[] = [
		(server) => at(`/mcp/${server}`).initialize(),
		(server) => at(`/mcp/${server}`).modern('server/discover'),
		(server) => at(`/mcp/${server}`).modern('tools/list'),
		(server, name) => at(`/mcp/${server}`).modern('tools/call', { name }),
		(server) => at(`/mcp/${server}`).modern('tools/call', { name: 'run' }),
		(server, tool) => at('/mcp').modern('tools/call', { name: `${server}__${tool}` }),
	]
	for (const ask of asks) {
		const [real, unreal] = [await ask('hidden', 'secret_tool'), await ask('none', 'no_such_tool')]
		expect(learned(real)).toEqual(learned(unreal))
		expect(real.text).not.toContain('Hidden')
		expect(real.text).not.toContain(serverId)
	}
	await stage.gateway.grant(stage.agent.id, serverId, ['run'])
	const [real, unreal] = [
		await at('/mcp/hidden').modern('tools/call', { name: 'secret_tool' }),
		await at('/mcp/hidden').modern('tools/call', { name: 'no_such_tool' }),
	]
	expect(learned(real)).toEqual(learned(unreal))
	expect(real.body.error).toMatchObject({ data: { code: 'tool_not_granted', agent: expect.any(String) } })
	expect(real.body.error.data.access_url).toContain(`/access-requests?agent=${stage.agent.id}`)
	expect(real.body.error.message).toContain(real.body.error.data.access_url)
	await upstream.close()
})

it('says that a tool does not exist if all tools are granted', async () => {
	const serverId = await stage.gateway.addServer('Whole', stage.upstream.url)
	await stage.gateway.grant(stage.agent.id, serverId, null)
	const { body } = await at('/mcp/whole').modern('tools/call', { name: 'no_such_tool' })
	expect(body.error.message).toContain('The server Whole is not known to have a tool no_such_tool.')
	expect(body.error.data.code).toBe('tool_not_granted')
	const { body: among } = await at('/mcp').modern('tools/call', { name: 'whole__no_such_tool' })
	expect(among.error.message).toContain('The server Whole is not known to have a tool whole__no_such_tool.')
})
