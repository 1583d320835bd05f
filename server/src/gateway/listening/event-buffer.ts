import { randomBytes } from 'node:crypto'

const keptMost = 100

/** The newest events of a stream, so that a client that comes back hears what it missed. */
export class EventBuffer {
	readonly #epoch = randomBytes(8).toString('base64url')
	readonly #events: { id: number; text: string }[] = []
	#last = 0

	/** A message as an event with an id. */
	add(message: string): string {
		this.#last += 1
		const text = `event: message\nid: ${this.#epoch}-${this.#last}\ndata: ${message}\n\n`
		this.#events.push({ id: this.#last, text })
		if (this.#events.length > keptMost) this.#events.shift()
		return text
	}

	/** The events after this one; null when it is not known here or too long ago. */
	after(eventId: string): string[] | null {
		const [, epoch, id] = /^(.+)-(\d+)$/.exec(eventId) ?? []
		const oldest = this.#last - this.#events.length
		if (epoch !== this.#epoch || Number(id) < oldest) return null
		return this.#events.filter((event) => event.id > Number(id)).map(({ text }) => text)
	}
}
