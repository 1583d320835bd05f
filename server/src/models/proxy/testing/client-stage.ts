import { afterAll, beforeAll } from 'vitest'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import { type MockProvider, startMockProvider } from '../testing.ts'
import { type ProxyUnderTest, startProxy, until } from './start-proxy.ts'

/** A proxy in front of the mock, for an official client: two agents of one workspace, and helpers to create connections. */
export interface ClientStage {
	mock: MockProvider
	proxy: ProxyUnderTest
	/** The platform key. */
	key: string
	agent: Awaited<ReturnType<ProxyUnderTest['addAgent']>>
	other: Awaited<ReturnType<ProxyUnderTest['addAgent']>>
	connect(body: object): ReturnType<ProxyUnderTest['api']>
	/** The record of the one call that `work` makes. */
	recordOf(work: () => Promise<unknown>): Promise<SpanRow>
}

/** Sets up the stage for the tests of a file; `fill` creates its connections. */
export function useClientStage(fill: (stage: ClientStage) => Promise<unknown>): ClientStage {
	const stage = {} as ClientStage
	let end: () => Promise<void>
	beforeAll(async () => {
		const database = await openTestSqlite()
		const mock = await startMockProvider()
		const proxy = await startProxy(database.store)
		end = async () => {
			await proxy.close()
			await mock.close()
			await database.end()
		}
		const workspaceId = await proxy.addWorkspace()
		const { secret: key } = await proxy.addKey(workspaceId)
		const agent = await proxy.addAgent(workspaceId, 'tester')
		const other = await proxy.addAgent(workspaceId, 'other')
		const connect = (body: object) => proxy.api(key, 'POST', '/v1/provider-keys', body)
		Object.assign(stage, { mock, proxy, key, agent, other, connect, recordOf })
		await fill(stage)
	})
	afterAll(() => end?.())

	async function recordOf(work: () => Promise<unknown>): Promise<SpanRow> {
		const { proxy } = stage
		await proxy.settled()
		const before = proxy.recorded.length
		await work()
		await until(() => proxy.recorded.length > before)
		await proxy.settled()
		return proxy.recorded[before] as SpanRow
	}
	return stage
}
