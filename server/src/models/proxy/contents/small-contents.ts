import type { SpanRow } from '../../../telemetry/index.ts'
import type { Fields } from '../providers/wire-values.ts'
import { ResponseTee } from '../tee/response-tee.ts'
import { AnswerReader } from './answer-reader.ts'
import type { AnswerBody, ReadContents, RequestBody } from './contents-protocol.ts'
import { contentsOf, type ReadRequest, readRequest } from './read-contents.ts'
import type { CallContents, ContentsRecorder } from './record-contents.ts'
import { redactTexts } from './redact-text.ts'

/** Up to this size a body is taken apart in less time than it takes to tell a thread of it. */
const smallBytes = 16 * 1024
/** So many characters are redacted in less time than that. */
const smallTexts = 1024

export function isSmall({ encoding = '', body }: { encoding?: string; body: Uint8Array }): boolean {
	return body.length <= smallBytes && (encoding === '' || encoding === 'identity')
}

/** A call whose request is taken apart at once, so that its row waits for nobody. */
export class SmallContents implements CallContents {
	readonly session: string
	readonly #recorder: ContentsRecorder
	readonly #request: RequestBody
	readonly #read: ReadRequest | null

	constructor(recorder: ContentsRecorder, request: RequestBody) {
		this.#recorder = recorder
		this.#request = request
		this.#read = orNull(() => readRequest(request, textOf(request.body)))
		this.session = recorder.conversations.sessionOf(this.#read?.links ?? null, request.freshSession)
	}

	record(span: SpanRow, answer: AnswerBody, answerId: string): void {
		const recorder = this.#recorder
		recorder.noteAnswer(this.#request, answerId, span)
		const request = this.#read
		if (!request) return
		if (!isSmall(answer)) recorder.openLarge(withoutSession(this.#request))?.record(span, answer, '')
		else
			recorder.write(
				span,
				this.#redacted(orNull(() => contentsOf(request, messagesIn(answer), recorder.known))),
			)
	}

	#redacted(read: ReadContents | null): ReadContents | null | Promise<ReadContents> {
		const { rules } = this.#request
		if (!read || read.texts.length === 0) return read
		const { contents, texts } = read
		const characters = texts.reduce((sum, { text }) => sum + text.length, 0)
		if (!rules && characters <= smallTexts) return { contents, texts: redactTexts(texts, rules) }
		const redacting = this.#recorder.thread.ask('redact', { texts, rules })
		return redacting.then((redacted) => {
			if (!redacted) this.#recorder.forgetTexts()
			return { contents, texts: redacted ?? [] }
		})
	}

	drop(): void {}
}

/** What cannot be read is a call without contents. */
function orNull<T>(read: () => T): T | null {
	try {
		return read()
	} catch {
		return null
	}
}

/** Its session is known already. */
function withoutSession(request: RequestBody): RequestBody {
	return { ...request, freshSession: '' }
}

function textOf(body: Uint8Array): string {
	return Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')
}

function messagesIn({ listed, contentType, encoding, body }: AnswerBody): Fields[] {
	const reader = new AnswerReader(listed)
	const tee = new ResponseTee(contentType, encoding, reader, { onProgress: () => undefined })
	tee.write(body as Buffer)
	void tee.end()
	return reader.messages
}
