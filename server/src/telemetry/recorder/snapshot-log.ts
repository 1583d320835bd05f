import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LogSegment } from './log-entry.ts'
import { quarantineDirectory, segmentPath } from './log-files.ts'
import {
	encodeLines,
	type Manifest,
	type ManifestState,
	newManifestSegment,
	snapshotLine,
} from './manifest.ts'
import type { LogFile, LogSnapshot } from './recorder.ts'

interface SnapshotSource {
	directory: string
	segments: ReadonlyMap<number, LogSegment>
	manifest: Manifest
}

/** The log as of now: its segments up to the flushed position, a manifest that ends them there, and the quarantine. */
export function snapshotLog(
	{ directory, segments, manifest }: SnapshotSource,
	pendingRows: number,
): LogSnapshot {
	const live = [...segments.values()].map(({ header, flushedEnd, rows }) => ({
		number: header.number,
		end: flushedEnd,
		rows,
	}))
	const account = encodeLines([snapshotLine(endedAt(manifest.state, live))])
	const aside = quarantineDirectory(directory)
	return {
		pendingRows,
		files: [
			...live.map(({ number, end }) => toFile(segmentPath('', number), segmentPath(directory, number), end)),
			...readdirSync(aside).map((name) => toFile(join('quarantine', name), join(aside, name))),
			{
				path: 'manifest.log',
				read: async function* () {
					yield account
				},
			},
		],
	}
}

function toFile(path: string, source: string, end?: number): LogFile {
	return { path, read: () => createReadStream(source, end === undefined ? {} : { end: end - 1 }) }
}

function endedAt(
	state: ManifestState,
	live: readonly { number: number; end: number; rows: number }[],
): ManifestState {
	const ended = live.map(({ number, end, rows }) => {
		const segment = state.segments.get(number) ?? newManifestSegment()
		return [number, { ...segment, sealed: { end, rows } }] as const
	})
	return { ...state, segments: new Map(ended) }
}
