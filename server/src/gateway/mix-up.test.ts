import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './testing.ts'
import { newWireClient, type WireAnswer } from './testing-client.ts'
import { type ScriptedUpstream, sendEvents, startScriptedUpstream } from './testing-upstream.ts'

// Regression test for CVE-2026-25536: the TypeScript SDK shared one transport between clients and answered the wrong one.

let gateway: TestGateway
let upstream: ScriptedUpstream

beforeAll(async () => {
	gateway = await openTestGateway()
	// Answers out of order, each after its own notification, all in the gateway's one session with the server.
	upstream = await startScriptedUpstream([{ name: 'say', inputSchema: {} }], ({ id, params }, response) => {
		const { text } = params.arguments as { text: string }
		const { progressToken } = params._meta as { progressToken: number }
		setTimeout(() => {
			sendEvents(response, {
				method: 'notifications/progress',
				params: { progressToken, progress: 1, message: text },
			})
			sendEvents(response, { id, result: { content: [{ type: 'text', text }] } })
			response.end()
		}, Math.random() * 20)
	})
})
afterAll(async () => {
	await gateway?.close()
	await upstream?.close()
})

it('gives each of 12 agents of either era its own answers, although all use the same request ids on one upstream session', async () => {
	const serverId = await gateway.addServer('Shared', upstream.url)
	const callers = await Promise.all(
		Array.from({ length: 12 }, async (_, index) => {
			const agent = await gateway.addAgent(`Agent ${index}`)
			await gateway.grant(agent.id, serverId, ['say'])
			const client = newWireClient(`${gateway.url}/mcp/shared`, agent.key)
			if (index % 2 === 0) await client.initialize()
			return { index, agent, client }
		}),
	)
	gateway.rows.length = 0
	const rounds = callers.map(async ({ index, client }) => {
		for (let round = 0; round < 40; round += 1) {
			const text = `${index}/${round}`
			const params = { name: 'say', arguments: { text } }
			const meta = { progressToken: 'same' }
			const answer: WireAnswer =
				index % 2 === 0
					? await client.request('tools/call', { ...params, _meta: meta }, 1)
					: await client.modern('tools/call', params, {}, meta)
			expect(answer.body.result.content[0].text).toBe(text)
			const progress = answer.text.match(/^data: (.*progress.*)$/m)?.[1] ?? '{}'
			expect(JSON.parse(progress).params).toEqual({ progressToken: 'same', progress: 1, message: text })
		}
	})
	await Promise.all(rounds)
	for (const { agent } of callers)
		expect(gateway.rows.filter((row) => row.agentId === agent.id && row.status === 'ok')).toHaveLength(40)
	expect(upstream.sessions.size).toBe(1)
})
