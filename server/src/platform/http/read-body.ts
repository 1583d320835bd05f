import type { IncomingMessage } from 'node:http'
import { Problem } from '../errors.ts'

/** Reads a whole body of at most `limitBytes`, refusing by Content-Length before the first byte where it can. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
	if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.reject(tooLarge(limitBytes))
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = []
		let size = 0
		request.on('data', (chunk: Buffer) => {
			size += chunk.length
			if (size > limitBytes) {
				request.removeAllListeners('data')
				request.resume()
				return reject(tooLarge(limitBytes))
			}
			chunks.push(chunk)
		})
		request.on('end', () =>
			resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)),
		)
		// A client that goes away is no failure of ours.
		request.on('error', (error) => reject(cutOff(error)))
		request.on('close', () => {
			// After a whole body it would only cost an error with its stack.
			if (!request.complete) reject(cutOff())
		})
	})
}

function cutOff(cause?: Error): Problem {
	return new Problem('invalid_request', 'The connection ended before the body did.', { cause })
}

export function tooLarge(limitBytes: number): Problem {
	return new Problem('body_too_large', `The limit here is ${limitBytes} bytes.`, {
		headers: { connection: 'close' },
	})
}
