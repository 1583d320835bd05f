import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'

/**
 * Reads an event stream as it arrives, however it is cut, and calls back with the data and the name (`message` when it has
 * none) of each event.
 */
export class EventStreamReader {
	readonly #decoder = new StringDecoder('utf8')
	readonly #parser: ReturnType<typeof createParser>
	#begun = false
	#endedInReturn = false
	#isTooLarge = false
	/** The id of the newest event that had one; '' when none had. */
	lastEventId = ''
	/** How long the server wants to be left alone before a reconnection, or null when it does not say. */
	retryMs: number | null = null

	/** `push` throws when one event is larger than `limitChars`. */
	constructor(onEvent: (data: string, name: string) => void, limitChars: number) {
		this.#parser = createParser({
			maxBufferSize: limitChars,
			onEvent: ({ id, event = 'message', data }) => {
				if (id !== undefined) this.lastEventId = id
				onEvent(data, event)
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
		// The parser knows the mark of UTF-8 only as bytes.
		if (!this.#begun && text.startsWith('\ufeff')) text = text.slice(1)
		this.#begun = true
		// The parser waits for a line feed after a carriage return at the end, which may never come; one that comes is left out.
		if (this.#endedInReturn && text.startsWith('\n')) text = text.slice(1)
		this.#endedInReturn = text.endsWith('\r')
		this.#parser.feed(this.#endedInReturn ? `${text}\n` : text)
		if (this.#isTooLarge) throw new Error('An event of the stream is too large.')
	}
}
