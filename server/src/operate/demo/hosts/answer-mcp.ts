import { type DemoServer, type DemoTool, demoServers } from './servers.ts'

export interface HostRequest {
	/** The host's first label. */
	name: string
	method: string
	path: string
	headers: Readonly<Record<string, string>>
	body: string
}

export interface HostAnswer {
	status: number
	json?: unknown
}

interface Message {
	id?: unknown
	method?: unknown
	params?: { name?: unknown; arguments?: Record<string, unknown> }
}

/** Which release a server answers as; a stored header of the registered server says so. */
export const releaseHeader = 'x-demo-release'

/** An MCP server of 2025-06-18 without sessions: its whole state is its release. */
export function answerMcp({ name, method, headers, body }: HostRequest): HostAnswer {
	const server = demoServers.find((each) => each.host === name)
	if (!server) return { status: 404 }
	if (method !== 'POST') return { status: 405 }
	const message = parse(body)
	if (!message) return { status: 400 }
	if (message.id === undefined) return { status: 202 }
	const release = headers[releaseHeader] ?? server.releases[0]
	return { status: 200, json: { jsonrpc: '2.0', id: message.id, ...reply(server, release, message) } }
}

function parse(body: string): Message | null {
	try {
		return JSON.parse(body) as Message
	} catch {
		return null
	}
}

function reply(server: DemoServer, release: string | undefined, { method, params = {} }: Message): object {
	if (method === 'initialize')
		return {
			result: {
				protocolVersion: '2025-06-18',
				capabilities: { tools: {} },
				serverInfo: { name: server.host, version: release },
			},
		}
	if (method === 'ping') return { result: {} }
	if (method === 'tools/list')
		return { result: { tools: server.tools.map((tool) => definition(tool, release)) } }
	const tool = server.tools.find(({ name }) => name === params.name)
	if (method !== 'tools/call' || !tool)
		return { error: { code: -32601, message: `There is no ${String(params.name ?? method)}.` } }
	return { result: tool.answer(params.arguments ?? {}) }
}

function definition({ name, description, input, later, ...rest }: DemoTool, release: string | undefined) {
	const text = later !== undefined && release === later.release ? later.description : description
	const properties = Object.fromEntries(Object.entries(input).map(([key, type]) => [key, { type }]))
	const inputSchema = { type: 'object', properties, required: Object.keys(input) }
	const annotations = { readOnlyHint: rest.readOnly ?? false, destructiveHint: rest.destructive ?? false }
	return { name, description: text, inputSchema, annotations }
}
