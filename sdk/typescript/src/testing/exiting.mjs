// An observed server that answers calls, waits until they are sent, answers a few more and ends in the way of its argument.
import { writeSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { instrument } from '../../dist/index.js'

const [endpoint, way] = process.argv.slice(2)
// Longer than a flush with an endpoint that answers.
if (way === 'listens') process.once('SIGTERM', () => setTimeout(() => process.exit(7), 400))
const server = new McpServer({ name: 'exiting', version: '1' })
server.tool('echo', async () => ({ content: [] }))
const handle = instrument(server, { endpoint })
const client = new Client({ name: 'tester', version: '9' })
const [near, far] = InMemoryTransport.createLinkedPair()
await Promise.all([server.connect(far), client.connect(near)])
process.on('exit', () => writeSync(1, JSON.stringify(handle.stats())))

for (let i = 0; i < 20; i++) await client.callTool({ name: 'echo' })
while (way !== 'hangs' && handle.stats().waiting > 0) await new Promise((done) => setTimeout(done, 20))
for (let i = 0; i < 3; i++) await client.callTool({ name: 'echo' })
if (way === 'exit') process.exit(3)
if (way === 'throw') throw new Error('nobody catches it')
if (way.startsWith('SIG') || way === 'listens') {
	process.kill(process.pid, way === 'listens' ? 'SIGTERM' : way)
	setTimeout(() => {}, 30_000)
}
