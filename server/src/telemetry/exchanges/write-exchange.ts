import { writeArray } from '../encode-row.ts'
import { RowWriter } from '../row-writer.ts'
import type { Exchange, StoredText } from './exchange.ts'

const writer = new RowWriter(16 * 1024)

export function encodeExchange(exchange: Exchange, retentionDays: number): Buffer {
	writer.reset()
	writeExchange(writer, exchange, retentionDays)
	return writer.take()
}

/** A row of `exchanges` in the order of its columns. */
export function writeExchange(w: RowWriter, exchange: Exchange, retentionDays: number): void {
	const { parts, toolUses, results } = exchange
	w.text(exchange.workspaceId)
	w.uint16(retentionDays)
	w.int64(exchange.startNs)
	w.hex(exchange.traceId, 16)
	w.hex(exchange.spanId, 8)
	w.text(exchange.sessionId)
	w.text(exchange.userId)
	writeArray(w, parts, ({ kind }) => w.text(kind))
	writeArray(w, parts, ({ name }) => w.text(name))
	writeArray(w, parts, ({ hash }) => w.hex(hash, 16))
	writeArray(w, parts, ({ bytes }) => w.uint32(bytes))
	writeArray(w, toolUses, ({ id }) => w.text(id))
	writeArray(w, toolUses, ({ name }) => w.text(name))
	writeArray(w, toolUses, ({ argumentsHash }) => w.hex(argumentsHash, 16))
	writeArray(w, results, ({ id }) => w.text(id))
	writeArray(w, results, ({ name }) => w.text(name))
	writeArray(w, results, ({ bytes }) => w.uint32(bytes))
	w.uint32(exchange.cacheMarks)
	w.uint32(exchange.cacheSeconds)
	writeArray(w, parts, ({ bytes, weight = bytes }) => w.uint32(weight))
	writeArray(w, results, ({ part }) => w.uint32(part))
}

type TextsOf = Pick<Exchange, 'workspaceId' | 'startNs'>

export function encodeTexts(call: TextsOf, texts: readonly StoredText[], retentionDays: number): Buffer {
	writer.reset()
	writeTexts(writer, call, texts, retentionDays)
	return writer.take()
}

/** Rows of `messages` in the order of its columns. */
export function writeTexts(
	w: RowWriter,
	{ workspaceId, startNs }: TextsOf,
	texts: readonly StoredText[],
	retentionDays: number,
): void {
	for (const { hash, text } of texts) {
		w.text(workspaceId)
		w.uint16(retentionDays)
		w.int64(startNs)
		w.hex(hash, 16)
		w.text(text)
	}
}
