import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, startFixture } from '../../../checks/fixtures/start-fixture.ts'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until } from './testing-client.ts'

let gateway: TestGateway
let rosa: TestAgent
let bert: TestAgent
const fixtures: Fixture[] = []
const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
const asking = { legacy: 'test_elicitation', modern: 'test_input_required_result_request_state' } as const
type Era = keyof typeof asking

beforeAll(async () => {
	gateway = await openTestGateway()
	rosa = await gateway.addAgent('Rosa')
	bert = await gateway.addAgent('Bert')
	for (const era of ['legacy', 'modern'] as const) {
		const fixture = await startFixture(era)
		fixtures.push(fixture)
		const serverId = await gateway.addServer(era, fixture.url)
		await gateway.grant(rosa.id, serverId, null)
		await gateway.grant(bert.id, serverId, null)
	}
})
afterAll(async () => {
	await gateway?.close()
	for (const fixture of fixtures) await fixture.close()
})

const call = (agent: TestAgent, era: Era, more: object = {}) =>
	newWireClient(`${gateway.url}/mcp/${era}`, agent.key).modern(
		'tools/call',
		{ name: asking[era], arguments: { message: 'Who?' }, ...more },
		{},
		meta,
	)

/** The first try, and the retry that would answer it. */
async function ask(era: Era) {
	const { result } = (await call(rosa, era)).body
	expect(result.resultType).toBe('input_required')
	const [key] = Object.keys(result.inputRequests)
	const content = { username: 'rosa', email: 'r@example.org', ok: true }
	return {
		requestState: result.requestState as string,
		inputResponses: { [key as string]: { action: 'accept', content } },
	}
}

describe.each(['legacy', 'modern'] as const)('the state of a question by a %s server', (era) => {
	it('opens for its caller and its request', async () => {
		const { result } = (await call(rosa, era, await ask(era))).body
		expect(result.resultType).toBe('complete')
	})
	it('opens for nothing and nobody else', async () => {
		const { requestState, inputResponses } = await ask(era)
		const last = requestState.at(-2) === 'A' ? 'B' : 'A'
		const forged = `${requestState.slice(0, -2)}${last}${requestState.at(-1)}`
		const refused = { code: -32602, data: { code: 'invalid_request_state' } }
		const tries = [
			call(rosa, era, { inputResponses, requestState: forged }),
			call(rosa, era, { inputResponses, requestState: 'x' }),
			call(bert, era, { inputResponses, requestState }),
			call(rosa, era, { inputResponses, requestState, arguments: { message: 'Another one' } }),
		]
		for (const { body } of await Promise.all(tries)) expect(body.error).toMatchObject(refused)
		expect((await call(rosa, era, { inputResponses, requestState })).body.result.resultType).toBe('complete')
	})
	it('asks again for answers that are missing in a retry', async () => {
		const { requestState, inputResponses } = await ask(era)
		const { result } = (await call(rosa, era, { requestState, inputResponses: { other: {} } })).body
		expect(result.resultType).toBe('input_required')
		expect(Object.keys(result.inputRequests)).toEqual(Object.keys(inputResponses))
	})
})

describe('a call that waits for its client at a legacy server', () => {
	it('is answered once', async () => {
		const retry = await ask('legacy')
		expect((await call(rosa, 'legacy', retry)).body.result.resultType).toBe('complete')
		expect((await call(rosa, 'legacy', retry)).body.error.data.code).toBe('request_state_lost')
	})
	it('ends with a clear error, and is never sent again, when the program that held it is gone', async () => {
		const retry = await ask('legacy')
		await gateway.restart()
		expect((await call(rosa, 'legacy', retry)).body.error.data.code).toBe('request_state_lost')
	})
	it('ends when the agent loses its access', async () => {
		const carl = await gateway.addAgent('Carl')
		const { mcp_servers } = await gateway.manage('GET', '/v1/mcp/servers')
		const serverId = mcp_servers.find(({ name }: { name: string }) => name === 'legacy').id
		await gateway.grant(carl.id, serverId, null)
		const { result } = (await call(carl, 'legacy')).body
		await gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${carl.id}`, { enabled: false })
		await gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${carl.id}`, { enabled: true })
		const { requestState } = result
		await until(
			async () =>
				(await call(carl, 'legacy', { requestState, inputResponses: {} })).body.error?.data.code ===
				'request_state_lost',
			2000,
		)
	})
})
