import { ResourceTemplate } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { type ModernTestServer, startModernServer } from '../servers/testing.ts'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, type WireClient } from './testing-client.ts'
import { type ScriptedUpstream, sendJson, startScriptedUpstream } from './testing-upstream.ts'

interface Item {
	name?: string
	uri?: string
	uriTemplate?: string
	[field: string]: unknown
}

let gateway: TestGateway
const servers: ModernTestServer[] = []
let silent: ScriptedUpstream
const ids: Record<string, string> = {}

/** A server with prompts and resources that most servers in this file share, and one of each with a name of its own. */
function startOffering(own: string): Promise<ModernTestServer> {
	return startModernServer({
		configure: (server) => {
			const say = (text: string) => ({
				messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
			})
			server.registerPrompt('greet', { title: 'Greet', description: 'Greets' }, async () =>
				say(`hello ${own}`),
			)
			server.registerPrompt('dotted.name', { description: 'Odd name' }, async () => say(`dotted ${own}`))
			server.registerResource(
				'shared',
				'test://shared',
				{ description: 'In all' },
				async ({ href: uri }) => ({
					contents: [{ uri, text: `shared of ${own}` }],
				}),
			)
			server.registerResource(own, `test://${own}`, { _meta: { 'x/kept': 1 } }, async ({ href: uri }) => ({
				contents: [{ uri, text: own }],
			}))
			const template = new ResourceTemplate(`${own}://things/{id}`, { list: undefined })
			server.registerResource('thing', template, {}, async ({ href: uri }, { id }) => ({
				contents: [{ uri, text: `thing ${String(id)}` }],
			}))
			server.server.registerCapabilities({ completions: {} })
			server.server.setRequestHandler('completion/complete', async ({ params }) => ({
				completion: { values: [`${JSON.stringify(params.ref)} ${own}`] },
			}))
		},
	})
}

/** Adds a server whose list of prompts has one of this name. */
async function addListing(name: string, prompt: () => Promise<string>): Promise<void> {
	const server = await startModernServer({
		configure: ({ server }) => {
			server.registerCapabilities({ prompts: {} })
			server.setRequestHandler('prompts/list', async () => ({ prompts: [{ name: await prompt() }] }))
		},
	})
	servers.push(server)
	ids[name] = await gateway.addServer(name, server.url)
}

beforeAll(async () => {
	gateway = await openTestGateway({ listMs: 300, handshakeMs: 1000, pageItems: 3 })
	for (const name of ['alpha', 'beta']) {
		const server = await startOffering(name)
		servers.push(server)
		ids[name] = await gateway.addServer(name, server.url)
	}
	// It answers the handshake and lists its tools, but answers nothing else.
	silent = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], () => {})
	ids.silent = await gateway.addServer('silent', silent.url)
})
afterAll(async () => {
	await gateway?.close()
	await Promise.all(servers.map((server) => server.close()))
	await silent?.close()
})

type Grants = Record<string, 'all' | { prompts?: string[]; resources?: string[] }>

let agents = 0
async function agentWith(grants: Grants): Promise<TestAgent> {
	agents += 1
	const agent = await gateway.addAgent(`Rosa ${agents}`)
	for (const [name, granted] of Object.entries(grants)) {
		const terms =
			granted === 'all'
				? { access_mode: 'all' }
				: {
						access_mode: 'selected',
						allowed_prompts: granted.prompts ?? [],
						allowed_resources: granted.resources ?? [],
					}
		await gateway.manage('POST', `/v1/mcp/servers/${ids[name]}/access`, { agent_uuid: agent.id, ...terms })
	}
	return agent
}

const client = (agent: TestAgent, path: string) => newWireClient(gateway.url + path, agent.key)

/** Reads all items of a list, page by page, with the other fields of the pages. */
async function readAll(wire: WireClient, method: string, field: string) {
	const items: Item[] = []
	const pages: Record<string, unknown>[] = []
	let cursor: string | undefined
	do {
		const { body } = await wire.modern(method, cursor === undefined ? {} : { cursor })
		const { [field]: found, nextCursor, ...page } = body.result
		items.push(...found)
		pages.push(page)
		cursor = nextCursor
	} while (cursor !== undefined)
	return { items, pages }
}
const keys = ({ items }: { items: Item[] }) => items.map((item) => item.uriTemplate ?? item.uri ?? item.name)
const read = (wire: WireClient, uri: string) => wire.modern('resources/read', { uri }, { 'mcp-name': uri })

describe('the endpoint of one server', () => {
	it('lists and delivers everything to an agent with full access, in both eras', async () => {
		const wire = client(await agentWith({ alpha: 'all' }), '/mcp/alpha')
		expect(keys(await readAll(wire, 'prompts/list', 'prompts'))).toEqual(['greet', 'dotted.name'])
		const resources = await readAll(wire, 'resources/list', 'resources')
		expect(keys(resources)).toEqual(['test://shared', 'test://alpha'])
		expect(resources.items[1]).toMatchObject({ name: 'alpha', _meta: { 'x/kept': 1 } })
		expect(keys(await readAll(wire, 'resources/templates/list', 'resourceTemplates'))).toEqual([
			'alpha://things/{id}',
		])
		const modern = await wire.modern('prompts/get', { name: 'greet' })
		expect(modern.body.result.messages[0].content.text).toBe('hello alpha')
		await wire.initialize()
		const legacy = await wire.request('resources/read', { uri: 'alpha://things/7' })
		expect(legacy.body.result.contents).toEqual([{ uri: 'alpha://things/7', text: 'thing 7' }])
	})

	it('waits for a slow server; an aggregate does not, but announces what comes late', async () => {
		await addListing('slow', () => new Promise((resolve) => setTimeout(resolve, 600, 'late')))
		const agent = await agentWith({ slow: 'all' })
		const aggregate = client(agent, '/mcp')
		await aggregate.initialize()
		const headers = { authorization: `Bearer ${agent.key}`, 'mcp-session-id': aggregate.session }
		const stream = await fetch(`${gateway.url}/mcp`, { headers: { ...headers, accept: 'text/event-stream' } })
		const told = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
		const listed = async () => (await aggregate.request('prompts/list')).body.result.prompts
		expect(await listed()).toEqual([])
		let text = ''
		while (!text.includes('notifications/prompts/list_changed')) text += (await told?.read())?.value
		await told?.cancel()
		expect(await listed()).toMatchObject([{ name: 'slow__late' }])
		await gateway.restart()
		expect(keys(await readAll(client(agent, '/mcp/slow'), 'prompts/list', 'prompts'))).toEqual(['late'])
	})

	it('asks the server again when the clock was set back since it last did', async () => {
		let lists = 0
		await addListing('gamma', async () => `list ${++lists}`)
		const wire = client(await agentWith({ gamma: 'all' }), '/mcp/gamma')
		const last = async () => Number(keys(await readAll(wire, 'prompts/list', 'prompts'))[0]?.slice(5))
		const before = await last()
		const setBack = vi.spyOn(systemClock, 'nowMs').mockImplementation(() => Date.now() - 86_400_000)
		try {
			await expect.poll(last, { timeout: 4000 }).toBeGreaterThan(before)
		} finally {
			setBack.mockRestore()
			// Rights that were compared with the store by the other clock are too old for a moment.
			await expect.poll(() => gateway.manage('GET', '/v1/agents'), { timeout: 10_000 }).toBeDefined()
		}
	})

	it('announces what its server announces, and the tasks that the gateway runs', async () => {
		const wire = client(await agentWith({ alpha: 'all', silent: 'all' }), '/mcp/alpha')
		const { body } = await wire.modern('server/discover')
		const { extensions, ...ofServer } = body.result.capabilities
		expect(Object.keys(ofServer).sort()).toEqual(['completions', 'prompts', 'resources', 'tools'])
		expect(extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} })
	})

	it('lists and delivers only what a grant names', async () => {
		const agent = await agentWith({
			alpha: { prompts: ['greet'], resources: ['test://alpha', 'alpha://things/{id}'] },
		})
		const wire = client(agent, '/mcp/alpha')
		expect(keys(await readAll(wire, 'prompts/list', 'prompts'))).toEqual(['greet'])
		expect(keys(await readAll(wire, 'resources/list', 'resources'))).toEqual(['test://alpha'])
		expect((await read(wire, 'alpha://things/1')).body.result.contents[0].text).toBe('thing 1')
		const prompt = await wire.modern('prompts/get', { name: 'dotted.name' })
		expect(prompt.body.error).toMatchObject({ code: -32602, data: { code: 'prompt_not_selected' } })
		const resource = await read(wire, 'test://shared')
		expect(resource.body.error).toMatchObject({
			code: -32602,
			data: { code: 'resource_not_selected', uri: 'test://shared' },
		})
		// Access can be requested for tools only. A link would request a tool of the prompt's name.
		for (const { error } of [prompt.body, resource.body]) {
			expect(error.message).toMatch(/is not granted to .+\. An admin of the workspace can grant it\.$/)
			expect(error.data).not.toHaveProperty('access_url')
		}
	})

	it('allows a completion if what it completes is allowed', async () => {
		const wire = client(await agentWith({ alpha: { prompts: ['greet'] } }), '/mcp/alpha')
		const complete = (name: string) =>
			wire.modern('completion/complete', {
				ref: { type: 'ref/prompt', name },
				argument: { name: 'a', value: 'b' },
			})
		expect((await complete('greet')).body.result.completion.values).toHaveLength(1)
		expect((await complete('dotted.name')).body.error.code).toBe(-32602)
	})
})

describe('the aggregate endpoint', () => {
	it('names prompts as it names tools', async () => {
		const wire = client(await agentWith({ alpha: 'all', beta: 'all' }), '/mcp')
		expect(keys(await readAll(wire, 'prompts/list', 'prompts'))).toEqual([
			'alpha__greet',
			'alpha__dotted_name',
			'beta__greet',
			'beta__dotted_name',
		])
		const { body } = await wire.modern('prompts/get', { name: 'beta__greet' })
		expect(body.result.messages[0].content.text).toBe('hello beta')
	})

	it('gives prompts the prefix that a workspace chose, and still finds them by the usual one', async () => {
		const change = (tool_prefix: string | null) =>
			gateway.manage('PATCH', `/v1/mcp/servers/${ids.beta}`, { tool_prefix })
		const wire = client(await agentWith({ beta: { prompts: ['greet'] } }), '/mcp')
		await change('second')
		expect(keys(await readAll(wire, 'prompts/list', 'prompts'))).toEqual(['second__greet'])
		for (const name of ['second__greet', 'beta__greet'])
			expect((await wire.modern('prompts/get', { name })).body.result?.messages[0].content.text).toBe(
				'hello beta',
			)
		const refused = await wire.modern('prompts/get', { name: 'second__dotted_name' })
		expect(refused.body.error.data.code).toBe('prompt_not_selected')
		await change(null)
	})

	it('finds a prompt of an odd name that nobody listed before', async () => {
		const agent = await agentWith({ beta: { prompts: ['dotted.name'] } })
		await gateway.restart()
		const { body } = await client(agent, '/mcp').modern('prompts/get', { name: 'beta__dotted_name' })
		expect(body.result.messages[0].content.text).toBe('dotted beta')
	})

	it('keeps URIs that only one server has, and says which server is meant where several have one', async () => {
		const wire = client(await agentWith({ alpha: 'all', beta: 'all' }), '/mcp')
		expect(keys(await readAll(wire, 'resources/list', 'resources'))).toEqual([
			'mcp+alpha:test://shared',
			'test://alpha',
			'mcp+beta:test://shared',
			'test://beta',
		])
		const shared = await read(wire, 'mcp+beta:test://shared')
		expect(shared.body.result.contents).toEqual([{ uri: 'mcp+beta:test://shared', text: 'shared of beta' }])
		expect((await read(wire, 'test://beta')).body.result.contents[0].text).toBe('beta')
		expect((await read(wire, 'beta://things/3')).body.result.contents[0].text).toBe('thing 3')
		const both = await read(wire, 'test://shared')
		expect(both.body.error.data).toMatchObject({
			code: 'resource_ambiguous',
			uris: ['mcp+alpha:test://shared', 'mcp+beta:test://shared'],
		})
	})

	it('sends the URI of another server to no server, even if the agent may use only one', async () => {
		const wire = client(await agentWith({ alpha: 'all' }), '/mcp')
		const sent = servers[0]?.requests.length ?? 0
		for (const uri of ['mcp+beta:test://beta', 'mcp+none:test://alpha'])
			expect((await read(wire, uri)).body.error).toMatchObject({
				code: -32602,
				data: { code: 'resource_not_found', uri },
			})
		const reads = servers[0]?.requests.slice(sent).map((headers) => headers['mcp-method'])
		expect(reads).not.toContain('resources/read')
	})

	it('records them under the names that their server gives them', async () => {
		const agent = await agentWith({ alpha: 'all', beta: 'all' })
		const wire = client(agent, '/mcp')
		await readAll(wire, 'prompts/list', 'prompts')
		const recorded = async (asked: () => Promise<unknown>) => {
			await asked()
			const row = gateway.rows.at(-1)
			return [row?.name, row?.attributes.get('gen_ai.prompt.name') ?? row?.attributes.get('mcp.resource.uri')]
		}
		const get = (name: string) => recorded(() => wire.modern('prompts/get', { name }))
		expect(await get('beta__greet')).toEqual(['prompts/get greet', 'greet'])
		expect(await get('beta__dotted_name')).toEqual(['prompts/get dotted.name', 'dotted.name'])
		await gateway.restart()
		expect(await get('beta__greet')).toEqual(['prompts/get greet', 'greet'])
		const shared = await recorded(() => read(wire, 'mcp+beta:test://shared'))
		expect(shared).toEqual(['resources/read', 'test://shared'])
	})

	it('finds a resource that nobody listed before', async () => {
		const agent = await agentWith({ alpha: 'all', beta: 'all' })
		await gateway.restart()
		expect((await read(client(agent, '/mcp'), 'test://alpha')).body.result.contents[0].text).toBe('alpha')
	})

	it('treats a resource that no grant names, and one of a server without a grant, as non-existent', async () => {
		const wire = client(await agentWith({ alpha: { resources: ['test://alpha'] }, silent: 'all' }), '/mcp')
		for (const uri of ['test://shared', 'test://beta', 'mcp+beta:test://beta', 'test://nowhere'])
			expect((await read(wire, uri)).body.error).toMatchObject({ code: -32602, data: { uri } })
		const ask = async (name: string) => (await wire.modern('prompts/get', { name })).body.error
		const [real, unreal] = [await ask('beta__greet'), await ask('none__greet')]
		expect(real.data.code).toBe('prompt_not_selected')
		expect(real.message).toMatch(/^The prompt beta__greet was not found, or is not granted to .+ An admin /)
		expect(unreal.message).toBe(real.message.replace('beta__', 'none__'))
	})

	it('answers in time without a server that does not respond, and names that server', async () => {
		const wire = client(await agentWith({ alpha: 'all', silent: 'all' }), '/mcp')
		await gateway.restart()
		const startMs = performance.now()
		const { items, pages } = await readAll(wire, 'prompts/list', 'prompts')
		expect(performance.now() - startMs).toBeLessThan(10_000)
		expect(items).toHaveLength(2)
		expect(pages[0]?._meta).toEqual({
			'signalbox/unavailable_servers': [{ server: 'silent', health: 'healthy' }],
		})
	})
})

describe('pages', () => {
	it('cover all servers in a fixed order, each page marked private', async () => {
		const wire = client(await agentWith({ alpha: 'all', beta: 'all', silent: 'all' }), '/mcp')
		const { items, pages } = await readAll(wire, 'tools/list', 'tools')
		expect(keys({ items })).toEqual([
			...['echo', 'add', 'fail', 'slow'].map((name) => `alpha__${name}`),
			...['echo', 'add', 'fail', 'slow'].map((name) => `beta__${name}`),
			'silent__run',
		])
		expect(pages).toHaveLength(3)
		for (const page of pages) expect(page).toMatchObject({ cacheScope: 'private', ttlMs: 0 })
	})

	it('are valid only for the agent that began the list', async () => {
		const [one, other] = [await agentWith({ alpha: 'all' }), await agentWith({ alpha: 'all' })]
		const { nextCursor: cursor } = (await client(one, '/mcp').modern('tools/list')).body.result
		const again = await client(one, '/mcp').modern('tools/list', { cursor })
		expect(again.body.result.tools).toHaveLength(1)
		for (const none of ['', null])
			expect(
				(await client(one, '/mcp').modern('tools/list', { cursor: none })).body.result.tools,
			).toHaveLength(3)
		for (const wrong of [
			client(other, '/mcp').modern('tools/list', { cursor }),
			client(one, '/mcp/alpha').modern('tools/list', { cursor }),
			client(one, '/mcp').modern('prompts/list', { cursor }),
			client(one, '/mcp').modern('tools/list', { cursor: `${cursor}0` }),
			client(one, '/mcp').modern('tools/list', { cursor: 7 }),
		])
			expect((await wrong).body.error.code).toBe(-32602)
	})
})

describe('a subscription that a legacy server refuses', () => {
	it.each([
		['', {}],
		[' that can be asked', { elicitation: {} }],
	])('keeps the code and the data of the refusal for a client%s', async (kind, capabilities) => {
		const uri = 'note://full'
		const error = { code: -32050, message: 'Too many subscriptions', data: { limit: 3, uri } }
		const results: Record<string, object> = {
			'resources/list': { resources: [{ name: 'full', uri }] },
			'resources/templates/list': { resourceTemplates: [] },
		}
		const upstream = await startScriptedUpstream([], ({ id, method }, response) => {
			const result = results[method]
			sendJson(response, 200, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) })
		})
		upstream.initialize = ({ id }, response) => {
			upstream.sessions.add('one')
			response.setHeader('mcp-session-id', 'one')
			const result = {
				protocolVersion: '2025-11-25',
				capabilities: { resources: { subscribe: true } },
				serverInfo: { name: 'full', version: '1' },
			}
			sendJson(response, 200, { jsonrpc: '2.0', id, result })
		}
		const agent = await gateway.addAgent(`Subscriber${kind}`)
		await gateway.grant(agent.id, await gateway.addServer(`Full${kind}`, upstream.url), null)
		const wire = newWireClient(`${gateway.url}/mcp`, agent.key)
		const { headers } = await wire.request('initialize', {
			protocolVersion: '2025-11-25',
			capabilities,
			clientInfo: { name: 'wire', version: '1' },
		})
		wire.session = headers.get('mcp-session-id') ?? ''
		expect((await wire.request('resources/subscribe', { uri })).body.error).toEqual(error)
		await upstream.close()
	})
})
