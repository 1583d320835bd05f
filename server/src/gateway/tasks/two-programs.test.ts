import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ControlStore } from '../../platform/database/database.ts'
import { openPostgres } from '../../platform/database/open-control-store.ts'
import { openTestPostgres } from '../../platform/database/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, until } from '../testing-client.ts'
import { startModernTaskServer, type TaskServer } from './testing-servers.ts'

const extensions = { 'io.modelcontextprotocol/tasks': {} }
const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions, elicitation: { form: {} } } }

describe('a task of one program on a database', () => {
	let database: Awaited<ReturnType<typeof openTestPostgres>>
	let secondStore: ControlStore
	let first: TestGateway
	let second: TestGateway
	let server: TaskServer
	let agent: TestAgent
	beforeAll(async () => {
		const masterKey = randomBytes(32)
		database = await openTestPostgres()
		secondStore = await openPostgres(database.url, silentLog)
		first = await openTestGatewayOn(database.store, {}, undefined, { masterKey })
		second = await openTestGatewayOn(secondStore, {}, undefined, { masterKey, withoutOwner: true })
		server = await startModernTaskServer({ asks: true })
		agent = await first.addAgent('Rosa')
		await first.grant(agent.id, await first.addServer('Far', server.url), ['work'])
		await second.feed.catchUp()
	})
	afterAll(async () => {
		await second?.close()
		await first?.close()
		await secondStore?.close()
		await database?.end()
		await server?.close()
	})

	const ask = async (at: TestGateway, method: string, params: Record<string, unknown>) => {
		const name = String(params.taskId ?? params.name)
		const wire = newWireClient(`${at.url}/mcp/far`, agent.key)
		return (await wire.modern(method, params, { 'mcp-name': name }, meta)).body.result
	}
	const begin = async () => (await ask(first, 'tools/call', { name: 'work', arguments: {} })).taskId as string
	const statusBecomes = (at: TestGateway, taskId: string, status: string) =>
		until(async () => (await ask(at, 'tasks/get', { taskId })).status === status, 10_000)

	it('is polled, answered and finished at another one', async () => {
		const taskId = await begin()
		await statusBecomes(second, taskId, 'input_required')
		const [key = ''] = Object.keys((await ask(second, 'tasks/get', { taskId })).inputRequests)
		const answer = { action: 'accept', content: { name: 'Rosa' } }
		await ask(second, 'tasks/update', { taskId, inputResponses: { [key]: answer } })
		await statusBecomes(second, taskId, 'completed')
		const { result } = await ask(second, 'tasks/get', { taskId })
		expect(result.content[0].text).toBe('Hello Rosa')
	})

	it('is cancelled at another one, and at its server', async () => {
		const taskId = await begin()
		await statusBecomes(second, taskId, 'input_required')
		await ask(second, 'tasks/cancel', { taskId })
		await until(() => server.cancelled.length > 0, 10_000)
	})
})
