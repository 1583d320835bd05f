import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { startControlPlane } from '../access/grants/testing.ts'
import { describeOnBothDatabases } from '../platform/database/testing.ts'

/** A server whose tool has numbers that JavaScript would change. */
const schema =
	'{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993,"multipleOf":1.0}}}'

describeOnBothDatabases('numbers in the definitions of tools', (store) => {
	it('are shown in the notation of the server, from the store and from memory', async () => {
		const server = createServer((request, response) => {
			let text = ''
			request.on('data', (chunk: Buffer) => {
				text += chunk
			})
			request.once('end', () => {
				const { id, method } = JSON.parse(text) as { id: number; method: string }
				const result =
					method === 'tools/list'
						? `{"tools":[{"name":"count","inputSchema":${schema}}]}`
						: '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}'
				response.writeHead(200, { 'content-type': 'application/json' })
				response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
			})
		})
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
		const app = await startControlPlane(store())
		try {
			const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
			const { id } = await app.create('/v1/mcp/servers', { name: 'Exact', url, transport_type: 'http' })
			const { text } = await app.request('GET', `/v1/mcp/servers/${id}/tools`, { token: app.owner.token })
			expect(text).toContain(`"input_schema":${schema}`)
			expect(JSON.stringify(app.servers.view.get(id)?.tools)).toContain(schema)
		} finally {
			await app.close()
			server.closeAllConnections()
			server.close()
		}
	})
})
