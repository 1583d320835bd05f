import type { ServerResponse } from 'node:http'
import type { ClientStreams } from '../../../listening/client-streams.ts'
import type { PeerMessages } from '../../../peer-messages.ts'
import type { Reply } from '../../../reply.ts'
import type { ClientSession } from '../session-store.ts'

type Ways = { streams: ClientStreams; peerMessages: PeerMessages }

/** Where the answers of the 2024 transport go: on the stream of their session, wherever a program has that. */
export class LineReply implements Reply {
	readonly #ways: Ways
	readonly #session: ClientSession
	#lastPeerMessage: Promise<void> = Promise.resolve()
	readonly takesMessages = true
	bytes = 0

	constructor(ways: Ways, session: ClientSession) {
		this.#ways = ways
		this.#session = session
	}

	notify(message: string): boolean {
		this.#send(message)
		return !this.#stream?.writableNeedDrain
	}

	onDrain(resume: () => void): void {
		const stream = this.#stream
		if (stream) stream.once('drain', resume)
		else resume()
	}

	end(message: string): void {
		if (message) this.#send(message)
	}

	/** The stream shows signs of life by itself. */
	beat(): void {}

	get #stream(): ServerResponse | null {
		return this.#ways.streams.responseOf(this.#session.id)
	}

	#send(message: string): void {
		const { streams, peerMessages } = this.#ways
		const { id: sessionId } = this.#session
		this.bytes += Buffer.byteLength(message)
		if (streams.send(sessionId, message)) return
		// One after the other: what is said first is heard first.
		this.#lastPeerMessage = this.#lastPeerMessage
			.then(() => peerMessages.send(this.#session, { kind: 'aside', sessionId, message }))
			.catch(() => {})
	}
}
