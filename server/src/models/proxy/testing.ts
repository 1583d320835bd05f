import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { answerAnthropic } from './testing/anthropic-wire.ts'
import { answerBedrock } from './testing/bedrock-wire.ts'
import { answerGemini } from './testing/gemini-wire.ts'
import { answerOpenAi } from './testing/openai-wire.ts'
import type { MockAnswer, MockAsk } from './testing/wire.ts'

export { mockTokenCount } from './testing/anthropic-wire.ts'
export { mockWords } from './testing/wire.ts'

/** One request as received by the mock. */
export interface ReceivedRequest {
	method: string
	/** With the query string. */
	path: string
	headers: IncomingHttpHeaders
	body: Buffer
	/** `performance.now()` in milliseconds when the caller disconnected before the end, or null. */
	disconnectedAtMs: number | null
	/** SHA-256 of the response body's bytes as sent, in hex; '' until the end. */
	sentSha256: string
}

export interface MockProvider {
	/** `http://127.0.0.1:port`, the base URL of all dialects (`/v1/chat/completions`, `/v1/messages`, …). */
	url: string
	requests: ReceivedRequest[]
	/** Called for each request; if it returns true, it has answered instead of the mock. */
	intercept: ((received: ReceivedRequest, response: ServerResponse) => boolean) | null
	close(): Promise<void>
}

export interface MockProviderOptions {
	port?: number
	/** Time between two frames of a stream; models named `slow` take at least 20 ms. */
	frameGapMs?: number
	/** Whether to keep received requests; off for load tests. */
	keepRequests?: boolean
}

/**
 * A model provider for tests, examples and benchmarks that speaks the wire formats of OpenAI, Anthropic, Gemini and Bedrock with fixed
 * usage figures. A model's name chooses the behaviour: `error-429`, `stream-error`, `cut`, `slow`; any other works.
 */
export async function startMockProvider(options: MockProviderOptions = {}): Promise<MockProvider> {
	const requests: ReceivedRequest[] = []
	const server = createServer((request, response) => {
		void receive(request).then((received) => {
			if (options.keepRequests !== false) requests.push(received)
			response.on('close', () => {
				if (!response.writableFinished) received.disconnectedAtMs = performance.now()
			})
			if (!mock.intercept?.(received, response)) void send(received, response, options)
		})
	})
	await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
	const mock: MockProvider = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		intercept: null,
		close: () => {
			server.closeAllConnections()
			return new Promise((resolve) => server.close(() => resolve()))
		},
	}
	return mock
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const { method = '', url: path = '', headers } = request
	return {
		method,
		path,
		headers,
		body: Buffer.concat(chunks),
		disconnectedAtMs: null,
		sentSha256: '',
	}
}

async function send(received: ReceivedRequest, response: ServerResponse, options: MockProviderOptions) {
	const ask = parseAsk(received.body)
	const answer = answerFor(received, ask)
	const frames = answer.frames ?? answer.messages
	const { bytes, encoding } = encode(bodyOf(answer), received.headers['accept-encoding'], answer)
	response.writeHead(answer.status, {
		'content-type': frames ? 'text/event-stream; charset=utf-8' : 'application/json',
		'x-request-id': 'req_mock',
		'request-id': 'req_mock',
		...(encoding && { 'content-encoding': encoding }),
		...(!frames && { 'content-length': bytes.length }),
		...answer.headers,
	})
	received.sentSha256 = createHash('sha256').update(bytes).digest('hex')
	if (!frames || encoding) return void response.end(bytes)
	const gapMs = Math.max(options.frameGapMs ?? 0, isSlow(received, ask) ? 20 : 0)
	await sendFrames(frames, answer.cutAfter, response, gapMs)
}

function bodyOf({ frames, messages, bytes, json }: MockAnswer): Buffer {
	if (bytes) return bytes
	if (messages) return Buffer.concat(messages)
	return Buffer.from(frames ? frames.join('') : JSON.stringify(json))
}

/** The model may be in the path. */
function isSlow({ path }: ReceivedRequest, { model }: MockAsk): boolean {
	return model === 'slow' || /\/slow[/:]/.test(path)
}

async function sendFrames(
	frames: readonly (string | Buffer)[],
	cutAfter: number | undefined,
	response: ServerResponse,
	gapMs: number,
): Promise<void> {
	for (const [index, frame] of frames.entries()) {
		if (response.destroyed) return
		if (index === cutAfter) {
			// The data must be sent before the connection is cut.
			await new Promise((resolve) => setTimeout(resolve, 20))
			return void response.destroy()
		}
		response.write(frame)
		if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs))
	}
	response.end()
}

function parseAsk(body: Buffer): MockAsk {
	try {
		return JSON.parse(body.toString()) as MockAsk
	} catch {
		return {}
	}
}

function answerFor({ method, path, headers }: ReceivedRequest, ask: MockAsk): MockAnswer {
	const plain = path.split('?')[0] as string
	if (plain.includes('/model/')) return answerBedrock(plain, ask)
	if (plain.includes('/models/count-tokens:'))
		return answerAnthropic(method, '/v1/messages/count_tokens', ask)
	if (plain.includes('/publishers/anthropic/'))
		return answerAnthropic(method, '/v1/messages', vertexAsk(plain, ask))
	// OpenAI's forms at other providers. Anthropic's files do not differ in anything that is tested.
	if (/\/v1beta\/openai\/|\/v1\/files(\/|$)/.test(plain)) return answerOpenAi(method, plain, ask)
	if (plain.includes('/v1beta') || /\/models\/[^/]+:\w+$/.test(plain)) return answerGemini(method, path, ask)
	const anthropic = plain.includes('/messages') || headers['anthropic-version'] !== undefined
	return anthropic ? answerAnthropic(method, plain, ask) : answerOpenAi(method, plain, ask)
}

/** On Vertex AI the path contains the model. */
function vertexAsk(path: string, ask: MockAsk): MockAsk {
	return { ...ask, model: /models\/([^/:]+):/.exec(path)?.[1] ?? '' }
}

const encoders = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync }

/** Compresses only if the caller accepts exactly one encoding, so that ordinary clients get plain bytes. */
function encode(bytes: Buffer, accepted: unknown, answer: MockAnswer) {
	const name = String(accepted) as keyof typeof encoders
	if (!Object.hasOwn(encoders, name) || answer.cutAfter !== undefined) return { bytes, encoding: null }
	return { bytes: encoders[name](bytes), encoding: name }
}

/** Reads an answer to its end, or until its connection is cut. */
export async function readAnswer({ body }: Response): Promise<{ text: string; isCut: boolean }> {
	const decoder = new TextDecoder()
	let text = ''
	try {
		for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true })
		return { text, isCut: false }
	} catch {
		return { text, isCut: true }
	}
}
