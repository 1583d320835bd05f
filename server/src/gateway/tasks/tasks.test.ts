import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Era } from '../../mcp-client/index.ts'
import { openTestGateway, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, until } from '../testing-client.ts'
import { startLegacyTaskServer, startModernTaskServer, type TaskServer } from './testing-servers.ts'
import { declaresTasks, openTaskClient, type TaskClient } from './testing-tasks.ts'

const eras = ['legacy', 'modern'] as const
const pairs = eras.flatMap((client) => eras.map((server) => ({ client, server })))

let gateway: TestGateway
let agent: TestAgent
let agents = 0
const servers = {} as Record<Era | `asking-${Era}`, TaskServer>
const ids: Record<string, string> = {}
beforeAll(async () => {
	gateway = await openTestGateway()
	servers.legacy = await startLegacyTaskServer()
	servers.modern = await startModernTaskServer()
	servers['asking-legacy'] = await startLegacyTaskServer({ asks: true })
	servers['asking-modern'] = await startModernTaskServer({ asks: true })
	for (const [name, { url }] of Object.entries(servers)) ids[name] = await gateway.addServer(name, url)
})
beforeEach(async () => {
	agents += 1
	agent = await gateway.addAgent(`Rosa ${agents}`)
	for (const id of Object.values(ids)) await gateway.grant(agent.id, id, ['work', 'plain'])
	gateway.rows.length = 0
})
afterAll(async () => {
	await gateway?.close()
	for (const server of Object.values(servers)) await server.close()
})

const openClient = (era: Era, path: string, by = agent, capabilities: object = {}) =>
	openTaskClient(era, `${gateway.url}${path}`, by.key, capabilities)

/** Resolves when the server has begun its own task. */
async function beginAt(client: TaskClient, far: Era, tool?: string): Promise<string> {
	const before = servers[far].calls
	const taskId = await client.begin(tool)
	await until(() => servers[far].calls > before, 10_000)
	return taskId
}

describe.each(pairs)('a task of a $client client at a $server server', ({ client: era, server: far }) => {
	it('is started, polled, ends with the result, and is recorded as one call', async () => {
		const client = await openClient(era, `/mcp/${far}`)
		const taskId = await beginAt(client, far)
		const now = async () => (await client.ask('tasks/get', { taskId })).result
		expect(await now()).toMatchObject({ taskId, status: 'working' })
		await servers[far].say('half of it')
		await until(async () => (await now()).statusMessage === 'half of it', 10_000)
		await servers[far].finish('done')
		expect((await client.outcome(taskId)).content).toEqual([{ type: 'text', text: 'done' }])
		await until(() => gateway.rows.some(({ kind }) => kind === 'tool_call'), 10_000)
		const calls = gateway.rows.filter(({ kind }) => kind === 'tool_call')
		expect(calls).toHaveLength(1)
		expect(calls[0]).toMatchObject({ status: 'ok', toolName: 'work', agentId: agent.id })
		const begun = gateway.rows.find(({ attributes }) => attributes.has('signalbox.task.id'))
		expect(begun).toMatchObject({ kind: 'mcp', mcpMethod: 'tools/call', traceId: calls[0]?.traceId })
	})

	it("is visible to no other agent, nor under the server's own id", async () => {
		const client = await openClient(era, `/mcp/${far}`)
		const taskId = await beginAt(client, far)
		const stranger = await gateway.addAgent(`Stranger ${era} ${far}`)
		await gateway.grant(stranger.id, ids[far] ?? '', ['work'])
		const other = await openClient(era, `/mcp/${far}`, stranger)
		for (const method of ['tasks/get', 'tasks/cancel'])
			expect((await other.ask(method, { taskId })).error.code).toBe(-32602)
		const elsewhere = await openClient(era, `/mcp/${far === 'legacy' ? 'modern' : 'legacy'}`)
		expect((await elsewhere.ask('tasks/get', { taskId })).error.code).toBe(-32602)
		const aggregate = await openClient(era, '/mcp')
		expect((await aggregate.ask('tasks/get', { taskId })).result.taskId).toBe(taskId)
		await client.ask('tasks/cancel', { taskId })
	})

	it('is cancelled, also at its server', async () => {
		const client = await openClient(era, `/mcp/${far}`)
		const taskId = await beginAt(client, far)
		await client.ask('tasks/cancel', { taskId })
		expect((await client.ask('tasks/get', { taskId })).result.status).toBe('cancelled')
		if (far === 'modern') await until(() => servers.modern.cancelled.length > 0, 10_000)
		servers.modern.cancelled.length = 0
		if (era === 'legacy') expect((await client.ask('tasks/cancel', { taskId })).error.code).toBe(-32602)
	})

	it('ends when the access is revoked', async () => {
		const client = await openClient(era, `/mcp/${far}`)
		const taskId = await beginAt(client, far)
		const listed = async () => JSON.stringify((await client.ask('tasks/list', {})).result?.tasks ?? [])
		expect((await listed()).includes(taskId)).toBe(era === 'legacy')
		await gateway.manage('DELETE', `/v1/mcp/servers/${ids[far]}/access/${agent.id}`)
		expect(await listed()).not.toContain(taskId)
		expect((await client.ask('tasks/get', { taskId })).error.data.code).toBe('tool_not_granted')
		await until(() => gateway.rows.some(({ errorType }) => errorType === 'tool_not_granted'), 10_000)
	})
})

describe('input requests of a task', () => {
	it.each(eras)(
		'of a %s server reach a stock client of 2025-11-25 that waits for the result',
		async (far) => {
			const client = new Client(
				{ name: 'stock', version: '1' },
				{ capabilities: { elicitation: { form: {} } } },
			)
			const related: unknown[] = []
			client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
				related.push(params._meta?.['io.modelcontextprotocol/related-task'])
				return { action: 'accept' as const, content: { name: 'Rosa' } }
			})
			const requestInit = { headers: { authorization: `Bearer ${agent.key}` } }
			const url = new URL(`${gateway.url}/mcp/asking-${far}`)
			await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as never)
			const task = { ttl: 60_000 }
			const heard: Record<string, unknown> = {}
			for await (const message of client.experimental.tasks.callToolStream({ name: 'work' }, undefined, {
				task,
			}))
				heard[message.type] = message
			await client.close()
			expect(heard).toMatchObject({ result: { result: { content: [{ text: 'Hello Rosa' }] } } })
			const { taskId } = (heard.taskCreated as { task: { taskId: string } }).task
			expect(related).toEqual([{ taskId }])
		},
	)

	it.each(eras)('of a %s server reach a modern client, which answers with `tasks/update`', async (far) => {
		const client = await openClient('modern', `/mcp/asking-${far}`, agent, { elicitation: { form: {} } })
		const taskId = await client.begin()
		let task = (await client.ask('tasks/get', { taskId })).result
		await until(async () => {
			task = (await client.ask('tasks/get', { taskId })).result
			return task.status === 'input_required'
		}, 10_000)
		const [key = ''] = Object.keys(task.inputRequests)
		expect(task.inputRequests[key]).toMatchObject({
			method: 'elicitation/create',
			params: { message: 'Who?' },
		})
		const answer = { action: 'accept', content: { name: 'Rosa' } }
		const inputResponses = { [key]: answer, 'never-asked': answer }
		expect((await client.ask('tasks/update', { taskId, inputResponses })).result).toEqual({
			resultType: 'complete',
		})
		expect((await client.outcome(taskId)).content[0].text).toBe('Hello Rosa')
	})
})

describe('a request about tasks', () => {
	it('is refused to a modern client that does not declare them', async () => {
		const wire = newWireClient(`${gateway.url}/mcp/modern`, agent.key)
		const { body } = await wire.modern('tasks/get', { taskId: 'x' }, { 'mcp-name': 'x' })
		expect(body.error).toMatchObject({
			code: -32021,
			data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
		})
		const called = await wire.modern('tools/call', { name: 'work', arguments: {} })
		expect(called.body.error.code).toBe(-32021)
		expect(
			(await wire.modern('tools/call', { name: 'plain', arguments: {} })).body.result.content,
		).toHaveLength(1)
	})

	it('is refused for a tool of a legacy server without tasks', async () => {
		const client = await openClient('legacy', '/mcp/legacy')
		const { error } = await client.ask('tools/call', { name: 'plain', arguments: {}, task: {} })
		expect(error.code).toBe(-32601)
	})

	it('is announced by each endpoint in the form of the era', async () => {
		const wire = newWireClient(`${gateway.url}/mcp`, agent.key)
		const { result } = (await wire.modern('server/discover')).body
		expect(result.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} })
		expect((await wire.initialize('2025-11-25')).body.result.capabilities.tasks).toEqual({
			...{ list: {}, cancel: {} },
			requests: { tools: { call: {} } },
		})
		expect((await wire.initialize('2025-06-18')).body.result.capabilities.tasks).toBeUndefined()
	})

	it("lists the caller's own tasks, newest first", async () => {
		const client = await openClient('legacy', '/mcp')
		const first = await beginAt(client, 'legacy', 'legacy__work')
		const second = await beginAt(client, 'modern', 'modern__work')
		const { tasks } = (await client.ask('tasks/list', {})).result
		expect(tasks.map(({ taskId }: { taskId: string }) => taskId)).toEqual([second, first])
		for (const cursor of [null, ''])
			expect((await client.ask('tasks/list', { cursor })).result.tasks).toHaveLength(2)
		expect((await client.ask('tasks/list', { cursor: 'no' })).error.code).toBe(-32602)
		for (const taskId of [first, second]) await client.ask('tasks/cancel', { taskId })
	})
})

describe('a modern client that listens', () => {
	it('is notified of its own tasks, and must have declared the extension', async () => {
		const client = await openClient('modern', '/mcp/modern')
		const taskId = await beginAt(client, 'modern')
		const notifications = { taskIds: [taskId, 'somebody-elses'] }
		const refused = await client.wire.modern('subscriptions/listen', { notifications })
		expect(refused.body.error.code).toBe(-32021)
		const stream = await listen(notifications)
		await until(() => stream.text.includes('"status":"working"'), 10_000)
		expect(stream.text).toContain(`"notifications":{"taskIds":["${taskId}"]}`)
		await servers.modern.finish('heard')
		await until(() => stream.text.includes('"status":"completed"'), 10_000)
		expect(stream.text).toContain('"method":"notifications/tasks"')
		stream.end()
	})
})

/** Reads a stream of 2026-07-28 as it arrives. */
async function listen(notifications: object): Promise<{ text: string; end(): void }> {
	const method = 'subscriptions/listen'
	const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', ...declaresTasks }
	const ending = new AbortController()
	const response = await fetch(`${gateway.url}/mcp/modern`, {
		method: 'POST',
		headers: {
			...{ authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' },
			...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, accept: 'text/event-stream' },
		},
		body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta } }),
		signal: ending.signal,
	})
	const stream = { text: '', end: () => ending.abort() }
	void (async () => {
		for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
			stream.text += Buffer.from(chunk).toString()
	})().catch(() => {})
	return stream
}

describe('the limits of calls', () => {
	it('count a task from its beginning to its end', async () => {
		await gateway.manage('PATCH', `/v1/agents/${agent.id}`, {
			call_limits: { calls_per_minute: null, concurrency: 1 },
		})
		const client = await openClient('legacy', '/mcp/legacy')
		const taskId = await beginAt(client, 'legacy')
		const call = () => client.ask('tools/call', { name: 'work', arguments: {}, task: {} })
		expect((await call()).error.data.code).toBe('concurrency_limited')
		await client.ask('tasks/cancel', { taskId })
		await until(async () => (await call()).result !== undefined, 10_000)
	})
})

it.each(eras)(
	'a server that names its task by no text is told so, since no other value could be sent back (%s)',
	async (era) => {
		servers.modern.oddId = 1.5
		const client = await openClient(era, '/mcp/modern')
		const wish = era === 'legacy' ? { task: { ttl: 60_000 } } : {}
		const answer = await client.ask('tools/call', { name: 'work', arguments: {}, ...wish })
		const error = answer.error ?? (await client.outcome(answer.result.task.taskId))
		delete servers.modern.oddId
		expect(error).toMatchObject({ message: expect.stringContaining('a task whose `taskId` is no text') })
	},
)

describe('a restart', () => {
	it('ends a call that reached its server and left no task there; it is never sent again', async () => {
		await gateway.manage('PATCH', `/v1/mcp/servers/${ids.modern}/access/${agent.id}`, {
			allowed_tools: ['hang'],
		})
		const client = await openClient('legacy', '/mcp/modern')
		const taskId = await client.begin('hang')
		await until(() => servers.modern.called.includes('hang'), 10_000)
		await gateway.restart()
		expect((await client.outcome(taskId)).data.code).toBe('interrupted')
		expect(servers.modern.called.filter((name) => name === 'hang')).toHaveLength(1)
	})

	it('continues with the task of a server, which counts against its limits as before', async () => {
		const call_limits = { calls_per_minute: null, concurrency: 1 }
		await gateway.manage('PATCH', `/v1/agents/${agent.id}`, { call_limits })
		const client = await openClient('legacy', '/mcp/modern')
		const taskId = await beginAt(client, 'modern')
		const { calls, asked } = servers.modern
		// Until then only the server has the id of its task.
		await until(() => servers.modern.asked > asked, 10_000)
		await gateway.restart()
		const other = () => client.ask('tools/call', { name: 'plain', arguments: {} })
		await until(async () => (await other()).error?.data.code === 'concurrency_limited', 10_000)
		await servers.modern.finish('after')
		expect((await client.outcome(taskId)).content[0].text).toBe('after')
		expect(servers.modern.calls).toBe(calls)
		await until(async () => (await other()).result !== undefined, 10_000)
	})

	it('continues with the same tool, also if its name has become that of another one', async () => {
		const client = await openClient('legacy', '/mcp')
		const server = `/v1/mcp/servers/${ids.modern}`
		const aliasOf = (tool_aliases: object) => gateway.manage('PATCH', server, { tool_aliases })
		await aliasOf({ work: 'busy' })
		const before = servers.modern.calls
		const taskId = await client.begin('busy')
		await until(() => servers.modern.calls > before, 10_000)
		const { asked } = servers.modern
		await until(() => servers.modern.asked > asked, 10_000)
		await aliasOf({ plain: 'busy' })
		await gateway.restart()
		await servers.modern.finish('as before')
		expect((await client.outcome(taskId)).content?.[0].text).toBe('as before')
		const done = () => gateway.rows.filter(({ kind, status }) => kind === 'tool_call' && status === 'ok')
		await until(() => done().length > 0, 10_000)
		expect(done().map(({ toolName }) => toolName)).toEqual(['work'])
		await aliasOf({})
	})
})
