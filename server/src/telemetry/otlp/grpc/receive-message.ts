import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate, type ZstdOptions, zstdDecompress } from 'node:zlib'
import { Problem } from '../../../platform/errors.ts'
import { boundedZstd } from '../inflate.ts'
import type { BodyLimits } from '../receive-body.ts'

const headBytes = 5
/** See receive-body.ts. */
const largestRatio = 200
const ratioAppliesFromBytes = 4 * 1024 * 1024

type Inflate = (data: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer<ArrayBuffer>>

const unzstd = promisify<Uint8Array, ZstdOptions, Buffer>(zstdDecompress)
const inflaters: Readonly<Record<string, Inflate>> = {
	gzip: promisify(gunzip) as Inflate,
	deflate: promisify(inflate) as Inflate,
	zstd: (data, options) => unzstd(data, { ...options, ...boundedZstd }) as Promise<Buffer<ArrayBuffer>>,
}

/** Receives the one message of a unary call, inflated. Throws Problem 400, 413, 415 or 429. */
export async function receiveMessage(
	request: IncomingMessage,
	limits: BodyLimits,
): Promise<Buffer<ArrayBuffer>> {
	const framed = await receiveFrame(request, limits)
	if (framed.length < headBytes || framed.length !== headBytes + framed.readUInt32BE(1))
		throw malformed('The call does not carry exactly one message.')
	const flag = framed[0]
	if (flag !== 0 && flag !== 1) throw malformed('The message has an unknown flag.')
	const message = Buffer.from(framed.subarray(headBytes))
	return flag === 0 ? message : inflateMessage(request, message, limits)
}

async function receiveFrame(request: IncomingMessage, { limitBytes, hold }: BodyLimits): Promise<Buffer> {
	const chunks: Buffer[] = []
	let size = 0
	try {
		for await (const chunk of request.iterator({ destroyOnReturn: false })) {
			size += chunk.length
			if (size > limitBytes + headBytes) throw tooLarge(limitBytes)
			hold.add(chunk.length)
			chunks.push(chunk)
		}
	} catch (error) {
		throw error instanceof Problem ? error : malformed('The stream ended before the message did.')
	}
	return Buffer.concat(chunks, size)
}

async function inflateMessage(
	request: IncomingMessage,
	message: Buffer,
	{ limitBytes, hold }: BodyLimits,
): Promise<Buffer<ArrayBuffer>> {
	const name = String(request.headers['grpc-encoding'] ?? 'identity')
	const inflateIt = Object.hasOwn(inflaters, name) ? inflaters[name] : undefined
	if (!inflateIt)
		throw new Problem('unsupported_media_type', 'The grpc-encoding is gzip, deflate, zstd or identity here.')
	const mostBytes = Math.min(limitBytes, Math.max(ratioAppliesFromBytes, message.length * largestRatio))
	try {
		const inflated = await inflateIt(message, { maxOutputLength: mostBytes })
		hold.add(inflated.length)
		return Buffer.from(inflated)
	} catch (error) {
		if (error instanceof Problem) throw error
		if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
		throw malformed('The message is not what its grpc-encoding says.')
	}
}

function tooLarge(limitBytes: number): Problem {
	return new Problem('body_too_large', `The limit here is ${limitBytes} bytes.`)
}

function malformed(detail: string): Problem {
	return new Problem('invalid_request', detail, { errors: [{ pointer: '', code: 'malformed', detail }] })
}
