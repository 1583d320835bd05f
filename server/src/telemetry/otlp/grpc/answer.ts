import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Problem } from '../../../platform/errors.ts'
import type { Trailered } from '../../../platform/http/index.ts'
import { encodeStatus, type Status, statusOf } from '../rpc-status.ts'

const contentType = 'application/grpc+proto'
const acceptedEncodings = 'identity,gzip,deflate,zstd'
/** gRPC has codes of its own where HTTP has none: an unknown path or encoding is something that is not implemented. */
const codes: Readonly<Record<number, number>> = { 404: 12, 405: 12, 415: 12 }
const deadlineExceeded = 4
const unimplemented = 12

/** Whether a request is a gRPC call that its answer can have trailers for. */
export function isGrpc(request: IncomingMessage): boolean {
	return (
		request.httpVersionMajor === 2 &&
		/^application\/grpc(\+proto)?(;|$)/.test(request.headers['content-type'] ?? '')
	)
}

/** One message, then the status OK. */
export function answerMessage(response: ServerResponse, message: Buffer): void {
	if (response.headersSent) return
	const head = Buffer.alloc(5)
	head.writeUInt32BE(message.length, 1)
	response.writeHead(200, { 'content-type': contentType, 'grpc-accept-encoding': acceptedEncodings })
	;(response as Trailered).addTrailers({ 'grpc-status': '0' })
	response.end(Buffer.concat([head, message]))
}

/** A problem as a call's status, with `BadRequest` or `RetryInfo` in its details. */
export function refuseGrpc(response: ServerResponse, problem: Problem): void {
	const status = statusOf(problem)
	refuse(response, { ...status, code: codes[problem.status] ?? status.code })
}

/** The caller's own deadline has passed; it may ask again. */
export function refuseLate(response: ServerResponse): void {
	refuse(response, {
		code: deadlineExceeded,
		message: 'The deadline of the call has passed.',
		violations: [],
		retryAfterS: null,
	})
}

/** There is nothing but the services of OTLP here. */
export function refuseUnknown(response: ServerResponse): void {
	const message =
		'Signalbox takes OTLP here: the Export method of TraceService, MetricsService and LogsService.'
	refuse(response, { code: unimplemented, message, violations: [], retryAfterS: null })
}

/**
 * The status goes in trailers: Node ends a stream by a frame behind the headers, and grpc-go takes a status in headers that do
 * not end the stream for none, which its exporter does not send again.
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
