import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'

/**
 * Reads an event stream as it arrives, in chunks of any size. Calls back with the data, name (`message` by default) and id, if it
 * has one, of each event.
 */
export class EventStreamReader {
	readonly #decoder = new StringDecoder('utf8')
	readonly #parser: ReturnType<typeof createParser>
	#begun = false
	#endedInReturn = false
	#isTooLarge = false
	/** The id of the newest event that had one; '' if none had. */
	lastEventId = ''
	/** The reconnection delay that the server asks for, or null. */
	retryMs: number | null = null

	/** `push` throws when one event exceeds `limitChars`. */
	constructor(onEvent: (data: string, name: string, id: string | undefined) => void, limitChars: number) {
		this.#parser = createParser({
			maxBufferSize: limitChars,
			onEvent: ({ id, event = 'message', data }) => {
				if (id !== undefined) this.lastEventId = id
				onEvent(data, event, id)
			},
			onRetry: (ms) => {
				this.retryMs = ms
			},
			onError: ({ type }) => {
				this.#isTooLarge ||= type === 'max-buffer-size-exceeded'
			},
		})
	}

	push(chunk: Buffer): void {
		let text = this.#decoder.write(chunk)
		if (text === '') return
		// The parser recognises the UTF-8 byte order mark only as bytes.
		if (!this.#begun && text.startsWith('\ufeff')) text = text.slice(1)
		this.#begun = true
		// After a trailing carriage return the parser waits for a line feed, which may never come. If one comes later, it is dropped
		// here.
		if (this.#endedInReturn && text.startsWith('\n')) text = text.slice(1)
		this.#endedInReturn = text.endsWith('\r')
		this.#parser.feed(this.#endedInReturn ? `${text}\n` : text)
		if (this.#isTooLarge) throw new Error('An event of the stream is too large.')
	}
}
