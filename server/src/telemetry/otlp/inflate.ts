import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { Problem } from '../../platform/errors.ts'

/** A zstd frame may ask for a window of any size; this bounds it at 64 MiB. */
const largestWindowLog = 26
export const boundedZstd = { params: { [constants.ZSTD_d_windowLogMax]: largestWindowLog } }

const inflaters: Readonly<Record<string, () => Transform>> = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	// As the OpenTelemetry Collector calls the same.
	zlib: createInflate,
	zstd: () => createZstdDecompress(boundedZstd),
}

/** The stream that undoes the request's Content-Encoding; null when it has none. */
export function createInflater(request: IncomingMessage): Transform | null {
	const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
	if (encoding === '' || encoding === 'identity' || encoding === 'none') return null
	const create = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
	if (!create)
		throw new Problem(
			'unsupported_media_type',
			'The Content-Encoding is gzip, deflate, zlib, zstd or none here.',
		)
	return create()
}
