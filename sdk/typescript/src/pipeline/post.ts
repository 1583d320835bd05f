import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { context, createContextKey } from '@opentelemetry/api'

/** The result of sending a body, as OTLP defines it. */
export type Outcome =
	| { kind: 'taken'; refused: number }
	| { kind: 'refused'; reason: string }
	| { kind: 'again'; reason: string; afterMs: number | null }

export interface Target {
	url: string
	headers: Readonly<Record<string, string>>
	timeoutMs: number
}

const compress = promisify(gzip)
const plainAgent = new PlainAgent({ keepAlive: true, maxSockets: 2 })
const tlsAgent = new TlsAgent({ keepAlive: true, maxSockets: 2 })
/** The context key by which other instrumentations recognise that a request is not the application's. */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')
const answerMaxBytes = 65_536

/** Sends one body, compressed. Never rejects, and never keeps the process alive: its sockets are not waited for at an exit. */
export async function post(target: Target, body: Buffer): Promise<Outcome> {
	try {
		const compressed = await compress(body)
		const untraced = context.active().setValue(suppressed, true)
		const response = await context.with(untraced, () => ask(target, compressed))
		return outcomeOf(response, await readAnswer(response))
	} catch (error) {
		return { kind: 'again', reason: reasonOf(error), afterMs: null }
	}
}

function ask({ url, headers, timeoutMs }: Target, body: Buffer): Promise<IncomingMessage> {
	const isTls = /^https:/i.test(url)
	return new Promise((resolve, reject) => {
		const request = (isTls ? tlsRequest : plainRequest)(url, {
			method: 'POST',
			agent: isTls ? tlsAgent : plainAgent,
			signal: AbortSignal.timeout(timeoutMs),
			headers: {
				...headers,
				'content-type': 'application/x-protobuf',
				'content-encoding': 'gzip',
				'content-length': body.length,
			},
		})
		request.on('socket', (socket) => socket.unref())
		request.on('response', resolve)
		request.on('error', reject)
		request.end(body)
	})
}

/** The body counts only if it is complete; the status counts in any case. */
async function readAnswer(response: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = []
	let bytes = 0
	try {
		for await (const chunk of response as AsyncIterable<Buffer>) {
			bytes += chunk.length
			if (bytes > answerMaxBytes) break
			chunks.push(chunk)
		}
	} catch {
		return Buffer.alloc(0)
	}
	return Buffer.concat(chunks)
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage, answer: Buffer): Outcome {
	if (statusCode >= 200 && statusCode < 300) return { kind: 'taken', refused: refusedIn(answer) }
	const reason = `The endpoint answered ${statusCode}.`
	if (![429, 502, 503, 504].includes(statusCode)) return { kind: 'refused', reason }
	return { kind: 'again', reason, afterMs: delayOf(headers['retry-after']) }
}

/** `partial_success.rejected_*` of an answer: field 1 of field 1. */
function refusedIn(answer: Buffer): number {
	if (answer[0] !== 10 || answer[2] !== 8) return 0
	let count = 0
	for (let at = 3; at < answer.length; at++) {
		const byte = answer[at] as number
		count += (byte & 127) * 128 ** (at - 3)
		if (byte < 128) break
	}
	return count
}

/** Parses a number of seconds or a date; null if there is none, or it is invalid. */
function delayOf(retryAfter: string | undefined): number | null {
	if (retryAfter === undefined) return null
	const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
	return Number.isFinite(ms) ? Math.max(0, ms) : null
}

function reasonOf(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException
	return `The endpoint cannot be reached (${code ?? message}).`
}
