import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { useCallStage } from './testing-stage.ts'
import { sendJson, sendText } from './testing-upstream.ts'

describe('a request', () => {
	const stage = useCallStage()
	it('is refused with another content type or a content coding', async () => {
		expect((await stage.client.post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
		const packed = gzipSync('{"jsonrpc":"2.0","id":1,"method":"ping"}')
		expect((await stage.client.post(packed, { 'content-encoding': 'gzip' })).status).toBe(415)
		const plain = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
		const type = 'Application/JSON ; charset=UTF-8'
		expect(
			(await stage.client.post(plain, { 'content-encoding': 'identity', 'content-type': type })).status,
		).toBe(200)
	})
	it('is answered with exactly its id, whatever kind of number that is', async () => {
		const unknown = { 'mcp-session-id': 'nothing' }
		for (const id of ['0', '-1', '1.5', '12345678901234567890', '"text"', '""']) {
			const { status, text } = await stage.client.post(
				`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`,
				unknown,
			)
			expect([status, text]).toEqual([404, expect.stringContaining(`"id":${id},`)])
			const answered = await stage.client.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`)
			expect([answered.status, answered.text]).toEqual([200, expect.stringContaining(`"id":${id},`)])
		}
	})
	it('that is a handshake ignores the version header, which is meant for later requests', async () => {
		const params = {
			protocolVersion: '2025-06-18',
			capabilities: {},
			clientInfo: { name: 'w', version: '1' },
		}
		const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
		const { body } = await stage.client.post(message, { 'mcp-protocol-version': '2024-10-07' })
		expect(body.result.protocolVersion).toBe('2025-06-18')
	})
	it('may have null instead of params or of their `_meta`', async () => {
		const notification = '{"jsonrpc":"2.0","method":"notifications/initialized","params":null}'
		expect((await stage.client.post(notification)).status).toBe(202)
		for (const [method, params] of [
			['ping', 'null'],
			['tools/list', 'null'],
			['tools/list', '{"_meta":null,"cursor":null}'],
		])
			expect(
				(await stage.client.post(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)).body,
			).toMatchObject({ id: 1, result: expect.any(Object) })
		stage.answer = ({ id, params }, response) => sendText(response, id, JSON.stringify('_meta' in params))
		const { body } = await stage.client.post(
			'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":null,"_meta":null}}',
		)
		expect(body).toMatchObject({ id: 2, result: { content: [{ type: 'text' }] } })
	})
})

describe('a server', () => {
	const stage = useCallStage()
	it('may send null for whichever of `result` and `error` it does not have', async () => {
		const fails = { error: { code: -32000, message: 'It failed.' }, result: null }
		const works = { result: { content: [{ type: 'text', text: 'fine' }] }, error: null }
		for (const answer of [works, fails]) {
			stage.answer = ({ id }, response) => sendJson(response, 200, { jsonrpc: '2.0', id, ...answer })
			const { result, error } = (await stage.call()).body
			expect({ result: result ?? null, error: error ?? null }).toMatchObject(answer)
		}
	})
})
