import type { ServerResponse } from 'node:http'
import { drained } from '../../platform/http/index.ts'
import type { EventRow } from './event-repository.ts'
import { gapText, toSse } from './sse.ts'

export interface EventReaderOptions {
	response: ServerResponse
	/** The number of the last event that the client has. */
	afterSeq: number
	wants(type: string): boolean
	read(afterSeq: number): Promise<readonly EventRow[]>
	/** The most bytes that wait for a slow client. */
	bufferBytes: number
	/** How long a client may take nothing before it is cut off. */
	patienceMs: number
}

/**
 * One client's place in the events of its workspace. It reads on only when the client takes what it has got, so a slow
 * one costs no memory; one that takes nothing at all is cut off and may come back with its last id.
 */
export class EventReader {
	readonly #options: EventReaderOptions
	#seq: number
	#pumping = false
	#again = false
	#missed = 0

	constructor(options: EventReaderOptions) {
		this.#options = options
		this.#seq = options.afterSeq
		options.response.on('drain', () => this.#tellMissed())
	}

	/** Sends what there is by now. */
	async wake(): Promise<void> {
		this.#again = true
		if (this.#pumping) return
		this.#pumping = true
		try {
			while (this.#again && !this.#options.response.destroyed) {
				this.#again = false
				await this.#sendNew()
			}
		} catch {
			// The store does not answer: the client comes back with its last id.
			this.#options.response.destroy()
		} finally {
			this.#pumping = false
		}
	}

	/** Sends something that is not kept: what finds no room is counted, and the count told later. */
	showLive(type: string, text: string): void {
		const { response, bufferBytes, wants } = this.#options
		if (!wants(type)) return
		if (response.writableLength + text.length > bufferBytes) this.#missed += 1
		else response.write(text)
	}

	/** Keeps the connection open; a client that does not read gets no more of it. */
	beat(): void {
		const { response } = this.#options
		if (response.writableNeedDrain) return
		this.#tellMissed()
		response.write(': \n\n')
	}

	async #sendNew(): Promise<void> {
		const rows = await this.#options.read(this.#seq)
		if (rows.length > 0) this.#again = true
		for (const row of rows) {
			// Numbers have no holes, so a hole is what was forgotten before this client could get it.
			if (row.seq !== this.#seq + 1) await this.#write(gapText(row.seq - this.#seq - 1))
			this.#seq = row.seq
			if (this.#options.wants(row.type)) await this.#write(toSse(row))
		}
	}

	async #write(text: string): Promise<void> {
		const { response, patienceMs } = this.#options
		if (response.destroyed || response.write(text)) return
		await drained(response, patienceMs)
	}

	#tellMissed(): void {
		if (this.#missed > 0) this.#options.response.write(gapText(this.#missed))
		this.#missed = 0
	}
}
