import { describe, expect, it } from 'vitest'
import { newWireClient, until } from '../testing-client.ts'
import { useCallStage } from '../testing-stage.ts'
import { sendEvents, sendText } from '../testing-upstream.ts'

const stage = useCallStage()
const runs = () => {
	stage.answer = ({ id }, response) => sendText(response, id, 'ran')
}
const call = () => stage.client.request('tools/call', { name: 'run', arguments: {} })
const set = (path: string, call_limits: unknown) => stage.gateway.manage('PATCH', path, { call_limits })
const agentPath = () => `/v1/agents/${stage.agent.id}`
const serverPath = () => `/v1/mcp/servers/${stage.serverId}`
const grantPath = () => `${serverPath()}/access/${stage.agent.id}`
const two = { calls_per_minute: 2, concurrency: null }
const alone = { calls_per_minute: null, concurrency: 1 }

describe('calls per minute', () => {
	const places: Record<string, { put: () => Promise<unknown>; take: () => Promise<unknown>; of: string }> = {
		'of the agent': { put: () => set(agentPath(), two), take: () => set(agentPath(), null), of: 'The agent' },
		'of the server': {
			put: () => set(serverPath(), { '*': two }),
			take: () => set(serverPath(), {}),
			of: 'The server Tools may',
		},
		'of a tool of the server': {
			put: () => set(serverPath(), { run: two }),
			take: () => set(serverPath(), {}),
			of: 'The tool run may',
		},
		'of the grant': {
			put: () => set(grantPath(), { '*': two }),
			take: () => set(grantPath(), {}),
			of: 'The server Tools by',
		},
		'of a tool of the grant': {
			put: () => set(grantPath(), { run: two }),
			take: () => set(grantPath(), {}),
			of: 'The tool run by',
		},
	}
	it.each(Object.keys(places))('are limited by that %s, and recorded as denied', async (name) => {
		const place = places[name] as (typeof places)[string]
		runs()
		await place.put()
		const before = stage.upstream.calls().length
		const answers = [await call(), await call(), await call()]
		await place.take()
		expect(answers.map(({ body }) => body.result !== undefined)).toEqual([true, true, false])
		const { error } = answers.at(-1)?.body ?? {}
		expect(error.data).toMatchObject({ code: 'calls_limited', limit: 2, tool: 'run' })
		expect(error.data.retry_after_ms).toBeGreaterThan(20_000)
		expect(error.message).toContain(place.of)
		expect(stage.upstream.calls()).toHaveLength(before + 2)
		expect(stage.lastRow()).toMatchObject({ status: 'denied', errorType: 'calls_limited' })
		expect((await call()).body.result).toBeDefined()
	})

	it('answer HTTP 429 to a client of 2026-07-28, and 200 to older ones', async () => {
		runs()
		await set(agentPath(), { ...two, calls_per_minute: 1 })
		expect((await call()).status).toBe(200)
		expect((await call()).status).toBe(200)
		const modern = newWireClient(`${stage.gateway.url}/mcp/tools`, stage.agent.key)
		expect((await modern.modern('tools/call', { name: 'run' })).status).toBe(429)
	})

	it('are counted for each agent separately', async () => {
		runs()
		await set(agentPath(), { ...two, calls_per_minute: 1 })
		await call()
		expect((await call()).body.error).toBeDefined()
		const other = await stage.gateway.addAgent('Not limited')
		await stage.gateway.grant(other.id, stage.serverId, ['run'])
		const client = newWireClient(`${stage.gateway.url}/mcp/tools`, other.key)
		expect((await client.modern('tools/call', { name: 'run' })).body.result).toBeDefined()
	})
})

describe('concurrent calls', () => {
	it('are limited, and free their slot however they end', async () => {
		const answers: (() => void)[] = []
		stage.answer = ({ id }, response) => answers.push(() => sendText(response, id, 'ran'))
		await set(agentPath(), alone)
		const first = call()
		await until(() => answers.length === 1, 2000)
		const second = await stage.client.request('tools/call', { name: 'run' }, 2)
		expect(second.body.error).toMatchObject({ data: { code: 'concurrency_limited', limit: 1 } })
		answers[0]?.()
		expect((await first).body.result).toBeDefined()
		const gone = new AbortController()
		const cut = stage.call({}, gone.signal).catch(() => null)
		await until(() => answers.length === 2, 2000)
		gone.abort()
		await cut
		runs()
		await until(async () => (await call()).body.result !== undefined, 2000)
	})

	it('end no call that was at its server before the limit was set', async () => {
		// From then on the session with the server is open, and calls are plain.
		runs()
		await call()
		const waiting: { tell(): void; answer(): void }[] = []
		stage.answer = ({ id, params }, response) => {
			const { progressToken } = params._meta as { progressToken?: number }
			waiting.push({
				// The message before the answer makes an operation of a plain call.
				tell: () =>
					sendEvents(response, { method: 'notifications/progress', params: { progressToken, progress: 1 } }),
				answer: () => sendEvents(response, { id, result: {} }),
			})
		}
		const running = [stage.call({ progressToken: 'p' }), stage.call({ progressToken: 'p' })]
		await until(() => waiting.length === 2, 2000)
		await set(agentPath(), alone)
		for (const { tell } of waiting) tell()
		await new Promise((resolve) => setTimeout(resolve, 100))
		for (const { answer } of waiting) answer()
		for (const { body } of await Promise.all(running)) expect(body.result).toEqual({})
	})
})
