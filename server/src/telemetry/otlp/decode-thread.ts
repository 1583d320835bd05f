import { parentPort } from 'node:worker_threads'
import { ExpandsTooFar, Rejected } from './decoded.ts'
import { type DecodeJob, type DecodeResult, decodeBody } from './decoder.ts'
import { Malformed } from './wire-reader.ts'

// Decodes large bodies, so that the thread that accepts and answers requests is not blocked.

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
