import { describe, expect, it } from 'vitest'
import { openTestSqlite } from '../../platform/database/testing.ts'
import { createLog } from '../../platform/log.ts'
import { canary } from './testing/proxy-stage.ts'
import { startProxy } from './testing/start-proxy.ts'
import { startMockProvider } from './testing.ts'

describe('a model proxy under adverse conditions', () => {
	it('refuses before anything happens when the telemetry log is full', async () => {
		const database = await openTestSqlite()
		const mock = await startMockProvider()
		const lines: string[] = []
		const log = createLog('warn', { write: (line) => void lines.push(line) })
		const proxy = await startProxy(database.store, { recorderMaxBytes: 1, log })
		const { secret } = await proxy.addKey(await proxy.addWorkspace())
		await proxy.api(secret, 'POST', '/v1/provider-keys', {
			name: 'gpt',
			provider: 'openai',
			key: canary,
			base_url: mock.url,
		})
		const answer = await proxy.api(secret, 'POST', '/proxy/gpt/v1/chat/completions', { model: 'm' })
		expect(answer).toMatchObject({ status: 503, json: { error: { code: 'recorder_full' } } })
		expect(mock.requests).toHaveLength(0)
		expect(lines.filter((line) => line.includes('refusal not recorded'))).toEqual([])
		await proxy.close()
		await mock.close()
		await database.end()
	})

	it('calls no address that the instance forbids, even when a connection to it is stored', async () => {
		const database = await openTestSqlite()
		const mock = await startMockProvider()
		const proxy = await startProxy(database.store, { loopbackAllowed: false })
		const workspaceId = await proxy.addWorkspace()
		const { secret } = await proxy.addKey(workspaceId)
		const create = (base_url: string) =>
			proxy.api(secret, 'POST', '/v1/provider-keys', {
				name: 'gpt',
				provider: 'openai',
				key: canary,
				base_url,
			})
		expect(await create(mock.url)).toMatchObject({ status: 403, json: { code: 'blocked_address' } })
		// A host name is checked only when it is connected to.
		const port = new URL(mock.url).port
		const made = await create(`http://localhost:${port}`)
		if (made.status === 201) {
			const answer = await proxy.api(secret, 'POST', '/proxy/gpt/v1/chat/completions', { model: 'm' })
			expect(answer).toMatchObject({ status: 403, json: { error: { code: 'blocked_address' } } })
		} else expect(made.json.code).toBe('blocked_address')
		expect(mock.requests).toHaveLength(0)
		await proxy.close()
		await mock.close()
		await database.end()
	})
})
