import { readFileSync } from 'node:fs'
import { decodeSpanBlock } from '../../blocks/span-block.ts'
import { transcodeJson } from '../transcode-json.ts'
import { transcodeProtobuf } from '../transcode-protobuf.ts'

/** As of a workspace that takes spans of any time. */
export const transcodeOptions = {
	workspaceId: 'w',
	retentionDays: 30,
	oldestNs: 0n,
	nowNs: 1n,
	newestNs: 2n ** 63n - 1n,
	maxRowsBytes: 2 ** 26,
}

/** The rows that become of a recording. */
export function spansOf(file: string) {
	const body = readFileSync(new URL(file, import.meta.url))
	const transcode = file.endsWith('.json') ? transcodeJson : transcodeProtobuf
	return decodeSpanBlock(transcode(body, transcodeOptions).rows)
}
