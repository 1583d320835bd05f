import { list, message, text, uint32, uint64 } from '../../server/src/telemetry/otlp/message-codec.ts'
import { WireReader } from '../../server/src/telemetry/otlp/wire-reader.ts'
import type { Encoding, Signal } from './target.ts'

const status = message({
	code: [1, uint32],
	message: [2, text],
	details: [3, list(message({ typeUrl: [1, text] }))],
})
const response = message({ partialSuccess: [1, message({ rejected: [1, uint64], errorMessage: [2, text] })] })
const rejectedFields = {
	traces: 'rejectedSpans',
	metrics: 'rejectedDataPoints',
	logs: 'rejectedLogRecords',
} as const

/** `google.rpc.Status`. */
export interface Status {
	code: number
	message: string
	/** Type URLs of the details. */
	details: string[]
}

export function readStatus(body: Buffer, encoding: Encoding): Status {
	if (encoding === 'protobuf') {
		const read = status.readWhole(new WireReader(body))
		return { ...read, details: read.details.map(({ typeUrl }) => typeUrl) }
	}
	const { code = 0, message: text = '', details = [] } = JSON.parse(body.toString()) as Record<string, never>
	return { code, message: text, details: (details as { '@type': string }[]).map((detail) => detail['@type']) }
}

export function readPartialSuccess(
	body: Buffer,
	signal: Signal,
	encoding: Encoding,
): { rejected: number; errorMessage: string } {
	if (encoding === 'protobuf') {
		const { partialSuccess } = response.readWhole(new WireReader(body))
		return { rejected: Number(partialSuccess.rejected), errorMessage: partialSuccess.errorMessage }
	}
	const { partialSuccess = {} } = JSON.parse(body.toString()) as { partialSuccess?: Record<string, string> }
	return {
		rejected: Number(partialSuccess[rejectedFields[signal]] ?? 0),
		errorMessage: partialSuccess.errorMessage ?? '',
	}
}
