import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient } from './testing-client.ts'
import { type ScriptedUpstream, sendJson, sendText, startScriptedUpstream } from './testing-upstream.ts'

const page = { mode: 'url', message: 'Sign in', url: 'https://example.org/in', elicitationId: 'e1' }
let gateway: TestGateway
let upstream: ScriptedUpstream
let agent: TestAgent

beforeAll(async () => {
	gateway = await openTestGateway()
	upstream = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], ({ id }, response) => {
		if (upstream.calls().length % 2 === 0) return sendText(response, id, 'signed in')
		const error = { code: -32042, message: 'Sign in first', data: { elicitations: [page] } }
		sendJson(response, 200, { jsonrpc: '2.0', id, error })
	})
	agent = await gateway.addAgent('Rosa')
	await gateway.grant(agent.id, await gateway.addServer('Tools', upstream.url), null)
})
afterAll(async () => {
	await gateway?.close()
	await upstream?.close()
})

describe('a legacy server that requires its user to visit a page first', () => {
	const call = (capabilities: object, more: object = {}) =>
		newWireClient(`${gateway.url}/mcp/tools`, agent.key).modern(
			'tools/call',
			{ name: 'run', ...more },
			{},
			{ 'io.modelcontextprotocol/clientCapabilities': capabilities },
		)

	it('sends a modern client there, and is called again after the visit', async () => {
		upstream.received.length = 0
		const { result } = (await call({ elicitation: { form: {}, url: {} } })).body
		const [[key, asked]] = Object.entries(result.inputRequests) as [[string, object]]
		expect(asked).toEqual({ method: 'elicitation/create', params: page })
		const retry = { requestState: result.requestState, inputResponses: { [key]: { action: 'accept' } } }
		const answered = await call({ elicitation: { form: {}, url: {} } }, retry)
		expect(answered.body.result.content[0].text).toBe('signed in')
		expect(upstream.calls()).toHaveLength(2)
	})

	it('gets an error to a client that cannot open pages, or did not', async () => {
		upstream.received.length = 0
		expect((await call({})).body.error).toMatchObject({ code: -32042, data: { elicitations: [page] } })
		expect(upstream.calls()).toHaveLength(1)
		upstream.received.length = 0
		const { result } = (await call({ elicitation: { url: {} } })).body
		const inputResponses = { [Object.keys(result.inputRequests)[0] as string]: { action: 'decline' } }
		const refused = await call(
			{ elicitation: { url: {} } },
			{ requestState: result.requestState, inputResponses },
		)
		expect(refused.body.error.code).toBe(-32042)
		expect(upstream.calls()).toHaveLength(1)
	})
})
