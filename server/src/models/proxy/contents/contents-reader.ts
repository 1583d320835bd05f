import { ResponseTee } from '../tee/response-tee.ts'
import { AnswerReader } from './answer-reader.ts'
import type { AnswerBody, ContentsQuestions, ReadContents, RequestBody } from './contents-protocol.ts'
import type { ConversationLinks } from './conversations.ts'
import { KnownTexts } from './known-texts.ts'
import { contentsOf, type ReadRequest, readRequest } from './read-contents.ts'
import { redactTexts } from './redact-text.ts'

/** Takes the bodies of calls apart, and knows which of their texts are new. */
export class ContentsReader {
	readonly #calls = new Map<number, Promise<ReadRequest | null>>()
	readonly #known = new KnownTexts()

	async request({ call, request }: ContentsQuestions['request']): Promise<ConversationLinks | null> {
		const reading = readLater(request)
		this.#calls.set(call, reading)
		return (await reading)?.links ?? null
	}

	/** Ends the call. */
	async answer({ call, answer }: ContentsQuestions['answer']): Promise<ReadContents | null> {
		const reading = this.#calls.get(call)
		this.#calls.delete(call)
		const read = await reading
		if (!read) return null
		const { contents, texts } = contentsOf(read, await messagesIn(answer), this.#known)
		// The texts go apart: no message between threads carries them twice.
		const parts = contents.parts.map(({ kind, name, hash, bytes, weight = bytes }) => ({
			...{ kind, name, hash, bytes, weight },
		}))
		return { contents: { ...contents, parts }, texts: redactTexts(texts, read.request.rules) }
	}

	drop(call: number): void {
		this.#calls.delete(call)
	}

	forget(): void {
		this.#known.forget()
	}
}

async function readLater(request: RequestBody): Promise<ReadRequest | null> {
	return readRequest(request, Buffer.from(request.body).toString('utf8'))
}

async function messagesIn(answer: AnswerBody) {
	const reader = new AnswerReader(answer.listed)
	const tee = new ResponseTee(answer.contentType, answer.encoding, reader, { onProgress: () => undefined })
	tee.write(Buffer.from(answer.body))
	await tee.end()
	return reader.messages
}
