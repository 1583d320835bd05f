import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { problems } from '@signalbox/contract'
import type { Problem } from '../../platform/errors.ts'
import type { RefusalWriter } from '../../platform/http/index.ts'
import type { BodyForm } from './decode-body.ts'
import type { Decoded } from './decoded.ts'
import { contentTypes, type Encoding, encodingOf } from './encoding.ts'
import { countRejections, describeRejections } from './rejections.ts'
import { type Signal, signals } from './signals.ts'
import { WireWriter } from './wire-writer.ts'

/** `google.rpc.Code` by HTTP status. */
const rpcCodes: Readonly<Record<number, number>> = {
	400: 3,
	401: 16,
	403: 7,
	404: 5,
	405: 12,
	413: 8,
	415: 3,
	429: 8,
	503: 14,
}
const internalCode = 13
/** Below this there is nothing to gain. */
const worthZippingBytes = 256
const badRequestType = 'type.googleapis.com/google.rpc.BadRequest'

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
	const encoding = encodingOf(request) ?? 'json'
	send(
		request,
		response,
		problem.status,
		encoding,
		encoding === 'json' ? jsonStatus(problem) : protobufStatus(problem),
	)
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

interface Status {
	code: number
	message: string
	/** Fields at fault, for a bad request. */
	violations: { field: string; description: string }[]
}

function statusOf(problem: Problem): Status {
	return {
		code: rpcCodes[problem.status] ?? internalCode,
		message: `${problem.message} ${problems[problem.code].remedy}`,
		violations: (problem.errors ?? []).map(({ pointer, detail }) => ({
			field: pointer,
			description: detail,
		})),
	}
}

function jsonStatus(problem: Problem): Buffer {
	const { code, message, violations } = statusOf(problem)
	const details = violations.length > 0 ? [{ '@type': badRequestType, fieldViolations: violations }] : []
	return Buffer.from(JSON.stringify({ code, message, details }))
}

export function protobufStatus(problem: Problem): Buffer {
	const { code, message, violations } = statusOf(problem)
	const w = new WireWriter()
	w.int(1, BigInt(code))
	w.text(2, message)
	if (violations.length > 0)
		w.message(3, (any) => {
			any.text(1, badRequestType)
			any.message(2, (w) => {
				for (const { field, description } of violations)
					w.message(1, (w) => {
						w.text(1, field)
						w.text(2, description)
					})
			})
		})
	return w.toBuffer()
}
