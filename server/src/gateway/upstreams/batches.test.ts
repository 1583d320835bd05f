import { beforeAll, describe, expect, it } from 'vitest'
import { useCallStage } from '../testing-stage.ts'
import { sendJson } from '../testing-upstream.ts'

describe('a server of 2025-03-26, which may send batches', () => {
	const stage = useCallStage()
	beforeAll(() => {
		stage.upstream.initialize = ({ id }, response) => {
			stage.upstream.sessions.add('one')
			response.setHeader('mcp-session-id', 'one')
			const serverInfo = { name: 'batching', version: '1' }
			const result = { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo }
			sendJson(response, 200, { jsonrpc: '2.0', id, result })
		}
	})
	const answer = (id: number) => ({
		...{ jsonrpc: '2.0', id },
		result: { content: [{ type: 'text', text: 'all at once' }] },
	})

	it('answers in a batch of one', async () => {
		stage.answer = ({ id }, response) => sendJson(response, 200, [answer(id)])
		expect((await stage.call()).body.result.content[0].text).toBe('all at once')
	})

	it('sends progress, a log line and the answer as one event', async () => {
		stage.answer = ({ id, params }, response) => {
			const { progressToken } = params._meta as { progressToken: unknown }
			const progress = { progressToken, progress: 1 }
			const batch = [
				{ jsonrpc: '2.0', method: 'notifications/progress', params: progress },
				{ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'a line' } },
				answer(id),
			]
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.end(`data: ${JSON.stringify(batch)}\n\n`)
		}
		const { text, body } = await stage.call({ progressToken: 'mine' })
		expect(body.result.content[0].text).toBe('all at once')
		expect(text).toContain('"progressToken":"mine"')
		expect(text).toContain('a line')
	})

	it('is refused a batch with an invalid message', async () => {
		stage.answer = ({ id }, response) => sendJson(response, 200, [answer(id), 7])
		expect((await stage.call()).body.error.data.code).toBe('upstream_invalid_answer')
	})
})
