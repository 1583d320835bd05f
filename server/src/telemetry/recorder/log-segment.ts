import { FactsSeal } from './call-facts.ts'
import { headerBytes, type SegmentHeader } from './segment-format.ts'

/** A place in a segment where a batch may end, and the rows since the mark before. */
export interface Mark {
	to: number
	rows: number
	/** When its first row was flushed, ms since 1970. */
	atMs: number
}

/** What the main thread knows of one segment file. */
export interface LogSegment {
	header: SegmentHeader
	/** Of a segment that is written, where the log has keys. */
	seal: FactsSeal | null
	/** Place after the last submitted record. */
	end: number
	/** Place after the last record that is surely on disk. */
	flushedEnd: number
	/** Acknowledged rows. */
	rows: number
	/** Flushed and not yet in a batch. */
	marks: Mark[]
	/** Start of what is in no batch yet. */
	takenTo: number
	/** Nothing is written to it any more; `end` is final. */
	sealed: boolean
	damagedRecords: number
}

/** `key`: for what calls carry; null where nothing of that kind is recorded. */
export function newLogSegment(header: SegmentHeader, key: Buffer | null): LogSegment {
	return {
		header,
		seal: key && new FactsSeal(key),
		end: headerBytes,
		flushedEnd: headerBytes,
		rows: 0,
		marks: [],
		takenTo: headerBytes,
		sealed: false,
		damagedRecords: 0,
	}
}

const markRows = 4096
const markBytes = 1024 * 1024

/** Notes a flushed run; small ones share a mark, so a long log needs little memory. */
export function addMark(segment: Pick<LogSegment, 'marks' | 'takenTo'>, mark: Mark): void {
	const last = segment.marks.at(-1)
	const lastStart = segment.marks.at(-2)?.to ?? segment.takenTo
	if (!last || last.rows + mark.rows > markRows || mark.to - lastStart > markBytes) {
		segment.marks.push(mark)
		return
	}
	if (last.rows === 0) last.atMs = mark.atMs
	last.to = mark.to
	last.rows += mark.rows
}
