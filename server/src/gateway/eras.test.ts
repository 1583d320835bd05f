import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, startFixture } from '../../../checks/fixtures/start-fixture.ts'
import { openTestGateway, type TestGateway } from './testing.ts'
import { until } from './testing-client.ts'

const eras = { legacy: {}, modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } } }
type Era = keyof typeof eras

let gateway: TestGateway
let agent: { id: string; key: string }
const serverIds = {} as Record<Era, string>
const fixtures: Fixture[] = []

beforeAll(async () => {
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	for (const era of ['legacy', 'modern'] as const) {
		const fixture = await startFixture(era)
		fixtures.push(fixture)
		serverIds[era] = await gateway.addServer(era, fixture.url)
		await gateway.grant(agent.id, serverIds[era], null)
	}
})
afterAll(async () => {
	await gateway?.close()
	for (const fixture of fixtures) await fixture.close()
})

/** A stock client that answers every input request. */
async function openClient(
	era: Era,
	server: Era,
	declared: object = allCapabilities,
	key = agent.key,
): Promise<Client2> {
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
			requestInit: { headers: { authorization: `Bearer ${key}` } },
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
	it('gets several input requests at once, and repeatedly', async () => {
		expect(await call('test_input_required_result_multiple_inputs')).toBe('answered: elicit, sampling, roots')
		expect(await call('test_input_required_result_multi_round')).toBe('Both steps are done.')
	})
	it('is asked only for what it can answer', async () => {
		const mute = await openClient(clientEra, server, {})
		const { content } = await mute.callTool({ name: 'test_input_required_result_capabilities' })
		expect(content).toMatchObject([{ text: 'The client cannot be asked.' }])
		await mute.close()
	})
	it('gets progress notifications', async () => {
		const seen: number[] = []
		await client.callTool(
			{ name: 'test_tool_with_progress', arguments: {} },
			{ onprogress: ({ progress }) => void seen.push(progress) },
		)
		expect(seen).toEqual([0, 50, 100])
	})
	it('gets the answer of a server that closed its stream before answering', async () => {
		expect(await call('test_reconnection')).toContain('after the stream was closed')
	})
	it('cancels a call, which ends at the server too', async () => {
		gateway.rows.length = 0
		const abort = new AbortController()
		const cancelled = client.callTool(
			{ name: 'test_tool_with_progress', arguments: {} },
			{ signal: abort.signal, onprogress: () => abort.abort() },
		)
		await expect(cancelled).rejects.toThrow()
		await until(() => gateway.rows.some(({ status }) => status === 'interrupted'), 10_000)
		expect(await call('test_simple_text')).toContain('simple text')
	})
	it('reads the log of a call', async () => {
		const lines: unknown[] = []
		client.setNotificationHandler('notifications/message', ({ params }) => void lines.push(params.data))
		if (clientEra === 'legacy') await client.setLoggingLevel('info')
		const _meta = { 'io.modelcontextprotocol/logLevel': 'info' }
		await client.callTool({
			name: 'test_tool_with_logging',
			arguments: {},
			...(clientEra === 'modern' && { _meta }),
		})
		expect(lines).toEqual(['Tool execution started', 'Tool processing data', 'Tool execution completed'])
	})
	it('is notified of changes at the server and of a resource it is subscribed to', async () => {
		const heard = new Set<string>()
		client.setNotificationHandler('notifications/prompts/list_changed', () => void heard.add('prompts'))
		client.setNotificationHandler('notifications/resources/list_changed', () => void heard.add('resources'))
		client.setNotificationHandler(
			'notifications/resources/updated',
			({ params }) => void heard.add(params.uri),
		)
		const uri = 'test://watched-resource'
		if (clientEra === 'legacy') await client.subscribeResource({ uri })
		else
			await client.listen({
				promptsListChanged: true,
				resourcesListChanged: true,
				resourceSubscriptions: [uri],
			})
		await until(async () => {
			await call('test_trigger_prompt_change')
			await call('test_trigger_resource_change')
			await call('test_trigger_resource_update')
			return heard.size === 3
		}, 5000)
		expect([...heard].sort()).toEqual(['prompts', 'resources', uri])
	})
	it('is notified within a second that its tools changed', async () => {
		const other = await gateway.addAgent(`Bert ${clientEra} ${server}`)
		await gateway.grant(other.id, serverIds[server], ['test_simple_text'])
		const told = await openClient(clientEra, server, {}, other.key)
		let heardAtMs = 0
		told.setNotificationHandler('notifications/tools/list_changed', () => {
			heardAtMs = performance.now()
		})
		if (clientEra === 'modern') await told.listen({ toolsListChanged: true })
		// The stock client opens its stream after the handshake, in the background.
		else await new Promise((resolve) => setTimeout(resolve, 300))
		const changedAtMs = performance.now()
		await gateway.manage('PATCH', `/v1/mcp/servers/${serverIds[server]}/access/${other.id}`, {
			allowed_tools: ['test_simple_text', 'test_error_handling'],
		})
		await until(() => heardAtMs > 0, 10_000)
		expect(heardAtMs - changedAtMs).toBeLessThan(5000)
		await told.close()
	})
})
