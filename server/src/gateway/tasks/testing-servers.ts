import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
	InMemoryTaskMessageQueue,
	InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/index.js'
import type {
	CreateTaskRequestHandlerExtra,
	TaskRequestHandlerExtra,
} from '@modelcontextprotocol/sdk/experimental/tasks/interfaces.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

/**
 * A server with the tools `work`, whose calls are tasks, `plain`, whose calls are not, and in the modern era `hang`, which never
 * answers.
 */
export interface TaskServer {
	url: string
	/** Finishes the newest task with this text. */
	finish(text: string): Promise<void>
	/** Says this about the newest task. */
	say(text: string): Promise<void>
	/** How many tasks it has started. */
	calls: number
	/** The id of its next tasks instead of a random one; for a modern server only. */
	oddId?: unknown
	/** The names of the called tools; for a modern server only. */
	called: unknown[]
	/** How often a task was polled; for a modern server only. */
	asked: number
	/** Tasks that were cancelled there. */
	cancelled: string[]
	close(): Promise<void>
}

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/** SDK v1 with its experimental tasks: protocol 2025-11-25 with sessions. With `asks`, a task first asks for a name. */
export async function startLegacyTaskServer({ asks = false } = {}): Promise<TaskServer> {
	const store = new InMemoryTaskStore()
	const sessions = new Map<string, StreamableHTTPServerTransport>()
	let last = ''
	const build = () => {
		const options = { taskStore: store, taskMessageQueue: new InMemoryTaskMessageQueue() }
		const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
		const mcp = new McpServer({ name: 'legacy', version: '1' }, { capabilities, ...options })
		mcp.registerTool('plain', {}, async () => text('plain'))
		mcp.experimental.tasks.registerToolTask('work', { execution: { taskSupport: 'optional' } }, {
			createTask: async ({ taskStore, taskRequestedTtl }: CreateTaskRequestHandlerExtra) => {
				server.calls += 1
				const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 50 })
				last = task.taskId
				if (asks) void askForName(mcp, store, task.taskId)
				return { task }
			},
			getTask: async ({ taskId, taskStore }: TaskRequestHandlerExtra) => taskStore.getTask(taskId),
			getTaskResult: async ({ taskId, taskStore }: TaskRequestHandlerExtra) =>
				(await taskStore.getTaskResult(taskId)) as ReturnType<typeof text>,
		} as never)
		return mcp
	}
	const open = async () => {
		const transport = new StreamableHTTPServerTransport({
			sessionIdGenerator: randomUUID,
			onsessioninitialized: (id) => void sessions.set(id, transport),
		})
		await build().connect(transport as never)
		return transport
	}
	const listener = await listen(async (request, response) => {
		const known = sessions.get(String(request.headers['mcp-session-id']))
		await (known ?? (await open())).handleRequest(request, response)
	})
	const server: TaskServer = {
		...listener,
		...{ calls: 0, asked: 0 },
		called: [],
		cancelled: [],
		finish: (said) => store.storeTaskResult(last, 'completed', text(said)),
		say: (said) => store.updateTaskStatus(last, 'working', said),
		close: async () => {
			store.cleanup()
			await listener.close()
		},
	}
	return server
}

const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } }

async function askForName(mcp: McpServer, store: InMemoryTaskStore, taskId: string): Promise<void> {
	const asked = { method: 'elicitation/create' as const, params: { message: 'Who?', requestedSchema } }
	await store.updateTaskStatus(taskId, 'input_required')
	const { ElicitResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
	const answer = await mcp.server.request(asked, ElicitResultSchema, { relatedTask: { taskId } })
	await store.storeTaskResult(taskId, 'completed', text(`Hello ${String(answer.content?.name)}`))
}

interface ModernTask {
	taskId: string
	status: string
	pollIntervalMs: number
	[more: string]: unknown
}

/**
 * Protocol 2026-07-28 with the tasks extension, which no SDK supports on the server side yet. With `asks`, a task first asks for
 * a name.
 */
export async function startModernTaskServer({ asks = false } = {}): Promise<TaskServer> {
	const tasks = new Map<string, ModernTask>()
	const called: unknown[] = []
	let last: ModernTask | undefined
	const complete = (result: object) => ({ result: { ...result, resultType: 'complete' } })
	const begin = () => {
		server.calls += 1
		const at = new Date().toISOString()
		const ask = {
			method: 'elicitation/create',
			params: { mode: 'form', message: 'Who?', requestedSchema },
		}
		last = {
			...{ taskId: randomUUID(), createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 50 },
			...(asks ? { status: 'input_required', inputRequests: { name: ask } } : { status: 'working' }),
		}
		tasks.set(last.taskId, last)
		const taskId = server.oddId ?? last.taskId
		return { result: { ...last, taskId, inputRequests: undefined, resultType: 'task' } }
	}
	// biome-ignore lint/suspicious/noExplicitAny: it reads any field of a request.
	const answers: Record<string, (params: any) => object | null> = {
		'server/discover': () =>
			complete({
				...{ supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private' },
				capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
			}),
		'tools/list': () =>
			complete({
				tools: ['work', 'plain', 'hang'].map((name) => ({ name, inputSchema: { type: 'object' } })),
				...{ ttlMs: 0, cacheScope: 'private' },
			}),
		'tools/call': ({ name, _meta }) => {
			if (name === 'plain') return complete(text('plain'))
			if (name === 'hang') return null
			const { extensions } = _meta['io.modelcontextprotocol/clientCapabilities']
			return extensions ? begin() : { error: { code: -32021, message: 'Missing required client capability' } }
		},
		'tasks/get': ({ taskId }) => {
			server.asked += 1
			return complete(tasks.get(taskId) as object)
		},
		'tasks/update': ({ taskId, inputResponses }) => {
			const result = text(`Hello ${inputResponses.name.content.name}`)
			Object.assign(tasks.get(taskId) as object, { status: 'completed', inputRequests: undefined, result })
			return complete({})
		},
		'tasks/cancel': ({ taskId }) => {
			server.cancelled.push(taskId)
			return complete({})
		},
	}
	const listener = await listen(async (request, response) => {
		const { id, method, params } = JSON.parse(await read(request))
		const answer = answers[method] ? answers[method](params) : { error: { code: -32601, message: 'unknown' } }
		if (method === 'tools/call') called.push(params.name)
		if (!answer) return
		response.writeHead(200, { 'content-type': 'application/json' })
		response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
	})
	const server: TaskServer = {
		...listener,
		...{ calls: 0, asked: 0 },
		called,
		cancelled: [],
		finish: async (said) => void Object.assign(last ?? {}, { status: 'completed', result: text(said) }),
		say: async (statusMessage) => void Object.assign(last ?? {}, { statusMessage }),
	}
	return server
}

async function listen(
	handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Pick<TaskServer, 'url' | 'close'>> {
	const answer: RequestListener = (request, response) => {
		handle(request, response).catch(() => response.destroy())
	}
	const listener = createServer(answer)
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const close = async () => {
		listener.closeAllConnections()
		await new Promise((done) => listener.close(done))
	}
	return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`, close }
}

async function read(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks).toString()
}
