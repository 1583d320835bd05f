import type { StoredText } from '../../telemetry/index.ts'
import { parseFields, textOr } from '../providers/wire-values.ts'
import { openDecoder } from '../tee/decoder.ts'
import { ResponseTee } from '../tee/response-tee.ts'
import { AnswerReader } from './answer-reader.ts'
import type { AnswerBody, Contents, RequestBody } from './contents-protocol.ts'
import { Conversations } from './conversations.ts'
import { KnownTexts } from './known-texts.ts'
import { redactText } from './redact-text.ts'
import { type Piece, type TakenApart, takeApart, toPiece } from './take-apart.ts'
import { toolTrafficIn } from './tool-traffic.ts'

/** Longer texts are cut; their size and hash are of the whole. */
const textLimit = 256 * 1024

interface Read {
	request: RequestBody
	apart: TakenApart
	/** The answer that the request says it goes on with; ''. */
	answerId: string
	/** The session that it was found to be of; ''. */
	session: string
}

/** Takes the bodies of calls apart, and knows which of their texts are new. */
export class ContentsReader {
	readonly #calls = new Map<number, Promise<Read | null>>()
	readonly #conversations = new Conversations()
	readonly #known = new KnownTexts()

	/** The session that the request is found to be of, or ''. */
	async request(id: number, request: RequestBody): Promise<string> {
		const reading = readRequest(request)
		this.#calls.set(id, reading)
		const read = await reading
		if (!read || !request.freshSession) return ''
		const hints = { fresh: request.freshSession, answerId: read.answerId }
		read.session = this.#conversations.sessionOf(request.caller, read.apart.parts, hints)
		return read.session
	}

	/** What a call carried, and those of its texts that are not stored yet. Ends the call. */
	async answer(id: number, answer: AnswerBody): Promise<{ contents: Contents | null; texts: StoredText[] }> {
		const reading = this.#calls.get(id)
		this.#calls.delete(id)
		const read = await reading
		if (!read) return { contents: null, texts: [] }
		const { request, apart } = read
		const { messages, responseId } = await readAnswer(answer)
		this.#conversations.noteAnswer(request.caller, responseId, read.session)
		const answers = messages.map((message) =>
			toPiece('answer', 'assistant', JSON.stringify(message), request.workspaceId),
		)
		const pieces = [...apart.parts, ...answers]
		const contents = {
			parts: pieces.map(({ text: _, ...part }) => part),
			toolUses: messages.flatMap((message) => toolTrafficIn(message, request.workspaceId).uses),
			results: apart.results,
			cacheMarks: apart.cacheMarks,
			cacheSeconds: apart.cacheSeconds,
		}
		return { contents, texts: request.keepsTexts ? this.#newTexts(request, pieces) : [] }
	}

	drop(id: number): void {
		this.#calls.delete(id)
	}

	forget(): void {
		this.#known.forget()
	}

	#newTexts({ workspaceId, day, rules }: RequestBody, pieces: readonly Piece[]): StoredText[] {
		const fresh = pieces.filter(({ hash }) => this.#known.isNew(`${workspaceId} ${day} ${hash}`))
		return fresh.map(({ hash, text }) => ({ hash, text: redactText(text.slice(0, textLimit), rules) }))
	}
}

async function readRequest(request: RequestBody): Promise<Read | null> {
	const body = parseFields(await textOf(request))
	if (!body) return null
	const apart = takeApart(body, request.workspaceId)
	return { request, apart, answerId: textOr(body.previous_response_id, ''), session: '' }
}

async function textOf({ body, encoding }: Pick<RequestBody, 'body' | 'encoding'>): Promise<string> {
	if (encoding === '' || encoding === 'identity') return Buffer.from(body).toString('utf8')
	const plain: Buffer[] = []
	const decoder = openDecoder(encoding, (bytes) => plain.push(bytes))
	decoder?.write(Buffer.from(body))
	await decoder?.end()
	return Buffer.concat(plain).toString('utf8')
}

async function readAnswer({ listed, contentType, encoding, body }: AnswerBody): Promise<AnswerReader> {
	const reader = new AnswerReader(listed)
	const tee = new ResponseTee(contentType, encoding, reader, { onProgress: () => undefined })
	tee.write(Buffer.from(body))
	await tee.end()
	return reader
}
