import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { RefusalWriter } from '../../platform/http/route.ts'
import { type Decoded, type Rejections, reasons } from './decoded.ts'
import { isGrpc, refuseGrpc } from './grpc.ts'
import type { IngestCounts } from './ingest-counts.ts'
import { encodeStatus, statusJson, statusOf } from './rpc-status.ts'
import { type BodyForm, contentTypes, type Encoding, encodingOf, type Signal, signals } from './signals.ts'
import { Malformed, WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** The answer of an OTLP receiver. */
export interface OtlpAnswer {
	contentType: string
	body: Buffer
}

/** The `partial_success` of an export response, which is the same for all signals. An unreadable one counts as empty. */
export function readPartialSuccess({ contentType, body }: OtlpAnswer): { rejected: number; message: string } {
	if (isJson(contentType)) {
		const { rejectedSpans, rejectedDataPoints, rejectedLogRecords, errorMessage } =
			parseJson(body)?.partialSuccess ?? {}
		const rejected = rejectedSpans ?? rejectedDataPoints ?? rejectedLogRecords
		return { rejected: countOf(rejected), message: String(errorMessage ?? '') }
	}
	const partial = readFields(bytesOf(readFields(body).get(1)))
	return { rejected: countOf(partial.get(1)), message: bytesOf(partial.get(2)).toString() }
}

/** The message of a `google.rpc.Status`, or the body if it is something else. */
export function readStatusMessage({ contentType, body }: OtlpAnswer): string {
	if (isJson(contentType)) return String(parseJson(body)?.message ?? body.toString())
	return contentType.includes('protobuf') ? bytesOf(readFields(body).get(2)).toString() : body.toString()
}

const isJson = (contentType: string) => contentType.includes('json')

// biome-ignore lint/suspicious/noExplicitAny: a receiver may answer anything.
function parseJson(body: Buffer): any {
	try {
		return JSON.parse(body.toString())
	} catch {
		return null
	}
}

/** The last value of each field that is a number or length-delimited. */
function readFields(bytes: Buffer): Map<number, Buffer | number | bigint> {
	const fields = new Map<number, Buffer | number | bigint>()
	const r = new WireReader(bytes)
	try {
		while (r.hasMore()) {
			const tag = r.uint32()
			if ((tag & 7) === 0) fields.set(tag >>> 3, r.int64())
			else if ((tag & 7) === 2) fields.set(tag >>> 3, bytes.subarray(r.skipField(), r.position))
			else r.skip(tag)
		}
	} catch (error) {
		if (!(error instanceof Malformed)) throw error
	}
	return fields
}

function bytesOf(field: Buffer | number | bigint | undefined): Buffer {
	return Buffer.isBuffer(field) ? field : Buffer.alloc(0)
}

function countOf(value: unknown): number {
	const count = Number(value)
	return Number.isFinite(count) ? Math.max(0, count) : 0
}

/** Smaller bodies are not worth compressing. */
const worthZippingBytes = 256

/** 200 with the response message of the signal, which is empty if everything was accepted. */
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

/** Refuses with a `google.rpc.Status` in the encoding of the request; in JSON if the encoding is unknown. */
export const refuseOtlp: RefusalWriter = (request, response, problem) => {
	if (isGrpc(request)) return refuseGrpc(response, problem)
	const encoding = encodingOf(request) ?? 'json'
	const status = statusOf(problem)
	const body = encoding === 'json' ? Buffer.from(JSON.stringify(statusJson(status))) : encodeStatus(status)
	// HTTP/2 has none.
	if (request.httpVersionMajor !== 2) response.statusMessage = reasonOf(status.message)
	send(request, response, problem.status, encoding, body)
}

const maxReason = 256
/** The reason phrase is all that OpenTelemetry's exporter for Python shows of a refusal, so it has the message, in printable ASCII. */
const reasonOf = (message: string) => message.slice(0, maxReason).replace(/[^ -~]/g, '?')

/** Refuses like `refuseOtlp`, and counts the reason. */
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

export function countRejections(rejections: Rejections): number {
	return Object.values(rejections).reduce((sum, count) => sum + count, 0)
}

/** One sentence per reason, with the counts. */
function describeRejections(rejections: Rejections, storedCount: number, signal: Signal): string {
	const { item } = signals[signal]
	const parts = Object.entries(rejections).map(
		([reason, count]) => `${count} ${item}${count === 1 ? '' : 's'}: ${reason.replace(/\.$/, '')}`,
	)
	const idless = Object.keys(rejections).every((reason) => reason === reasons.traceId)
	if (storedCount === 0 && idless) parts.push('Are these logs or metrics? This path takes traces')
	return `${parts.join('. ')}.`
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

/** The protobuf response message; its fields are the same for all signals. */
export function successMessage(signal: Signal, { count, rejections }: Outcome): Buffer {
	const rejected = countRejections(rejections)
	if (rejected === 0) return Buffer.alloc(0)
	const w = new WireWriter()
	w.message(1, (partial) => {
		partial.int(1, BigInt(rejected))
		partial.text(2, describeRejections(rejections, count, signal))
	})
	return w.toBuffer()
}
