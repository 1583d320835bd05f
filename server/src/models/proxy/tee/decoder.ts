import {
	constants,
	createBrotliDecompress,
	createGunzip,
	createInflate,
	createZstdDecompress,
} from 'node:zlib'

const decodedLimitBytes = 256 * 1024 * 1024

/** Takes encoded bytes, gives plain ones to `onBytes`; `end` resolves when all were given. */
export interface Decoder {
	write(chunk: Buffer): void
	end(): Promise<void>
}

type Zlib = ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>

// A stream cut in its middle still gives what it held, hence the lenient flush at the end.
const makers: Record<string, () => Zlib> = {
	gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
	'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
	deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
	br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
	zstd: () => createZstdDecompress(),
}

/**
 * A decoder of one content encoding for reading along; null for one that is not known. Damaged or over-long input
 * ends the reading quietly: the bytes themselves go to the client by another way.
 */
export function openDecoder(encoding: string, onBytes: (bytes: Buffer) => void): Decoder | null {
	const make = Object.hasOwn(makers, encoding) ? makers[encoding] : undefined
	if (!make) return null
	const stream = make()
	const ended = new Promise<void>((resolve) => stream.once('close', resolve))
	let decoded = 0
	stream.on('error', () => stream.destroy())
	stream.on('data', (bytes: Buffer) => {
		decoded += bytes.length
		if (decoded > decodedLimitBytes) stream.destroy()
		else onBytes(bytes)
	})
	return {
		write: (chunk) => {
			if (!stream.destroyed) stream.write(chunk)
		},
		end: () => {
			if (!stream.destroyed) stream.end()
			return ended
		},
	}
}
