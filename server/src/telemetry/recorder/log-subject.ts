import type { LogSubject } from './recorder.ts'
import type { LogRecord } from './segment-format.ts'

/** How rows hold a text: behind its length in bytes, seven bits in each byte. */
export function encodedText(text: string): Buffer {
	const bytes = Buffer.from(text)
	const length: number[] = []
	let rest = bytes.length
	for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128)
	return Buffer.concat([Buffer.from([...length, rest]), bytes])
}

/** Tells records that name a subject, in a column or an attribute. It looks for the bytes: rows of older layouts are told too. */
export function namesSubject({
	workspaceId,
	value,
}: LogSubject): (record: Pick<LogRecord, 'workspaceId' | 'bytes'>) => boolean {
	const wanted = encodedText(value)
	return ({ workspaceId: of, bytes }) =>
		of === workspaceId && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(wanted)
}
