// Calls a tool of an observed server in this process, a batch for each line on stdin: `calls.mjs <observer> <endpoint> <folder of packages>`.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { observers } from './observers.mjs'

const [observer, endpoint, folder] = process.argv.slice(2)
const load = (name) => import(pathToFileURL(createRequire(`${folder}/`).resolve(name)).href)
const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js')
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js')
const { InMemoryTransport } = await load('@modelcontextprotocol/sdk/inMemory.js')
const { z } = await load('zod')
const batch = 400

const server = new McpServer({ name: 'bench', version: '1' })
const client = new Client({ name: 'bench', version: '1' })
const atLast = await observers[observer]({ server, client, Client, load }, endpoint)
server.tool('echo', 'Says it again', { text: z.string() }, async ({ text }) => ({
	content: [{ type: 'text', text }],
}))
if (typeof atLast === 'function') atLast()
const [near, far] = InMemoryTransport.createLinkedPair()
await Promise.all([server.connect(far), client.connect(near)])
const call = {
	name: 'echo',
	arguments: { text: 'The quick brown fox jumps over the lazy dog, again and again.' },
}

createInterface({ input: process.stdin }).on('line', async () => {
	const tookUs = []
	for (let i = 0; i < batch; i++) {
		const startedMs = performance.now()
		await client.callTool(call)
		tookUs.push((performance.now() - startedMs) * 1000)
	}
	tookUs.sort((a, b) => a - b)
	const { user, system } = process.cpuUsage()
	const figures = { p50Us: tookUs[batch / 2], p99Us: tookUs[Math.floor(batch * 0.99)], cpuUs: user + system }
	process.stdout.write(`${JSON.stringify({ ...figures, calls: batch })}\n`)
})
