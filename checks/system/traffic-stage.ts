import { randomBytes } from 'node:crypto'
import { startMockProvider } from '../../server/src/models/proxy/testing.ts'
import { type Objects, startObjects } from './objects-stage.ts'

export interface TrafficStage extends Objects {
	/** The id of a trace of `longTraceSpans` spans. */
	longTraceId: string
	/** Sends another such trace and returns its id. */
	sendLongTrace(): Promise<string>
	/** Makes one model call as `support-bot` and returns the status of the response. */
	askModel(model: string): Promise<number>
	/** Sends the span of a model call with long names and content, as Langfuse's SDK does. */
	sendModelSpan(): Promise<{ traceId: string; sessionId: string; question: string }>
	/** Sends a trace in which a program calls one tool 16 times. 3 of the calls fail. */
	sendRun(): Promise<{ traceId: string; sessionId: string }>
	/** Sends an OTLP/JSON request. */
	send(signal: 'traces' | 'logs' | 'metrics', body: object): Promise<void>
}

/** In the short and the long form, far more spans than fit into the window. */
export const longTraceSpans = process.env.LONG_TESTS ? 50_000 : 3000
/** The session id that the agent sends. */
export const stageSession = 'run/7'

/** Starts the program and fills it with an agent's calls of a server and a model, and with telemetry of other programs. */
export async function startTraffic(): Promise<TrafficStage> {
	const [stage, provider] = await Promise.all([startObjects(), startMockProvider()])
	const stop = async () => {
		await stage.stop()
		await provider.close()
	}
	try {
		return { ...stage, ...(await fill(stage, provider.url)), stop }
	} catch (error) {
		await stop()
		throw error
	}
}

async function fill(stage: Objects, providerUrl: string): Promise<Omit<TrafficStage, keyof Objects>> {
	const { call, made, program } = stage
	const { token } = await call<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'traffic' })
	const { key } = await call<{ key: string }>('POST', `/v1/agents/${made.support}/keys`, { name: 'traffic' })
	await call('POST', `/v1/mcp/servers/${made.server}/access`, {
		agent_uuid: made.support,
		access_mode: 'all',
	})
	await call('POST', '/v1/provider-keys', {
		...{ name: 'openai', provider: 'openai', key: 'sk-of-the-stage', base_url: `${providerUrl}/v1` },
	})
	const send: TrafficStage['send'] = async (signal, body) => {
		const headers = { 'content-type': 'application/json', 'x-api-key': token }
		const response = await patientFetch(`${program.url}/v1/${signal}`, {
			...{ method: 'POST', headers, body: JSON.stringify(body) },
		})
		if (!response.ok) throw new Error(`${signal}: ${response.status} ${await response.text()}`)
	}
	const askModel = async (model: string) => {
		const response = await patientFetch(`${program.url}/proxy/openai/v1/chat/completions`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${key}`,
				'content-type': 'application/json',
				'x-signalbox-session-id': stageSession,
			},
			body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
		})
		await response.arrayBuffer()
		return response.status
	}
	for (const [name, values] of [
		['echo', { message: 'hello' }],
		['echo', { message: 'again' }],
		['get-sum', { a: 'not a number', b: 2 }],
	] as const)
		await stage.callTool(key, name, values).catch(() => null)
	for (const model of ['gpt-mock', 'gpt-mock', 'gpt-other', 'error-429']) await askModel(model)
	await send('logs', logsRequest())
	await send('metrics', metricsRequest())
	const sendLongTrace = async () => {
		const traceId = randomBytes(16).toString('hex')
		for (const batch of longTrace(traceId)) await send('traces', batch)
		return traceId
	}
	const sendModelSpan = async () => {
		const [traceId, sessionId] = [
			randomBytes(16).toString('hex'),
			`reported-${randomBytes(4).toString('hex')}`,
		]
		const question = `Which colour is the sky of ${sessionId}?`
		await send('traces', modelSpan(traceId, sessionId, question))
		return { traceId, sessionId, question }
	}
	const sendRun = async () => {
		const [traceId, sessionId] = [randomBytes(16).toString('hex'), `run-${randomBytes(4).toString('hex')}`]
		await send('traces', runOfCalls(traceId, sessionId))
		return { traceId, sessionId }
	}
	return { longTraceId: await sendLongTrace(), sendLongTrace, sendModelSpan, sendRun, askModel, send }
}

/** Retries while the program answers 503, as an exporter does. */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
	for (let left = 20; ; left--) {
		const response = await fetch(url, init)
		if (response.status !== 503 || left === 0) return response
		await new Promise((resolve) => setTimeout(resolve, 1000))
	}
}

const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
const resource = { attributes: [text('service.name', 'billing')] }
const nano = (ms: number) => `${ms}000000`

function logsRequest() {
	const record = (severityNumber: number, body: string, route: string) => ({
		timeUnixNano: nano(Date.now()),
		severityNumber,
		body: { stringValue: body },
		attributes: [text('http.route', route)],
	})
	const logRecords = [
		record(9, 'invoice 17 was sent', '/invoices'),
		record(13, 'the queue is long', '/invoices'),
		record(17, 'the printer is on fire', '/print'),
	]
	return { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }
}

function metricsRequest() {
	const now = Date.now()
	const dataPoints = Array.from({ length: 30 }, (_, minute) => ({
		timeUnixNano: nano(now - minute * 60_000),
		asDouble: 20 + (minute % 7),
		attributes: [text('queue', minute % 2 === 0 ? 'mail' : 'print')],
	}))
	const metrics = [
		{ name: 'queue.length', unit: '{jobs}', description: 'Jobs that wait', gauge: { dataPoints } },
	]
	return { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }
}

/** Its texts have no place for a line break. */
function modelSpan(traceId: string, sessionId: string, question: string) {
	const long = 'x'.repeat(3000)
	const model = `organisation/${'model-of-a-very-long-name_'.repeat(5)}`
	const attributes = [
		text('langfuse.observation.type', 'generation'),
		text('langfuse.observation.model.name', model),
		text('langfuse.observation.input', JSON.stringify([{ role: 'user', content: question }])),
		text('langfuse.observation.output', JSON.stringify({ role: 'assistant', content: long })),
		text('langfuse.observation.usage_details', '{"input":100,"output":20}'),
		text('session.id', sessionId),
		text('user.id', `user-${long.slice(0, 200)}`),
	]
	const events = [{ timeUnixNano: nano(Date.now()), name: 'note', attributes: [text('detail', long)] }]
	const span = {
		...{ traceId, spanId: traceId.slice(0, 16), name: `chat ${model}`, kind: 3, attributes, events },
		startTimeUnixNano: nano(Date.now() - 1000),
		endTimeUnixNano: nano(Date.now()),
		status: { code: 2, message: long },
	}
	const chat = { attributes: [text('service.name', 'chat')] }
	return { resourceSpans: [{ resource: chat, scopeSpans: [{ spans: [span] }] }] }
}

function runOfCalls(traceId: string, sessionId: string) {
	const id = (index: number) => `${traceId.slice(0, 12)}${index.toString(16).padStart(4, '0')}`
	const startMs = Date.now() - 60_000
	const times = (at: number, lengthMs: number) => ({
		startTimeUnixNano: nano(startMs + at),
		endTimeUnixNano: nano(startMs + at + lengthMs),
	})
	const calls = Array.from({ length: 16 }, (_, at) => ({
		...{ traceId, spanId: id(at + 2), parentSpanId: id(1), name: 'execute_tool search', kind: 1 },
		...times(100 * (at + 1), 20 + 5 * at),
		attributes: [
			text('gen_ai.operation.name', 'execute_tool'),
			text('gen_ai.tool.name', 'search'),
			text('gen_ai.tool.call.arguments', JSON.stringify({ query: `otters ${at}`, limit: 10 })),
			text('gen_ai.tool.call.result', JSON.stringify({ found: at })),
			text('session.id', sessionId),
		],
		...(at % 5 === 4 && { status: { code: 2, message: 'the index is locked' } }),
	}))
	const root = { traceId, spanId: id(1), name: 'research', kind: 1, ...times(0, 2000) }
	return { resourceSpans: [{ resource, scopeSpans: [{ spans: [root, ...calls] }] }] }
}

function* longTrace(traceId: string) {
	const id = (index: number) => (index + 1).toString(16).padStart(16, '0')
	const startMs = Date.now() - 60_000
	for (let from = 0; from < longTraceSpans; from += 5000) {
		const spans = Array.from({ length: Math.min(5000, longTraceSpans - from) }, (_, at) => {
			const index = from + at
			return {
				...{ traceId, spanId: id(index), name: `step ${index}`, kind: 1 },
				...(index > 0 && { parentSpanId: id(0) }),
				startTimeUnixNano: nano(startMs + index),
				endTimeUnixNano: nano(startMs + index + 1),
			}
		})
		yield { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }
	}
}
