import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { Problem } from '../../platform/errors.ts'
import { tooLarge } from '../../platform/http/index.ts'

type Decode = (body: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>

/** In the thread pool. */
const decoders: Readonly<Record<string, Decode>> = {
	gzip: promisify(gunzip),
	'x-gzip': promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
	zstd: promisify(zstdDecompress),
}

/** A body without its content encoding, at most `limitBytes` of it. Rejects with Problem 400, 413 or 415. */
export async function decodeBody(
	contentEncoding: string | undefined,
	body: Buffer,
	limitBytes: number,
): Promise<Buffer> {
	const encoding = (contentEncoding ?? '').trim().toLowerCase()
	if (encoding === '' || encoding === 'identity') return body
	const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
	if (!decode)
		throw new Problem(
			'unsupported_media_type',
			'The Content-Encoding of a request is gzip, deflate, br, zstd or none here, and one of them alone.',
		)
	try {
		return await decode(body, { maxOutputLength: limitBytes })
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
		const { message } = error as Error
		throw new Problem('invalid_request', `The body is not what its Content-Encoding says: ${message}.`, {
			cause: error,
		})
	}
}
