import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, startFixture } from '../../../checks/fixtures/start-fixture.ts'
import { openTestGateway, type TestGateway } from './testing.ts'

const eras = { legacy: {}, modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } } }
type Era = keyof typeof eras

let gateway: TestGateway
let agent: { id: string; key: string }
const fixtures: Fixture[] = []

beforeAll(async () => {
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	for (const era of ['legacy', 'modern'] as const) {
		const fixture = await startFixture(era)
		fixtures.push(fixture)
		await gateway.grant(agent.id, await gateway.addServer(era, fixture.url), null)
	}
})
afterAll(async () => {
	await gateway?.close()
	for (const fixture of fixtures) await fixture.close()
})

/** A stock client that answers everything it is asked. */
async function openClient(era: Era, server: Era, declared: object = allCapabilities): Promise<Client2> {
	const client = new Client2({ name: 'stock', version: '1' }, {
		capabilities: declared,
		...eras[era],
	} as never)
	const capabilities = declared as Record<string, unknown>
	if (capabilities.elicitation)
		client.setRequestHandler('elicitation/create', async ({ params }) => {
			const properties = (params as { requestedSchema?: { properties?: object } }).requestedSchema?.properties
			return {
				action: 'accept' as const,
				content: Object.fromEntries(Object.keys(properties ?? {}).map((name) => [name, `my ${name}`])),
			}
		})
	if (capabilities.sampling)
		client.setRequestHandler('sampling/createMessage', async () => ({
			role: 'assistant' as const,
			content: { type: 'text' as const, text: 'Paris' },
			model: 'none',
		}))
	if (capabilities.roots)
		client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///home/rosa' }] }))
	await client.connect(
		new Transport2(new URL(`${gateway.url}/mcp/${server}`), {
			requestInit: { headers: { authorization: `Bearer ${agent.key}` } },
		}),
	)
	return client
}

const allCapabilities = { elicitation: {}, sampling: {}, roots: {} }
const quadrants = (['legacy', 'modern'] as const).flatMap((client) =>
	(['legacy', 'modern'] as const).map((server) => ({ client, server })),
)

describe.each(quadrants)('a $client client of a $server server', ({ client: clientEra, server }) => {
	let client: Client2
	const call = async (name: string, args: Record<string, unknown> = {}) => {
		const { content } = await client.callTool({ name, arguments: args })
		return (content as { text: string }[])[0]?.text
	}
	beforeAll(async () => {
		client = await openClient(clientEra, server)
	})
	afterAll(() => client.close())

	it('calls a tool', async () => {
		expect(await call('test_simple_text')).toContain('simple text')
	})
	it('is asked for a form', async () => {
		expect(await call('test_elicitation', { message: 'Who?' })).toContain('my username')
	})
	it('is asked for a completion', async () => {
		expect(await call('test_sampling', { prompt: 'x' })).toBe('LLM response: Paris')
	})
	it('is asked for its roots', async () => {
		expect(await call('test_input_required_result_list_roots')).toBe('file:///home/rosa')
	})
	it('is asked several things at once, and several times', async () => {
		expect(await call('test_input_required_result_multiple_inputs')).toBe('answered: elicit, sampling, roots')
		expect(await call('test_input_required_result_multi_round')).toBe('Both steps are done.')
	})
	it('is asked only for what it can answer', async () => {
		const mute = await openClient(clientEra, server, {})
		const { content } = await mute.callTool({ name: 'test_input_required_result_capabilities' })
		expect(content).toMatchObject([{ text: 'The client cannot be asked.' }])
		await mute.close()
	})
})
