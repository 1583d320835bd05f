import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate, type ZstdOptions, zstdDecompress } from 'node:zlib'
import { Problem } from '../../platform/errors.ts'
import { freeBytes } from '../../platform/free-bytes.ts'
import type { Trailered } from '../../platform/http/listen-http2.ts'
import { type BodyLimits, boundedZstd } from './receive-body.ts'
import { encodeStatus, type Status, statusOf } from './rpc-status.ts'
import { grpcPrefix } from './signals.ts'

const headBytes = 5
/** Maximum compression ratio: see receive-body.ts. */
const largestRatio = 200
const ratioAppliesFromBytes = 4 * 1024 * 1024

type Inflate = (data: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer<ArrayBuffer>>

const unzstd = promisify<Uint8Array, ZstdOptions, Buffer>(zstdDecompress)
const inflaters: Readonly<Record<string, Inflate>> = {
	gzip: promisify(gunzip) as Inflate,
	deflate: promisify(inflate) as Inflate,
	zstd: (data, options) => unzstd(data, { ...options, ...boundedZstd }) as Promise<Buffer<ArrayBuffer>>,
}

/** Receives and inflates the single message of a unary call. Throws Problem 400, 413, 415 or 429. */
export async function receiveMessage(
	request: IncomingMessage,
	limits: BodyLimits,
): Promise<Buffer<ArrayBuffer>> {
	const { head, message } = await receiveFrame(request, limits)
	if (head.length < headBytes || message.length !== head.readUInt32BE(1))
		throw malformed('The call does not carry exactly one message.')
	const flag = head[0]
	if (flag !== 0 && flag !== 1) throw malformed('The message has an unknown flag.')
	return flag === 0 ? message : inflateMessage(request, message, limits)
}

/** The frame's header, incomplete if the body ended early, and the message after it, in memory of its own. */
interface Frame {
	head: Buffer
	message: Buffer<ArrayBuffer>
}

async function receiveFrame(request: IncomingMessage, { limitBytes, hold }: BodyLimits): Promise<Frame> {
	const chunks: Buffer<ArrayBuffer>[] = []
	let size = 0
	try {
		for await (const chunk of request.iterator({ destroyOnReturn: false })) {
			size += chunk.length
			if (size > limitBytes + headBytes) throw tooLarge(limitBytes)
			hold.add(chunk.length)
			chunks.push(chunk)
		}
	} catch (error) {
		throw error instanceof Problem ? error : malformed('The stream ended before the message did.')
	}
	return toFrame(chunks, size)
}

function toFrame(chunks: readonly Buffer<ArrayBuffer>[], size: number): Frame {
	const head = Buffer.alloc(Math.min(size, headBytes))
	const message = Buffer.allocUnsafeSlow(Math.max(0, size - headBytes))
	let at = 0
	for (const chunk of chunks) {
		const ofHead = Math.max(0, Math.min(headBytes - at, chunk.length))
		head.set(chunk.subarray(0, ofHead), Math.min(at, head.length))
		message.set(chunk.subarray(ofHead), Math.max(0, at - headBytes))
		at += chunk.length
		freeBytes(chunk)
	}
	return { head, message }
}

async function inflateMessage(
	request: IncomingMessage,
	message: Buffer,
	{ limitBytes, hold }: BodyLimits,
): Promise<Buffer<ArrayBuffer>> {
	const name = String(request.headers['grpc-encoding'] ?? 'identity')
	const inflateIt = Object.hasOwn(inflaters, name) ? inflaters[name] : undefined
	if (!inflateIt)
		throw new Problem('unsupported_media_type', 'The grpc-encoding is gzip, deflate, zstd or identity here.')
	const maxBytes = Math.min(limitBytes, Math.max(ratioAppliesFromBytes, message.length * largestRatio))
	try {
		const inflated = await inflateIt(message, { maxOutputLength: maxBytes })
		hold.add(inflated.length)
		return Buffer.from(inflated)
	} catch (error) {
		if (error instanceof Problem) throw error
		if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
		throw malformed('The message is not what its grpc-encoding says.')
	}
}

function tooLarge(limitBytes: number): Problem {
	return new Problem('body_too_large', `The limit here is ${limitBytes} bytes.`)
}

function malformed(detail: string): Problem {
	return new Problem('invalid_request', detail, { errors: [{ pointer: '', code: 'malformed', detail }] })
}

const unitMs: Readonly<Record<string, number>> = {
	H: 3_600_000,
	M: 60_000,
	S: 1000,
	m: 1,
	u: 0.001,
	n: 0.000_001,
}
const maxMs = 3_600_000

/** The caller's deadline (`grpc-timeout`) in ms; null if it is absent or unreadable. */
export function deadlineOf(request: IncomingMessage): number | null {
	const match = /^(\d{1,8})([HMSmun])$/.exec(String(request.headers['grpc-timeout'] ?? ''))
	return match ? Math.min(maxMs, Number(match[1]) * (unitMs[match[2] as string] as number)) : null
}

/** Calls `late` if `work` has not ended by the deadline. `work` is not cancelled. */
export async function withDeadline<T>(ms: number | null, work: Promise<T>, late: () => void): Promise<T> {
	const timer = ms === null ? null : setTimeout(late, ms)
	try {
		return await work
	} finally {
		if (timer) clearTimeout(timer)
	}
}

const contentType = 'application/grpc+proto'
const acceptedEncodings = 'identity,gzip,deflate,zstd'
/** gRPC has no code for some HTTP statuses: an unknown path or encoding is UNIMPLEMENTED. */
const codes: Readonly<Record<number, number>> = { 404: 12, 405: 12, 415: 12 }
const deadlineExceeded = 4
const unimplemented = 12

/** Whether a request is a gRPC call, on a protocol whose answers can have trailers. */
export function isGrpc(request: IncomingMessage): boolean {
	return (
		request.httpVersionMajor === 2 &&
		/^application\/grpc(\+proto)?(;|$)/.test(request.headers['content-type'] ?? '')
	)
}

/** Answers with one message and status OK. */
export function answerMessage(response: ServerResponse, message: Buffer): void {
	if (response.headersSent) return
	const head = Buffer.alloc(5)
	head.writeUInt32BE(message.length, 1)
	response.writeHead(200, { 'content-type': contentType, 'grpc-accept-encoding': acceptedEncodings })
	;(response as Trailered).addTrailers({ 'grpc-status': '0' })
	response.end(Buffer.concat([head, message]))
}

/** Answers with a problem as gRPC status, with `BadRequest` or `RetryInfo` in its details. */
export function refuseGrpc(response: ServerResponse, problem: Problem): void {
	const status = statusOf(problem)
	refuse(response, { ...status, code: codes[problem.status] ?? status.code })
}

/** The caller's deadline has passed; it may retry. */
export function refuseLate(response: ServerResponse): void {
	refuse(response, {
		code: deadlineExceeded,
		message: 'The deadline of the call has passed.',
		violations: [],
		retryAfterS: null,
	})
}

/** Only the OTLP services are served here. */
function refuseUnknown(response: ServerResponse): void {
	const message =
		'Signalbox takes OTLP here: the Export method of TraceService, MetricsService and LogsService.'
	refuse(response, { code: unimplemented, message, violations: [], retryAfterS: null })
}

/**
 * The status is sent in trailers. Node ends a stream with a separate frame after the headers, and grpc-go does not recognise a
 * status in headers that do not end the stream; its exporter would then not retry.
 */
function refuse(response: ServerResponse, status: Status): void {
	if (response.headersSent) return
	response.writeHead(200, { 'content-type': contentType, 'grpc-accept-encoding': acceptedEncodings })
	;(response as Trailered).addTrailers({
		'grpc-status': String(status.code),
		'grpc-message': encodeURIComponent(status.message),
		'grpc-status-details-bin': encodeStatus(status).toString('base64'),
	})
	response.end()
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** For the gRPC listener: refuses, as gRPC, everything that is not a call of an OTLP service. */
export function grpcOnly(handle: Handle): Handle {
	return (request, response) => {
		if (request.url?.startsWith(`/${grpcPrefix}`)) return handle(request, response)
		request.resume()
		refuseUnknown(response)
	}
}
