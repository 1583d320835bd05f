import { afterAll, beforeAll, expect, it } from 'vitest'
import { canary } from '../testing/proxy-stage.ts'
import { until } from '../testing/start-proxy.ts'
import { stageContents } from './stage.testing.ts'

let stage: Awaited<ReturnType<typeof stageContents>>
beforeAll(async () => {
	stage = await stageContents()
})
afterAll(() => stage.end())

it('the messages of calls after an erasure, and beside one, are whole when they say the same again', async () => {
	const { proxy, mock } = stage
	const workspaceId = await proxy.addWorkspace()
	const key = (await proxy.addKey(workspaceId)).secret
	const connection = { name: 'gpt', provider: 'openai', base_url: mock.url, key: canary }
	await proxy.api(key, 'POST', '/v1/provider-keys', connection)
	const same = { role: 'user', content: `the same ${'words '.repeat(20)}` }
	const long = { role: 'user', content: 'x y '.repeat(5000) }
	const send = async (session: string, ...messages: object[]) => {
		const before = proxy.recorded.length
		const response = await fetch(`${proxy.url}/proxy/gpt/v1/chat/completions`, {
			method: 'POST',
			headers: { authorization: `Bearer ${key}`, 'x-signalbox-session-id': session },
			body: JSON.stringify({ model: 'gpt-5.6-sol', messages: [same, ...messages] }),
		})
		await response.text()
		await until(() => proxy.recorded.length > before)
		return proxy.recorded[before] as { traceId: string; spanId: string }
	}
	const read = ({ traceId, spanId }: { traceId: string; spanId: string }) =>
		proxy.api(key, 'GET', `/v1/telemetry/traces/${traceId}/spans/${spanId}/messages`)
	const textsOf = async (row: { traceId: string; spanId: string }) => {
		await expect.poll(async () => (await read(row)).status, { timeout: 10_000 }).toBe(200)
		return (await read(row)).json.messages.map(({ text }: { text: string | null }) => text)
	}
	const erased = [await send('erased'), await send('erased', long)]
	for (const row of erased) expect(await textsOf(row)).not.toContain(null)
	await proxy.eraseSession(workspaceId, 'erased')
	const between = await send('kept')
	await proxy.applyErasures()
	for (const row of erased) expect((await read(row)).status).toBe(404)
	const after = await send('kept', long)
	for (const row of [between, after]) expect(await textsOf(row)).not.toContain(null)
})
