import type { LogSubject } from './recorder.ts'
import { isFacts, type LogRecord } from './segment-format.ts'

/** A text as rows encode it: its length in bytes as a varint, then the bytes. */
export function encodedText(text: string): Buffer {
	const bytes = Buffer.from(text)
	const length: number[] = []
	let rest = bytes.length
	for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128)
	return Buffer.concat([Buffer.from([...length, rest]), bytes])
}

/**
 * Finds records that name a subject in a column or an attribute. It searches the raw bytes, so rows of older layouts are found too.
 */
export function namesSubject({
	workspaceId,
	value,
}: LogSubject): (record: Pick<LogRecord, 'workspaceId' | 'bytes'> & { rowFormat?: number }) => boolean {
	const wanted = encodedText(value)
	const inJson = Buffer.from(JSON.stringify(value).slice(1, -1))
	return ({ workspaceId: of, bytes, rowFormat }) => {
		if (of !== workspaceId) return false
		const inRecord = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
		// The facts of a call may name it anywhere, as JSON or as plain text.
		if (isFacts(rowFormat)) return inRecord.includes(inJson) || inRecord.includes(value)
		return inRecord.includes(wanted)
	}
}
