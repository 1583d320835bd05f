import { hash } from 'node:crypto'
import { transcodeLogsJson, transcodeLogsProtobuf } from '../logs/transcode-logs.ts'
import { transcodeMetricsJson, transcodeMetricsProtobuf } from '../metrics/transcode-metrics.ts'
import type { Decoded, DecodeOptions } from './decoded.ts'
import type { Encoding, Signal } from './signals.ts'
import { transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'

export interface DecodedBody extends Decoded {
	/** Hash of the inflated body, which is the same in an exporter's retry. */
	digest: string
}

/** The signal and encoding of a body. */
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

/** Decodes a body in the calling thread. Throws `Malformed` or `ExpandsTooFar`. */
export function decodeBody(
	body: Buffer,
	{ signal, encoding }: BodyForm,
	options: DecodeOptions,
): DecodedBody {
	return { ...transcoders[signal][encoding](body, options), digest: hash('sha256', body, 'base64') }
}
