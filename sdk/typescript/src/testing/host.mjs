// An MCP server for tests, of the SDK in HOST_SDK (v1-lowest, v1, v2), observed in the way of HOST_OBSERVED (no, before, after).
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const { HOST_SDK: sdk, HOST_TRANSPORT: kind, HOST_OBSERVED: observed } = process.env
const nearest = createRequire(import.meta.url)
const load =
	sdk === 'v1' ? createRequire(new URL('../../../../server/package.json', import.meta.url)) : nearest
const isV2 = sdk === 'v2'
const { McpServer } = load(isV2 ? '@modelcontextprotocol/server' : '@modelcontextprotocol/sdk/server/mcp.js')
const z = createRequire(
	load.resolve(isV2 ? '@modelcontextprotocol/server' : '@modelcontextprotocol/sdk/types.js'),
)(isV2 ? 'zod/v4' : 'zod')
const options = JSON.parse(process.env.HOST_OPTIONS ?? '{}')
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const big = 'x'.repeat(10 * 1024 * 1024)

const tools = {
	echo: async ({ text: given }) => text(given),
	broken: async () => ({ ...text('it is broken'), isError: true }),
	thrower: async () => {
		throw new Error('thrown by the tool')
	},
	big: async () => text(big),
	progress: async (_given, extra) => {
		const notify = extra.sendNotification ?? extra.mcpReq.notify
		for (const progress of [1, 2, 3])
			await notify({ method: 'notifications/progress', params: { progressToken: 'p', progress, total: 3 } })
		return text('done')
	},
	hang: async () => new Promise((resolve) => setTimeout(() => resolve(text('too late')), 150)),
}

function addTool(server, name, handler, registers) {
	const shape = { text: z.string().optional() }
	if (isV2) server.registerTool(name, { description: name, inputSchema: z.object(shape) }, handler)
	else if (registers && server.registerTool)
		server.registerTool(name, { description: name, inputSchema: shape }, handler)
	else server.tool(name, name, shape, handler)
}

async function build() {
	const server = new McpServer({ name: 'host', version: '1.2.3' })
	if (observed === 'before') await observe(server)
	for (const [index, [name, handler]] of Object.entries(tools).entries())
		addTool(server, name, handler, index % 2)
	if (isV2) server.registerPrompt('hello', { description: 'h' }, async () => prompt)
	else server.prompt('hello', async () => prompt)
	const read = async (uri) => ({ contents: [{ uri: uri.href, text: 'read' }] })
	if (isV2) server.registerResource('note', 'note://one', {}, read)
	else server.resource('note', 'note://one', read)
	if (observed === 'after') await observe(server)
	return server
}

const prompt = { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] }

async function observe(server) {
	const { instrument } = await import('../../dist/index.js')
	instrument(server, options)
}

if (kind === 'stdio') {
	const module = isV2 ? '@modelcontextprotocol/server/stdio' : '@modelcontextprotocol/sdk/server/stdio.js'
	const { StdioServerTransport } = load(module)
	await (await build()).connect(new StdioServerTransport())
} else await listen(kind === 'sse' ? await sse() : isV2 ? await modern() : await streamable())

async function listen(handle) {
	const listener = createServer((request, response) => void handle(request, response))
	listener.listen(0, '127.0.0.1', () => process.stdout.write(`${listener.address().port}\n`))
	// Its end is the end of what holds it.
	process.stdin
		.on('end', () => listener.close())
		.on('end', () => listener.closeAllConnections())
		.resume()
}

async function streamable() {
	const { StreamableHTTPServerTransport } = load('@modelcontextprotocol/sdk/server/streamableHttp.js')
	const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'a-session' })
	await (await build()).connect(transport)
	return (request, response) => transport.handleRequest(request, response)
}

async function sse() {
	const { SSEServerTransport } = load('@modelcontextprotocol/sdk/server/sse.js')
	let transport
	return async (request, response) => {
		if (request.method === 'POST') return transport.handlePostMessage(request, response)
		transport = new SSEServerTransport('/messages', response)
		await (await build()).connect(transport)
	}
}

async function modern() {
	const { createMcpHandler } = load('@modelcontextprotocol/server')
	const { toNodeHandler } = load('@modelcontextprotocol/node')
	return toNodeHandler(createMcpHandler(build))
}
