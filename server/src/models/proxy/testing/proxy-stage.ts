import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import { type MockProvider, readAnswer, startMockProvider } from '../testing.ts'
import { type ProxyUnderTest, startProxy, until } from './start-proxy.ts'

/** The provider key that every connection of the stage stores. It must appear only at the provider. */
export const canary = 'sk-canary-0a1b2c3d-do-not-show'

export interface Answer {
	status: number
	text: string
	/** Whether the connection was cut before the end. */
	isCut: boolean
	/** Null if the answer is not a JSON object. */
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer has.
	json: any
	headers: Headers
}

/**
 * One workspace with a platform key, an agent, the connections `gpt` and `claude` to the mock provider, and `dead-gpt` and
 * `dead-claude` to an unreachable address.
 */
export interface ProxyStage {
	mock: MockProvider
	proxy: ProxyUnderTest
	key: string
	agent: Awaited<ReturnType<ProxyUnderTest['addAgent']>>
	send(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<Answer>
	/** The headers of a caller with the platform key. */
	byKey(): { authorization: string }
	/** The first record of a call that `work` makes. */
	lastRecord(work: () => Promise<unknown>): Promise<SpanRow | undefined>
	/** Fails unless every call so far was stored once, with a unique id, and none with the canary. */
	expectSoundRecords(): Promise<void>
}

/** Sets up the stage for the tests of a file. Calls may have bodies of up to 100,000 bytes. */
export function useProxyStage(): ProxyStage {
	const stage = { send, byKey, lastRecord, expectSoundRecords } as ProxyStage
	let end: () => Promise<void>
	beforeAll(async () => {
		end = await fillStage(stage)
	})
	afterAll(() => end?.())
	beforeEach(() => {
		stage.mock.intercept = null
		stage.mock.requests.length = 0
	})

	async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
		const init = { method, headers, ...(body !== undefined && { body }) }
		const response = await fetch(stage.proxy.url + path, init)
		const { text, isCut } = await readAnswer(response)
		const json = text.startsWith('{') ? JSON.parse(text) : null
		return { status: response.status, text, isCut, json, headers: response.headers }
	}
	function byKey() {
		return { authorization: `Bearer ${stage.key}` }
	}
	async function lastRecord(work: () => Promise<unknown>) {
		const { proxy } = stage
		await proxy.settled()
		const before = proxy.recorded.length
		await work()
		await until(() => proxy.recorded.length > before)
		return proxy.recorded[before]
	}
	async function expectSoundRecords() {
		const { proxy } = stage
		await proxy.settled()
		await until(() => proxy.stored().length === proxy.recorded.length)
		const ids = proxy.stored().map((row) => `${row.traceId}-${row.spanId}`)
		expect(new Set(ids).size).toBe(ids.length)
		expect(ids).toHaveLength(proxy.recorded.length)
		expect(proxy.shipped()).not.toContain(canary)
	}
	return stage
}

/** Starts what the stage needs. Resolves with the function that stops it. */
async function fillStage(stage: ProxyStage): Promise<() => Promise<void>> {
	const database = await openTestSqlite()
	const mock = await startMockProvider()
	const proxy = await startProxy(database.store, { bodyLimitBytes: 100_000 })
	const workspaceId = await proxy.addWorkspace()
	const { secret: key } = await proxy.addKey(workspaceId)
	const agent = await proxy.addAgent(workspaceId)
	const dead = 'http://127.0.0.1:9'
	for (const [name, provider, base_url] of [
		['gpt', 'openai', mock.url],
		['claude', 'anthropic', mock.url],
		['dead-gpt', 'openai', dead],
		['dead-claude', 'anthropic', dead],
	]) {
		await proxy.api(key, 'POST', '/v1/provider-keys', { name, provider, base_url, key: canary })
	}
	Object.assign(stage, { mock, proxy, key, agent })
	return async () => {
		await proxy.close()
		await mock.close()
		await database.end()
	}
}
