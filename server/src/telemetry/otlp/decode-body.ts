import { hash } from 'node:crypto'
import { transcodeLogsJson, transcodeLogsProtobuf } from '../logs/transcode-logs.ts'
import { transcodeMetricsJson, transcodeMetricsProtobuf } from '../metrics/transcode-metrics.ts'
import type { Decoded, DecodeOptions } from './decoded.ts'
import type { Encoding, Signal } from './signals.ts'
import { transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'

export interface DecodedBody extends Decoded {
	/** Of the inflated body: an exporter's retry has the same. */
	digest: string
}

/** What a body is. */
export interface BodyForm {
	signal: Signal
	encoding: Encoding
}

type Transcode = (body: Buffer, options: DecodeOptions) => Decoded

const transcoders: Readonly<Record<Signal, Readonly<Record<Encoding, Transcode>>>> = {
	traces: { protobuf: transcodeProtobuf, json: transcodeJson },
	metrics: { protobuf: transcodeMetricsProtobuf, json: transcodeMetricsJson },
	logs: { protobuf: transcodeLogsProtobuf, json: transcodeLogsJson },
}

/** Decodes a body on the spot. Throws `Malformed` or `ExpandsTooFar`. */
export function decodeBody(
	body: Buffer,
	{ signal, encoding }: BodyForm,
	options: DecodeOptions,
): DecodedBody {
	return { ...transcoders[signal][encoding](body, options), digest: hash('sha256', body, 'base64') }
}
