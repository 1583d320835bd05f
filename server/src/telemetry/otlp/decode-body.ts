import { hash } from 'node:crypto'
import type { Decoded, DecodeOptions } from './decoded.ts'
import type { Encoding } from './encoding.ts'
import { transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'

export interface DecodedBody extends Decoded {
	/** Of the inflated body: an exporter's retry has the same. */
	digest: string
}

/** Decodes a body on the spot. Throws `Malformed` or `ExpandsTooFar`. */
export function decodeBody(body: Buffer, encoding: Encoding, options: DecodeOptions): DecodedBody {
	const transcode = encoding === 'json' ? transcodeJson : transcodeProtobuf
	return { ...transcode(body, options), digest: hash('sha256', body, 'base64') }
}
