import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, until } from '../testing-client.ts'
import { type ScriptedUpstream, sendEvents, sendText, startScriptedUpstream } from '../testing-upstream.ts'

let gateway: TestGateway
let upstream: ScriptedUpstream
let agent: TestAgent
let serverId: string
let session: string
const tools = ['a', 'b', 'c'].map((name) => ({ name, inputSchema: {} }))

beforeAll(async () => {
	gateway = await openTestGateway()
	upstream = await startScriptedUpstream(tools, ({ id }, response) => sendText(response, id, 'done'))
	agent = await gateway.addAgent('Rosa')
	serverId = await gateway.addServer('Tools', upstream.url)
	await gateway.grant(agent.id, serverId, ['a'])
	const client = newWireClient(`${gateway.url}/mcp/tools`, agent.key)
	await client.initialize()
	session = client.session
})
afterAll(async () => {
	await gateway?.close()
	await upstream?.close()
})

/** Opens a GET stream and collects its text. */
async function open(lastEventId?: string) {
	const abort = new AbortController()
	const headers = {
		authorization: `Bearer ${agent.key}`,
		accept: 'text/event-stream',
		'mcp-session-id': session,
	}
	const response = await fetch(`${gateway.url}/mcp/tools`, {
		headers: { ...headers, ...(lastEventId && { 'last-event-id': lastEventId }) },
		signal: abort.signal,
	})
	const stream = { text: '', close: () => abort.abort() }
	void (async () => {
		for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
			stream.text += Buffer.from(chunk).toString()
	})().catch(() => {})
	return stream
}

const allow = (names: string[]) =>
	gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agent.id}`, { allowed_tools: names })
const idsIn = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id as string)

describe('a stream that breaks', () => {
	it('continues after the last event received', async () => {
		const before = await open()
		await until(() => before.text.includes(': open'), 2000)
		await allow(['a', 'b'])
		await until(() => idsIn(before.text).length === 2, 2000)
		before.close()
		await new Promise((resolve) => setTimeout(resolve, 50))
		await allow(['a', 'b', 'c'])
		const after = await open(idsIn(before.text)[1])
		await until(() => after.text.includes('notifications/tools/list_changed'), 2000)
		expect(idsIn(after.text)).toHaveLength(1)
		expect(idsIn(after.text)).not.toEqual(idsIn(before.text))
		after.close()
	})

	it('continues even if nothing was received, since it begins with an id', async () => {
		await allow(['a'])
		const before = await open()
		await until(() => idsIn(before.text).length === 1, 2000)
		expect(before.text).toContain('\ndata: \n\n')
		before.close()
		await new Promise((resolve) => setTimeout(resolve, 50))
		await allow(['a', 'b'])
		const after = await open(idsIn(before.text)[0])
		await until(() => after.text.includes('notifications/tools/list_changed'), 2000)
		after.close()
	})

	it('reports that everything may have changed when the missed events are unknown', async () => {
		await gateway.restart()
		const after = await open('of-another-program-7')
		await until(() => idsIn(after.text).length === 3, 2000)
		for (const kind of ['tools', 'prompts', 'resources'])
			expect(after.text).toContain(`notifications/${kind}/list_changed`)
		after.close()
	})
})

describe('a subscription to a resource', () => {
	it('reports also what changed below it, once, and only what the agent may read', async () => {
		const allowed_resources = [
			'x://dir',
			'x://dir/a',
			'x://dir/b',
			'x://dir/b/c',
			'x://directory',
			'x://other',
		]
		await gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agent.id}`, { allowed_resources })
		upstream.streams = []
		await gateway.restart()
		const client = newWireClient(`${gateway.url}/mcp/tools`, agent.key)
		await client.initialize()
		session = client.session
		for (const uri of ['x://dir', 'x://dir/b'])
			expect((await client.request('resources/subscribe', { uri })).body.error).toBeUndefined()
		const stream = await open()
		await until(() => upstream.streams?.length === 1, 5000)
		const below = ['x://dir/secret', 'x://directory', 'x://dir/a', 'x://dir/b', 'x://dir/b/c']
		const changed = [...below, 'x://other', 'x://dir']
		for (const uri of changed)
			sendEvents(upstream.streams[0] as ServerResponse, {
				method: 'notifications/resources/updated',
				params: { uri },
			})
		const heard = () => [...stream.text.matchAll(/"uri":"([^"]+)"/g)].map(([, uri]) => uri)
		await until(() => heard().includes('x://dir'), 5000)
		expect(heard()).toEqual(['x://dir/a', 'x://dir/b', 'x://dir/b/c', 'x://dir'])
		stream.close()
	})
})
