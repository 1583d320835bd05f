import { Malformed, WireReader } from './wire-reader.ts'

/** What a receiver of OTLP answered. */
export interface OtlpAnswer {
	contentType: string
	body: Buffer
}

/** The `partial_success` of an export response, which is the same for all signals. What cannot be read says nothing. */
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

/** The message of a `google.rpc.Status`, or the body where it is something else. */
export function readStatusMessage({ contentType, body }: OtlpAnswer): string {
	if (isJson(contentType)) return String(parseJson(body)?.message ?? body.toString())
	return contentType.includes('protobuf') ? bytesOf(readFields(body).get(2)).toString() : body.toString()
}

const isJson = (contentType: string) => contentType.includes('json')

// biome-ignore lint/suspicious/noExplicitAny: a receiver may write whatever it likes.
function parseJson(body: Buffer): any {
	try {
		return JSON.parse(body.toString())
	} catch {
		return null
	}
}

/** The last value of each field that is a number or has a length. */
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
