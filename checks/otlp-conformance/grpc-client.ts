import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2'
import { expectThat, type Signal, type Target } from './target.ts'

const services = {
	traces: 'trace.v1.TraceService',
	metrics: 'metrics.v1.MetricsService',
	logs: 'logs.v1.LogsService',
} as const

export interface CallAnswer {
	/** `grpc-status`; -1 if it is missing. */
	status: number
	message: string
	/** `grpc-status-details-bin`. */
	details: Buffer
	/** The response messages. */
	messages: Buffer[]
	headers: Record<string, unknown>
}

export const pathOf = (signal: Signal) => `/opentelemetry.proto.collector.${services[signal]}/Export`

/** Opens a connection for several calls and closes it after the work. */
export async function withConnection<T>(
	target: Target,
	work: (session: ClientHttp2Session) => Promise<T>,
): Promise<T> {
	expectThat(target.grpc !== null, 'the target has no gRPC address')
	const session = connect(`http://${target.grpc}`)
	session.on('error', () => undefined)
	try {
		return await work(session)
	} finally {
		session.close()
	}
}

/** Makes one unary call with a message that already has its frame. */
export function callWith(
	session: ClientHttp2Session,
	path: string,
	frame: Buffer,
	headers: OutgoingHttpHeaders,
): Promise<CallAnswer> {
	return new Promise((resolve, reject) => {
		const stream = session.request({
			':method': 'POST',
			':path': path,
			te: 'trailers',
			'content-type': 'application/grpc',
			...headers,
		})
		const chunks: Buffer[] = []
		let seen: Record<string, unknown> = {}
		stream.on('response', (response) => {
			seen = { ...seen, ...response }
		})
		stream.on('trailers', (trailers) => {
			seen = { ...seen, ...trailers }
		})
		stream.on('data', (chunk: Buffer) => chunks.push(chunk))
		stream.once('error', reject)
		stream.once('close', () => resolve(toAnswer(seen, Buffer.concat(chunks))))
		stream.end(frame)
	})
}

export function call(
	target: Target,
	signal: Signal,
	message: Buffer,
	headers: OutgoingHttpHeaders = {},
): Promise<CallAnswer> {
	return withConnection(target, (session) =>
		callWith(session, pathOf(signal), frameOf(message), { ...target.headers, ...headers }),
	)
}

export function frameOf(message: Buffer, compressed = false): Buffer {
	const head = Buffer.alloc(5)
	head[0] = compressed ? 1 : 0
	head.writeUInt32BE(message.length, 1)
	return Buffer.concat([head, message])
}

export function expectStatus(answer: CallAnswer, ...wanted: number[]): void {
	expectThat(wanted.includes(answer.status), `the status is ${answer.status}: ${answer.message}`)
}

function toAnswer(headers: Record<string, unknown>, body: Buffer): CallAnswer {
	const messages: Buffer[] = []
	for (let at = 0; at + 5 <= body.length; ) {
		const end = at + 5 + body.readUInt32BE(at + 1)
		messages.push(body.subarray(at + 5, end))
		at = end
	}
	return {
		status: Number(headers['grpc-status'] ?? -1),
		message: decodeURIComponent(String(headers['grpc-message'] ?? '')),
		details: Buffer.from(String(headers['grpc-status-details-bin'] ?? ''), 'base64'),
		messages,
		headers,
	}
}
