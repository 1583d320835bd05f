import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { RefusalWriter } from '../../platform/http/index.ts'
import type { BodyForm } from './decode-body.ts'
import type { Decoded } from './decoded.ts'
import { contentTypes, type Encoding, encodingOf } from './encoding.ts'
import { isGrpc, refuseGrpc } from './grpc/answer.ts'
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
	{ count, rejections }: Pick<Decoded, 'count' | 'rejections'>,
): void {
	const rejected = countRejections(rejections)
	const message = rejected === 0 ? '' : describeRejections(rejections, count, signal)
	const body =
		encoding === 'json' ? jsonSuccess(signal, rejected, message) : protobufSuccess(rejected, message)
	send(request, response, 200, encoding, body)
}

/** Refuses in the encoding of the request with a `google.rpc.Status`; JSON where the encoding is not known. */
export const refuseOtlp: RefusalWriter = (request, response, problem) => {
	if (isGrpc(request)) return refuseGrpc(response, problem)
	const encoding = encodingOf(request) ?? 'json'
	const status = statusOf(problem)
	const body = encoding === 'json' ? Buffer.from(JSON.stringify(statusJson(status))) : encodeStatus(status)
	send(request, response, problem.status, encoding, body)
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

function jsonSuccess(signal: Signal, rejected: number, errorMessage: string): Buffer {
	const partialSuccess = { [signals[signal].rejectedField]: String(rejected), errorMessage }
	return Buffer.from(JSON.stringify(rejected === 0 ? {} : { partialSuccess }))
}

/** All three response messages have the same fields. */
export function protobufSuccess(rejected: number, errorMessage: string): Buffer {
	const w = new WireWriter()
	if (rejected > 0)
		w.message(1, (w) => {
			w.int(1, BigInt(rejected))
			w.text(2, errorMessage)
		})
	return w.toBuffer()
}
