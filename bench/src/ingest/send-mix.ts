import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Format, modelSpans, smallSpans, type Template } from './bodies.ts'

/** The address of a program's receiver, and the credential. */
export interface Receiver {
	url: string
	grpcUrl: string
	token: string
}

export interface Sending {
	format: Format
	senders: number
	forMs: number
	/** Spans per second in total; without it, as many as are accepted. */
	rate?: number
}

export interface Sent {
	spans: number
	bytes: number
	/** Bodies that were refused, to be sent again, and the longest delay that was requested. */
	refused: number
	maxRetryS: number
	/** Of accepted bodies, sorted. */
	latencies: number[]
}

/** The result of sending one body. */
type Answer = { isTaken: true } | { isTaken: false; retryAfterS: number }

interface Channel {
	send(body: Buffer): Promise<Answer>
	close(): Promise<void>
}

/** Sends small spans and model calls in turns: ten of eleven spans are small, and most of the bytes are messages. */
export async function sendMix(receiver: Receiver, { format, senders, forMs, rate }: Sending): Promise<Sent> {
	const templates: readonly Template[] = [smallSpans({ format }), modelSpans({ format })]
	const sent: Sent = { spans: 0, bytes: 0, refused: 0, maxRetryS: 0, latencies: [] }
	const startMs = performance.now()
	const endMs = startMs + forMs
	let due = 0
	const sender = async (first: number, channel: Channel) => {
		for (let n = first; performance.now() < endMs; n += 1) {
			const template = templates[n % templates.length] as Template
			const dueMs = startMs + (due / (rate ?? Number.POSITIVE_INFINITY)) * 1000
			due += template.spans
			if (dueMs > performance.now()) await sleep(dueMs - performance.now())
			const body = template.next()
			const sentMs = performance.now()
			const answer = await channel.send(body)
			if (!answer.isTaken) {
				sent.refused += 1
				sent.maxRetryS = Math.max(sent.maxRetryS, answer.retryAfterS)
				await sleep(Math.min(answer.retryAfterS * 1000, Math.max(0, endMs - performance.now())))
				continue
			}
			sent.latencies.push(performance.now() - sentMs)
			sent.spans += template.spans
			sent.bytes += body.length
		}
	}
	const open = format === 'grpc' ? openGrpc : openHttp
	await Promise.all(
		Array.from({ length: senders }, async (_, index) => {
			const channel = open(receiver, format)
			await sender(index, channel).finally(() => channel.close())
		}),
	)
	sent.latencies.sort((a, b) => a - b)
	return sent
}

function openHttp({ url, token }: Receiver, format: Format): Channel {
	const pool = new Pool(url, { connections: 1 })
	const type = format === 'json' ? 'application/json' : 'application/x-protobuf'
	const headers = { 'content-type': type, authorization: `Bearer ${token}` }
	return {
		async send(body) {
			const response = await pool.request({ method: 'POST', path: '/v1/traces', headers, body })
			const text = await response.body.text()
			if (response.statusCode === 200) return { isTaken: true }
			if (response.statusCode !== 503 && response.statusCode !== 429)
				throw new Error(`The receiver answered ${response.statusCode}: ${text}`)
			return { isTaken: false, retryAfterS: Number(response.headers['retry-after'] ?? 1) }
		},
		close: () => pool.close(),
	}
}

const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
/** UNAVAILABLE and RESOURCE_EXHAUSTED: to be sent again. */
const later = ['14', '8']

function openGrpc({ grpcUrl, token }: Receiver): Channel {
	const session = connect(grpcUrl)
	const headers = {
		...{ ':method': 'POST', ':path': path, te: 'trailers' },
		...{ 'content-type': 'application/grpc', authorization: `Bearer ${token}` },
	}
	return {
		send: (body) =>
			new Promise((resolve, reject) => {
				const call = session.request(headers)
				let status: unknown
				let answer: unknown
				const note = (fields: Record<string, unknown>) => {
					status = fields['grpc-status'] ?? status
					answer = fields['grpc-message'] ?? answer
				}
				call.on('response', note).on('trailers', note).on('error', reject).resume()
				call.on('end', () => {
					if (status === '0') resolve({ isTaken: true })
					else if (later.includes(String(status))) resolve({ isTaken: false, retryAfterS: 1 })
					else reject(new Error(`The receiver answered ${status}: ${answer}`))
				})
				call.end(body)
			}),
		close: () => new Promise((resolve) => session.close(() => resolve())),
	}
}
