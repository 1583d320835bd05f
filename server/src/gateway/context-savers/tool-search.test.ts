import { describe, expect, it } from 'vitest'
import { newWireClient, until, type WireClient } from '../testing-client.ts'
import { useCallStage } from '../testing-stage.ts'
import { sendText } from '../testing-upstream.ts'

const stage = useCallStage()
const setListing = (tool_listing: string) =>
	stage.gateway.manage('PATCH', `/v1/agents/${stage.agent.id}`, { tool_listing })
const connect = async (): Promise<WireClient> => {
	stage.answer = (message, response) => sendText(response, message.id, 'ran')
	const client = newWireClient(`${stage.gateway.url}/mcp`, stage.agent.key)
	await client.initialize()
	return client
}
const namesOf = (answer: { body: { result: { tools: { name: string }[] } } }) =>
	answer.body.result.tools.map(({ name }) => name)
const callTool = (client: WireClient, values: object) =>
	client.request('tools/call', { name: 'call_tool', arguments: values })

describe('the search tool instead of all tools', () => {
	it('is listed if the agent has the setting, on the aggregate only, to clients of both eras', async () => {
		const client = await connect()
		expect(namesOf(await client.request('tools/list'))).toEqual(['tools__run'])
		await setListing('search')
		expect(namesOf(await client.request('tools/list'))).toEqual(['find_tools', 'call_tool'])
		const modern = await newWireClient(`${stage.gateway.url}/mcp`, stage.agent.key).modern('tools/list')
		expect(namesOf(modern)).toEqual(['find_tools', 'call_tool'])
		expect(namesOf(await stage.client.request('tools/list'))).toEqual(['run'])
		await setListing('auto')
		expect(namesOf(await client.request('tools/list'))).toEqual(['tools__run'])
	})

	it('can also be set under its former name, tool_face', async () => {
		const path = `/v1/agents/${stage.agent.id}`
		await stage.gateway.manage('PATCH', path, { tool_face: 'search' })
		expect(await stage.gateway.manage('GET', path)).toMatchObject({ tool_listing: 'search' })
		await setListing('all')
	})

	it('finds granted tools only, and calls them as a direct call would', async () => {
		await setListing('search')
		const client = await connect()
		const found = await client.request('tools/call', { name: 'find_tools', arguments: { query: 'run' } })
		expect(JSON.parse(found.body.result.content[0].text)).toMatchObject([
			{ name: 'tools__run', inputSchema: {} },
		])
		const called = await callTool(client, { name: 'tools__run', arguments: { a: 1 } })
		expect(called.body.result.content[0].text).toBe('ran')
		expect(stage.upstream.calls().at(-1)?.params).toMatchObject({ name: 'run', arguments: { a: 1 } })
		expect(stage.lastRow()).toMatchObject({ toolName: 'run', serverId: stage.serverId, status: 'ok' })
		expect(stage.lastRow()?.name).toBe('tools/call run')
		expect(stage.lastRow()?.attributes.get('signalbox.tool_search')).toBe(true)
		await stage.gateway.manage('PATCH', `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`, {
			allowed_tools: [],
		})
		const after = await client.request('tools/call', { name: 'find_tools', arguments: { query: 'run' } })
		expect(after.body.result.content[0].text).toContain('No tool fits')
		const refused = await callTool(client, { name: 'tools__run', arguments: {} })
		expect(refused.body.error).toMatchObject({ data: { code: 'tool_not_granted' } })
		expect(stage.lastRow()).toMatchObject({ status: 'denied' })
	})

	it('goes through approval and argument rules like a direct call', async () => {
		await setListing('search')
		const client = await connect()
		const path = `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`
		const constraints = { run: { properties: { path: { const: '/tmp' } }, required: ['path'] } }
		await stage.gateway.manage('PATCH', path, { constraints })
		const wrong = await callTool(client, { name: 'tools__run', arguments: { path: '/etc' } })
		expect(wrong.body.error).toMatchObject({ data: { code: 'arguments_refused' } })
		await stage.gateway.manage('PATCH', path, { approval: { run: 'ask' }, approval_wait_ms: 50 })
		const waiting = await callTool(client, { name: 'tools__run', arguments: { path: '/tmp' } })
		expect(waiting.body.error).toMatchObject({ data: { code: 'approval_pending' } })
	})

	it('explains an invalid call, and cannot call itself', async () => {
		await setListing('search')
		const client = await connect()
		const before = stage.upstream.calls().length
		for (const values of [
			{},
			{ name: 5 },
			{ name: 'tools__run', arguments: [] },
			{ name: 'tools__run', path: '/x' },
		])
			expect((await callTool(client, values)).body.error.code, JSON.stringify(values)).toBe(-32602)
		for (const name of ['call_tool', 'find_tools'])
			expect((await callTool(client, { name })).body.error).toMatchObject({
				data: { code: 'tool_not_granted' },
			})
		for (const values of [{}, { query: ' ' }, { query: 'x', limit: 100 }, { query: 'x', limit: '2' }])
			expect(
				(await client.request('tools/call', { name: 'find_tools', arguments: values })).body.error.code,
			).toBe(-32602)
		expect(stage.upstream.calls().length).toBe(before)
	})

	it('does not exist for agents that have all tools listed', async () => {
		await setListing('all')
		const client = await connect()
		expect((await callTool(client, { name: 'tools__run' })).body.error).toMatchObject({
			data: { code: 'tool_not_granted' },
		})
	})

	it('tells connected clients when the listing changes', async () => {
		await setListing('all')
		const client = await connect()
		const ending = new AbortController()
		const stream = await fetch(`${stage.gateway.url}/mcp`, {
			headers: {
				authorization: `Bearer ${stage.agent.key}`,
				accept: 'text/event-stream',
				'mcp-session-id': client.session,
			},
			signal: ending.signal,
		})
		let heard = ''
		const listening = (async () => {
			for await (const chunk of stream.body ?? []) heard += Buffer.from(chunk).toString()
		})().catch(() => {})
		await setListing('search')
		await until(() => heard.includes('notifications/tools/list_changed'), 5000)
		ending.abort()
		await listening
	})
})
