import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { useCallStage } from './testing-stage.ts'

describe('a request', () => {
	const stage = useCallStage()
	it('is refused in another content type, or in a coding that nobody asked for', async () => {
		expect((await stage.client.post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
		const packed = gzipSync('{"jsonrpc":"2.0","id":1,"method":"ping"}')
		expect((await stage.client.post(packed, { 'content-encoding': 'gzip' })).status).toBe(415)
		const plain = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
		const type = 'Application/JSON ; charset=UTF-8'
		expect(
			(await stage.client.post(plain, { 'content-encoding': 'identity', 'content-type': type })).status,
		).toBe(200)
	})
	it('is answered under the id that it had, whatever kind of number that is', async () => {
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
	it('that is a handshake is not judged by a header, which belongs to what follows', async () => {
		const params = {
			protocolVersion: '2025-06-18',
			capabilities: {},
			clientInfo: { name: 'w', version: '1' },
		}
		const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
		const { body } = await stage.client.post(message, { 'mcp-protocol-version': '2024-10-07' })
		expect(body.result.protocolVersion).toBe('2025-06-18')
	})
})
