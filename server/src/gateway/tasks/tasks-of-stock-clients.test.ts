import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, TaskStatusNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, until } from '../testing-client.ts'
import { startLegacyTaskServer, type TaskServer } from './testing-servers.ts'

let gateway: TestGateway
let server: TaskServer
let serverId: string
let agent: TestAgent
let agents = 0
beforeAll(async () => {
	gateway = await openTestGateway()
	server = await startLegacyTaskServer()
	serverId = await gateway.addServer('Far', server.url)
})
beforeEach(async () => {
	agents += 1
	agent = await gateway.addAgent(`Rosa ${agents}`)
	await gateway.grant(agent.id, serverId, ['plain', 'work'])
})
afterAll(async () => {
	await gateway?.close()
	await server?.close()
})

const askFor = (approval: object) =>
	gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agent.id}`, { approval })
const approve = async () => {
	const path = `/v1/approvals?status=pending&agent_uuid=${agent.id}`
	let id: string | undefined
	await until(async () => {
		id = (await gateway.manage('GET', path)).approvals[0]?.id
		return id !== undefined
	}, 10_000)
	await gateway.manage('POST', `/v1/approvals/${id}/approve`, {})
}
async function openStock(path: string): Promise<Client> {
	const client = new Client({ name: 'stock', version: '1' })
	const requestInit = { headers: { authorization: `Bearer ${agent.key}` } }
	const url = new URL(`${gateway.url}${path}`)
	await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as never)
	return client
}

describe('a tool whose calls wait for a person', () => {
	const supportAt = async (path: string, revision: string, name: string) => {
		const wire = newWireClient(`${gateway.url}${path}`, agent.key)
		if (revision !== '2026-07-28') await wire.initialize(revision)
		const ask = revision === '2026-07-28' ? wire.modern : wire.request
		const { tools } = (await ask('tools/list')).body.result
		return tools.find((tool: { name: string }) => tool.name === name).execution?.taskSupport
	}

	it('is marked as a possible task for clients that choose, and for no others', async () => {
		const own = await supportAt('/mcp/far', '2025-06-18', 'plain')
		expect(await supportAt('/mcp/far', '2025-11-25', 'plain')).toBe(own)
		await askFor({ plain: 'ask' })
		expect(await supportAt('/mcp/far', '2025-11-25', 'plain')).toBe('optional')
		expect(await supportAt('/mcp', '2025-11-25', 'far__plain')).toBe('optional')
		expect(await supportAt('/mcp/far', '2025-06-18', 'plain')).toBe(own)
		expect(await supportAt('/mcp/far', '2026-07-28', 'plain')).toBe(own)
		await askFor({})
		expect(await supportAt('/mcp/far', '2025-11-25', 'plain')).toBe(own)
	})

	it('becomes a task for a stock client that does not know about tasks', async () => {
		await askFor({ plain: 'ask' })
		const client = await openStock('/mcp/far')
		await client.listTools()
		const heard: string[] = []
		const approved = approve()
		for await (const message of client.experimental.tasks.callToolStream({ name: 'plain', arguments: {} }))
			heard.push(message.type)
		await approved
		await client.close()
		expect(heard[0]).toBe('taskCreated')
		expect(heard.at(-1)).toBe('result')
	})
})

describe('a task of a client of 2025-11-25', () => {
	it('is reported on the stream of its session, and on no other', async () => {
		const client = await openStock('/mcp/far')
		const other = await openStock('/mcp/far')
		const heard: unknown[] = []
		const overheard: unknown[] = []
		client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void heard.push(params))
		other.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void overheard.push(params))
		const calls = server.calls
		const stream = client.experimental.tasks.callToolStream({ name: 'work', arguments: {} }, undefined, {
			task: { ttl: 60_000 },
		})
		const first = (await stream.next()).value as { task: { taskId: string } }
		await until(() => server.calls > calls, 10_000)
		await server.finish('done')
		await until(() => heard.some((params) => (params as { status: string }).status === 'completed'), 10_000)
		expect(heard.at(-1)).toMatchObject({ taskId: first.task.taskId, status: 'completed', ttl: 60_000 })
		expect(overheard).toEqual([])
		await client.close()
		await other.close()
	})
})

it('a long result of a task is returned piece by piece', async () => {
	const whole = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join('\n')
	await gateway.manage('PATCH', `/v1/mcp/servers/${serverId}`, { max_result_bytes: 4096 })
	const client = await openStock('/mcp/far')
	const calls = server.calls
	const stream = client.experimental.tasks.callToolStream({ name: 'work', arguments: {} }, undefined, {
		task: { ttl: 60_000 },
	})
	const first = (await stream.next()).value as { task: { taskId: string } }
	await until(() => server.calls > calls, 10_000)
	await server.finish(whole)
	const texts = async (asked: Promise<unknown>) =>
		((await asked) as { content: { text: string }[] }).content.map(({ text }) => text)
	let [read = '', end] = await texts(
		client.experimental.tasks.getTaskResult(first.task.taskId, CallToolResultSchema),
	)
	expect(Buffer.byteLength(read)).toBeLessThanOrEqual(4096)
	while (end) {
		const reference = /"reference":"([^"]+)"/.exec(end)?.[1]
		const [more = '', next] = await texts(client.callTool({ name: 'read_more', arguments: { reference } }))
		read += more
		end = next
	}
	expect(read).toBe(whole)
	await client.close()
})
