// An observed server and its observed client in one process: shows that a call is one trace, and checks it.
// Without SIGNALBOX_SDK_ENDPOINT and SIGNALBOX_SDK_TOKEN the spans go to an endpoint in this process; with them to your Signalbox.
import { deepStrictEqual, ok } from 'node:assert'
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { instrument, instrumentClient } from '@signalbox/sdk'

const taken = []
const listener = createServer((request, response) => {
	taken.push(request.url)
	request.resume().on('end', () => response.end())
})
await new Promise((done) => listener.listen(0, '127.0.0.1', done))
const options = process.env.SIGNALBOX_SDK_ENDPOINT
	? {}
	: { endpoint: `http://127.0.0.1:${listener.address().port}` }

const server = new McpServer({ name: 'orders', version: '1.0.0' })
server.tool('find_order', 'Finds the last order', async () => ({
	content: [{ type: 'text', text: 'Order 7 is on its way.' }],
}))
const client = new Client({ name: 'example', version: '1.0.0' })
const ofServer = instrument(server, options)
const ofClient = instrumentClient(client, { ...options, agent: 'Example' })
deepStrictEqual([...ofServer.problems, ...ofClient.problems], [])

const [near, far] = InMemoryTransport.createLinkedPair()
let carried = null
const send = near.send.bind(near)
near.send = (message, ...more) => {
	if (message.method === 'tools/call') carried = message.params._meta?.traceparent
	return send(message, ...more)
}
await Promise.all([server.connect(far), client.connect(near)])
const { content } = await client.callTool({ name: 'find_order' })
deepStrictEqual(content, [{ type: 'text', text: 'Order 7 is on its way.' }])
ok(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(carried), 'the call carries the trace of its caller')

await Promise.all([ofServer.shutdown(), ofClient.shutdown()])
for (const { ended, sent } of [ofServer.stats(), ofClient.stats()])
	ok(ended === 2 && sent === 2, `${sent} of ${ended} spans were sent`)
if (options.endpoint) ok(taken.includes('/v1/traces'), 'the endpoint has got them')
listener.close()
listener.closeAllConnections()
process.stdout.write(`One trace: ${carried.slice(3, 35)}\n`)
