import { encodeSpanRow } from '../encode-row.ts'
import type { Recorder } from '../recorder/recorder.ts'
import type { SpanRow } from '../span-row.ts'

/**
 * Records calls that are over before we know of them, all of one workspace; resolves once they are on disk: false when
 * calls under the same key were there already. `key`: see `EncodedRows`. Throws as `Recorder.append` does.
 */
export type RecordCalls = (key: string, calls: readonly SpanRow[]) => Promise<boolean>

/** `asKept`: what is written of a call. */
export function createRecordCalls(
	recorder: Pick<Recorder, 'append'>,
	asKept: (call: SpanRow) => SpanRow,
): RecordCalls {
	return (key, calls) => {
		const spans = calls.map(asKept)
		const bytes = Buffer.concat(spans.map((row) => encodeSpanRow(row)))
		return recorder.append({
			workspaceId: spans[0]?.workspaceId ?? '',
			count: spans.length,
			bytes,
			key,
			spans,
		})
	}
}
