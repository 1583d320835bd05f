import type { IncomingMessage } from 'node:http'
import { Problem } from '../errors.ts'
import { LaneRequest } from '../http1/lane-request.ts'
import { bodyMemory, type Holder } from './body-memory.ts'

/**
 * Reads a whole body of at most `limitBytes`, refusing by Content-Length before the first byte where it can. With a holder it
 * counts against the memory for bodies. Rejects with Problem 400, 413, 429 or 503.
 */
export function readBody(request: IncomingMessage, limitBytes: number, holder?: Holder): Promise<Buffer> {
	const announced = Number(request.headers['content-length'] ?? 0)
	if (announced > limitBytes) return Promise.reject(tooLarge(limitBytes))
	const whole = wholeBody(request, announced, holder)
	if (whole !== null) return whole
	return new Promise((resolve, reject) => {
		const memory = holder?.memory ?? bodyMemory
		if (holder) memory.requireRoom(holder.owner, announced)
		const hold = holder ? memory.hold(holder) : () => undefined
		const chunks: Buffer[] = []
		let size = 0
		const refuse = (problem: unknown) => {
			request.removeAllListeners('data')
			request.resume()
			reject(problem)
		}
		request.on('data', (chunk: Buffer) => {
			size += chunk.length
			if (size > limitBytes) return refuse(tooLarge(limitBytes))
			try {
				hold(chunk.length)
			} catch (problem) {
				return refuse(problem)
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

/** A body that came with its head. Null: it is still to come, or nobody knows. */
function wholeBody(request: unknown, bytes: number, holder?: Holder): Promise<Buffer> | null {
	if (!(request instanceof LaneRequest) || !request.complete) return null
	try {
		if (holder) (holder.memory ?? bodyMemory).hold(holder)(bytes)
	} catch (problem) {
		return Promise.reject(problem)
	}
	const body = request.takeWhole()
	return body && Promise.resolve(body)
}

function cutOff(cause?: Error): Problem {
	return new Problem('invalid_request', 'The connection ended before the body did.', { cause })
}

export function tooLarge(limitBytes: number): Problem {
	return new Problem('body_too_large', `The limit here is ${limitBytes} bytes.`, {
		headers: { connection: 'close' },
	})
}
