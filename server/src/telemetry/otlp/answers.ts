import type { ServerResponse } from 'node:http'
import { problems } from '@signalbox/contract'
import type { Problem } from '../../platform/errors.ts'
import type { RefusalWriter } from '../../platform/http/index.ts'
import { contentTypes, type Encoding, encodingOf } from './encoding.ts'
import { countRejections, describeRejections, type Rejections } from './rejections.ts'
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
const badRequestType = 'type.googleapis.com/google.rpc.BadRequest'

/** 200 with `ExportTraceServiceResponse`: empty when everything was taken. */
export function answerSuccess(
	response: ServerResponse,
	encoding: Encoding,
	count: number,
	rejections: Rejections,
): void {
	const rejected = countRejections(rejections)
	const message = rejected === 0 ? '' : describeRejections(rejections, count)
	send(
		response,
		200,
		encoding,
		encoding === 'json' ? jsonSuccess(rejected, message) : protobufSuccess(rejected, message),
	)
}

/** Refuses in the encoding of the request with a `google.rpc.Status`; JSON where the encoding is not known. */
export const refuseOtlp: RefusalWriter = (request, response, problem) => {
	const encoding = encodingOf(request) ?? 'json'
	send(
		response,
		problem.status,
		encoding,
		encoding === 'json' ? jsonStatus(problem) : protobufStatus(problem),
	)
}

function send(response: ServerResponse, status: number, encoding: Encoding, body: Buffer): void {
	response.writeHead(status, { 'content-type': contentTypes[encoding], 'content-length': body.length })
	response.end(body)
}

function jsonSuccess(rejected: number, errorMessage: string): Buffer {
	const partialSuccess = { rejectedSpans: String(rejected), errorMessage }
	return Buffer.from(JSON.stringify(rejected === 0 ? {} : { partialSuccess }))
}

function protobufSuccess(rejected: number, errorMessage: string): Buffer {
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

function protobufStatus(problem: Problem): Buffer {
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
