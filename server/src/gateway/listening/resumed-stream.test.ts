import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, until } from '../testing-client.ts'
import { type ScriptedUpstream, sendText, startScriptedUpstream } from '../testing-upstream.ts'

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
