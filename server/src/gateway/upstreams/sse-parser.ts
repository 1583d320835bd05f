import { StringDecoder } from 'node:string_decoder'

const lineEnd = /\r|\n/g

/**
 * Reads an event stream as it arrives (HTML Living Standard §9.2): any line ends, comments, events of many lines,
 * characters split between chunks. Calls back with the data of each `message` event.
 */
export class SseParser {
	readonly #decoder = new StringDecoder('utf8')
	readonly #onData: (data: string) => void
	readonly #limitChars: number
	#line: string[] = []
	#lineLength = 0
	#data: string[] = []
	#dataLength = 0
	#event = ''
	#begun = false
	#skipLineFeed = false
	/** The id of the newest event that had one; '' when none had. */
	lastEventId = ''
	/** How long the server wants to be left alone before a reconnection, or null when it does not say. */
	retryMs: number | null = null

	/** Throws from `push` when one event is larger than `limitChars`. */
	constructor(onData: (data: string) => void, limitChars: number) {
		this.#onData = onData
		this.#limitChars = limitChars
	}

	push(chunk: Buffer): void {
		let text = this.#decoder.write(chunk)
		if (text === '') return
		if (!this.#begun && text.startsWith('\ufeff')) text = text.slice(1)
		this.#begun = true
		let from = this.#skipLineFeed && text.startsWith('\n') ? 1 : 0
		this.#skipLineFeed = false
		for (let end = findLineEnd(text, from); end >= 0; end = findLineEnd(text, from)) {
			this.#endLine(text.slice(from, end))
			from = end + 1
			if (text.charCodeAt(end) !== 13) continue
			if (from === text.length) this.#skipLineFeed = true
			else if (text.charCodeAt(from) === 10) from += 1
		}
		if (from < text.length) this.#keep(text.slice(from))
	}

	#keep(part: string): void {
		this.#line.push(part)
		this.#lineLength += part.length
		if (this.#lineLength + this.#dataLength > this.#limitChars)
			throw new Error('An event of the stream is too large.')
	}

	#endLine(rest: string): void {
		const line = this.#line.length === 0 ? rest : this.#line.join('') + rest
		this.#line = []
		this.#lineLength = 0
		if (line === '') this.#dispatch()
		else this.#takeField(line)
	}

	#takeField(line: string): void {
		const colon = line.indexOf(':')
		const field = colon < 0 ? line : line.slice(0, colon)
		const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
		if (field === 'event') this.#event = value
		if (field === 'id' && !value.includes('\0')) this.lastEventId = value
		if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value)
		if (field !== 'data') return
		this.#data.push(value)
		this.#dataLength += value.length
		if (this.#dataLength > this.#limitChars) throw new Error('An event of the stream is too large.')
	}

	/** An event without data (a server sends one to name a stream) is none. */
	#dispatch(): void {
		const data = this.#data.join('\n')
		const isMessage = this.#event === '' || this.#event === 'message'
		this.#data = []
		this.#dataLength = 0
		this.#event = ''
		if (data !== '' && isMessage) this.#onData(data)
	}
}

function findLineEnd(text: string, from: number): number {
	lineEnd.lastIndex = from
	return lineEnd.exec(text)?.index ?? -1
}
