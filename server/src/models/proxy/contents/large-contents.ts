import type { SpanRow } from '../../../telemetry/index.ts'
import type { AnswerBody, ReadContents, RequestBody } from './contents-protocol.ts'
import type { CallContents, ContentsRecorder } from './record-contents.ts'

let lastCall = 0

/** A call whose bodies are taken apart in the thread: they would hold the event loop, or are encoded. */
export class LargeContents implements CallContents {
	readonly session: Promise<string>
	readonly #recorder: ContentsRecorder
	readonly #request: RequestBody
	readonly #call = ++lastCall
	/** Its room among the bodies that wait. */
	readonly #leave: () => void

	constructor(recorder: ContentsRecorder, request: RequestBody, leave: () => void) {
		this.#recorder = recorder
		this.#request = request
		this.#leave = leave
		this.session = recorder.thread
			.ask('request', { call: this.#call, request })
			.then((links) => recorder.conversations.sessionOf(links, request.freshSession))
	}

	record(span: SpanRow, answer: AnswerBody, answerId: string): void {
		this.#recorder.noteAnswer(this.#request, answerId, span)
		const reading = this.#recorder.thread.ask('answer', { call: this.#call, answer })
		const left = reading.then((read) => {
			this.#leave()
			return read && this.#withoutKnown(read)
		})
		this.#recorder.write(span, left)
	}

	/** The thread does not know of the texts of small bodies. */
	#withoutKnown({ contents, texts }: ReadContents): ReadContents {
		return { contents, texts: this.#recorder.known.takeNew(this.#request, texts) }
	}

	drop(): void {
		this.#recorder.thread.drop(this.#call)
		this.#leave()
	}
}
