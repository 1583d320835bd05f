import type { ResponseReader } from '../providers/provider.ts'
import { type Decoder, openDecoder } from './decoder.ts'
import { JsonFields } from './json-fields.ts'
import { SseParser } from './sse-parser.ts'

/** Reads along with a response, off to the side: it can neither change nor delay the bytes, and its failure is silent. */
export interface ResponseTee {
	write(chunk: Buffer): void
	/** Reads what is left; a promise only where an encoding has to be undone. */
	end(): Promise<void> | void
	/** Whether plain text can be added to the stream here: an event stream without encoding. */
	readonly open: boolean
	/** Whether the stream stands between two events. */
	readonly atBoundary: boolean
}

/** `onProgress` is called after each piece was read. */
export function openTee(
	contentType: string,
	contentEncoding: string,
	reader: ResponseReader,
	onProgress: () => void,
): ResponseTee {
	const sse = contentType.startsWith('text/event-stream')
	const sink = sse ? eventSink(reader) : fieldSink(reader)
	const take = (bytes: Buffer) => {
		sink.push(bytes)
		onProgress()
	}
	const encoding = contentEncoding.trim().toLowerCase()
	const plain = encoding === '' || encoding === 'identity'
	const decoder = plain ? null : openDecoder(encoding, quietly(take))
	const parser = sink instanceof SseParser && plain ? sink : null
	return {
		write: plain ? quietly(take) : (chunk) => decoder?.write(chunk),
		end: () => endReading(decoder, () => sink.end()),
		open: parser !== null,
		get atBoundary() {
			return parser?.atBoundary ?? false
		},
	}
}

function eventSink(reader: ResponseReader): SseParser {
	return new SseParser((data, name) => reader.onEvent(data, name))
}

function fieldSink(reader: ResponseReader) {
	const fields = new JsonFields(reader.fields)
	return { push: (bytes: Buffer) => fields.push(bytes), end: () => reader.onBody(fields.found) }
}

function endReading(decoder: Decoder | null, finish: () => void): Promise<void> | void {
	const last = quietly(finish)
	if (!decoder) return last()
	return decoder.end().then(last)
}

/** After a first failure the function does nothing any more: what a provider sends must not break the call. */
function quietly<T extends unknown[]>(work: (...args: T) => void): (...args: T) => void {
	let broken = false
	return (...args) => {
		if (broken) return
		try {
			work(...args)
		} catch {
			broken = true
		}
	}
}
