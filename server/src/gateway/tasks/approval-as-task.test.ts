import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithStore } from '../../platform/database/testing.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, until } from '../testing-client.ts'
import { type ScriptedUpstream, sendText, startScriptedUpstream } from '../testing-upstream.ts'
import { declaresTasks } from './testing-tasks.ts'

describeWithStore('a call that waits for a person', (store) => {
	let gateway: TestGateway
	let upstream: ScriptedUpstream
	let serverId: string
	let agent: TestAgent
	let agents = 0
	beforeAll(async () => {
		gateway = await openTestGatewayOn(store())
		upstream = await startScriptedUpstream(
			[{ name: 'run', inputSchema: { type: 'object' } }],
			({ id }, response) => sendText(response, id, 'ran'),
		)
		serverId = await gateway.addServer('Tools', upstream.url)
	})
	beforeEach(async () => {
		agents += 1
		agent = await gateway.addAgent(`Rosa ${agents}`)
		await gateway.grant(agent.id, serverId, ['run'])
		await askFor({})
	})
	afterAll(async () => {
		await gateway?.close()
		await upstream?.close()
	})

	const askFor = (change: object) =>
		gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agent.id}`, {
			approval: { run: 'ask' },
			...change,
		})
	const ran = () => upstream.calls().length
	const decide = async (verb: 'approve' | 'deny') => {
		let id: string | undefined
		await until(async () => {
			const path = `/v1/approvals?status=pending&agent_uuid=${agent.id}`
			id = (await gateway.manage('GET', path)).approvals[0]?.id
			return id !== undefined
		}, 10_000)
		await gateway.manage('POST', `/v1/approvals/${id}/${verb}`, {})
	}

	/** A call by one kind of client. `outcome` is the text of the result or the code of the refusal. */
	interface Waiting {
		outcome(): Promise<string>
	}
	type Kind =
		| 'a stock client with tasks (2025-11-25)'
		| 'a client with tasks (2026-07-28)'
		| 'a client without tasks'
	const begin: Record<Kind, () => Promise<Waiting>> = {
		'a stock client with tasks (2025-11-25)': async () => {
			const client = new Client1({ name: 'stock', version: '1' })
			const authorization = `Bearer ${agent.key}`
			const url = new URL(`${gateway.url}/mcp/tools`)
			await client.connect(new Transport1(url, { requestInit: { headers: { authorization } } }) as never)
			await client.listTools()
			const { tasks } = client.experimental
			let taskId = ''
			const stream = tasks.callToolStream({ name: 'run', arguments: {} }, undefined, {
				task: { ttl: 60_000 },
			})
			const outcome = (async () => {
				for await (const message of stream) {
					if (message.type === 'taskCreated') taskId = message.task.taskId
					if (message.type === 'result') return textOf(message.result)
					// The error says only that the task failed; the reason is in the task's result.
					if (message.type === 'error') return tasks.getTaskResult(taskId).then(textOf, codeOf)
				}
				return 'nothing'
			})().finally(() => client.close())
			await until(() => taskId !== '', 10_000)
			return { outcome: () => outcome }
		},
		'a client with tasks (2026-07-28)': async () => {
			const client = newWireClient(`${gateway.url}/mcp/tools`, agent.key)
			const created = await client.modern('tools/call', { name: 'run', arguments: {} }, {}, declaresTasks)
			expect(created.body.result).toMatchObject({ resultType: 'task', status: 'working' })
			const { taskId } = created.body.result
			const get = () => client.modern('tasks/get', { taskId }, { 'mcp-name': taskId }, declaresTasks)
			return {
				outcome: async () => {
					let task = (await get()).body.result
					await until(async () => {
						task = (await get()).body.result
						return task.status !== 'working'
					}, 10_000)
					return task.result ? textOf(task.result) : codeOf(task.error)
				},
			}
		},
		'a client without tasks': async () => {
			const client = newWireClient(`${gateway.url}/mcp/tools`, agent.key)
			const call = () => client.modern('tools/call', { name: 'run', arguments: {} })
			const first = call()
			return {
				outcome: async () => {
					// This client continues after a restart by sending the call again.
					let { body } = await first
					if (body.error?.data.code === 'program_ended') body = (await call()).body
					return body.result ? textOf(body.result) : codeOf(body.error)
				},
			}
		},
	}

	it.each(Object.keys(begin) as Kind[])('is approved: %s', async (kind) => {
		const before = ran()
		const waiting = await begin[kind]()
		await decide('approve')
		expect(await waiting.outcome()).toBe('ran')
		expect(ran()).toBe(before + 1)
	})

	it.each(Object.keys(begin) as Kind[])('is denied: %s', async (kind) => {
		const before = ran()
		const waiting = await begin[kind]()
		await decide('deny')
		expect(await waiting.outcome()).toBe('approval_denied')
		expect(ran()).toBe(before)
	})

	it.each(Object.keys(begin) as Kind[])('is decided too late: %s', async (kind) => {
		await askFor({ approval_wait_ms: 50 })
		const before = ran()
		const waiting = await begin[kind]()
		expect(await waiting.outcome()).toBe('approval_pending')
		expect(ran()).toBe(before)
	})

	it.each((Object.keys(begin) as Kind[]).filter((kind) => kind !== 'a client without tasks'))(
		'outlives a restart: %s',
		async (kind) => {
			const before = ran()
			const waiting = await begin[kind]()
			await gateway.restart()
			await decide('approve')
			expect(await waiting.outcome()).toBe('ran')
			expect(ran()).toBe(before + 1)
		},
	)
})

function textOf(result: unknown): string {
	return (result as { content: { text: string }[] }).content[0]?.text ?? ''
}

function codeOf(error: unknown): string {
	return (error as { data?: { code?: string } }).data?.code ?? String(error)
}
