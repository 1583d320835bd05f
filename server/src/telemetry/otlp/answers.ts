import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { RefusalWriter } from '../../platform/http/index.ts'
import type { BodyForm } from './decode-body.ts'
import type { Decoded } from './decoded.ts'
import { contentTypes, type Encoding, encodingOf } from './encoding.ts'
import { isGrpc, refuseGrpc } from './grpc/answer.ts'
import type { IngestCounts } from './ingest-counts.ts'
import { countRejections, describeRejections } from './rejections.ts'
import { encodeStatus, statusJson, statusOf } from './rpc-status.ts'
import { type Signal, signals } from './signals.ts'
import { WireWriter } from './wire-writer.ts'

/** Below this there is nothing to gain. */
const worthZippingBytes = 256

/** 200 with the response message of the signal: empty when everything was taken. */
export function answerSuccess(
	request: IncomingMessage,
	response: ServerResponse,
	{ signal, encoding }: BodyForm,
	decoded: Outcome,
): void {
	const body = encoding === 'json' ? successJson(signal, decoded) : successMessage(signal, decoded)
	send(request, response, 200, encoding, body)
}

type Outcome = Pick<Decoded, 'count' | 'rejections'>

/** Refuses in the encoding of the request with a `google.rpc.Status`; JSON where the encoding is not known. */
export const refuseOtlp: RefusalWriter = (request, response, problem) => {
	if (isGrpc(request)) return refuseGrpc(response, problem)
	const encoding = encodingOf(request) ?? 'json'
	const status = statusOf(problem)
	const body = encoding === 'json' ? Buffer.from(JSON.stringify(statusJson(status))) : encodeStatus(status)
	send(request, response, problem.status, encoding, body)
}

/** The same, and counts why. */
export function countRefusals(counts: Pick<IngestCounts, 'refuse'>): RefusalWriter {
	return (request, response, problem, requestId) => {
		counts.refuse(problem.code)
		refuseOtlp(request, response, problem, requestId)
	}
}

function send(
	request: IncomingMessage,
	response: ServerResponse,
	status: number,
	encoding: Encoding,
	body: Buffer,
): void {
	const zipped = body.length >= worthZippingBytes && acceptsGzip(request)
	const sent = zipped ? gzipSync(body) : body
	response.writeHead(status, {
		'content-type': contentTypes[encoding],
		'content-length': sent.length,
		...(zipped && { 'content-encoding': 'gzip' }),
	})
	response.end(sent)
}

function acceptsGzip(request: IncomingMessage): boolean {
	const accepted = String(request.headers['accept-encoding'] ?? '').split(',')
	return accepted.some((each) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(each))
}

function successJson(signal: Signal, { count, rejections }: Outcome): Buffer {
	const rejected = countRejections(rejections)
	if (rejected === 0) return Buffer.from('{}')
	const errorMessage = describeRejections(rejections, count, signal)
	const partialSuccess = { [signals[signal].rejectedField]: String(rejected), errorMessage }
	return Buffer.from(JSON.stringify({ partialSuccess }))
}

/** In protobuf, where the response messages of all signals have the same fields. */
export function successMessage(signal: Signal, { count, rejections }: Outcome): Buffer {
	const w = new WireWriter()
	const rejected = countRejections(rejections)
	if (rejected > 0)
		w.message(1, (partial) => {
			partial.int(1, BigInt(rejected))
			partial.text(2, describeRejections(rejections, count, signal))
		})
	return w.toBuffer()
}
