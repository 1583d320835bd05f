import { parentPort } from 'node:worker_threads'
import { type BodyForm, type DecodedBody, decodeBody } from './decode-body.ts'
import { type DecodeOptions, ExpandsTooFar, Rejected } from './decoded.ts'
import { Malformed } from './wire-reader.ts'

export interface DecodeJob {
	id: number
	body: Uint8Array<ArrayBuffer>
	form: BodyForm
	options: DecodeOptions
}

interface Rows {
	rows: Uint8Array<ArrayBuffer>
}

export type DecodeResult =
	| { id: number; decoded: Omit<DecodedBody, 'rows' | 'calls'> & Rows & { calls?: Rows & { count: number } } }
	| { id: number; malformed: string }
	| { id: number; expandsTooFar: true }
	| { id: number; failure: string }

parentPort?.on('message', (job: DecodeJob) => {
	const result = run(job)
	const decoded = 'decoded' in result ? result.decoded : null
	const rows = [decoded, decoded?.calls].flatMap((part) => (part ? [part.rows.buffer] : []))
	parentPort?.postMessage(result, rows)
})

function run({ id, body, form, options }: DecodeJob): DecodeResult {
	try {
		return {
			id,
			decoded: decodeBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength), form, options),
		}
	} catch (error) {
		if (error instanceof Malformed || error instanceof Rejected) return { id, malformed: error.message }
		if (error instanceof ExpandsTooFar) return { id, expandsTooFar: true }
		return { id, failure: String((error as Error).stack ?? error) }
	}
}
