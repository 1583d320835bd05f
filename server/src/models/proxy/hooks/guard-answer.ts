import type { Attempt } from '../attempt.ts'
import { newReading, parseFields, type ResponseReader } from '../providers/provider.ts'
import { ResponseTee } from '../tee/response-tee.ts'
import { type CallHooks, isPlain, replacedTexts } from './call-hooks.ts'
import type { Hook } from './hook.ts'
import { JsonTexts } from './json-texts.ts'

/** Values that are names and ids of the protocol, repeated in every event. */
const structural = new Set(['id', 'object', 'model', 'type', 'role', 'obfuscation', 'signature', 'item_id'])
/** What an event tells of the place that its text belongs to. */
const indexes = ['index', 'output_index', 'content_index']
/** What is kept of a text that was judged: a match may end in what follows. */
const overlap = 512

/** Gathers the texts of a stream: pieces that stand in the same place of its events belong together. */
class StreamTexts implements ResponseReader {
	readonly fields: ReadonlySet<string> = new Set()
	readonly reading = newReading()
	readonly listed: boolean
	readonly #texts = new Map<string, string>()
	readonly #fresh = new Set<string>()
	/** Characters that came since they were taken last. */
	freshLength = 0
	/** An event could not be taken apart. */
	unreadable = false

	constructor(listed: boolean) {
		this.listed = listed
	}

	onEvent(data: string): void {
		const event = parseFields(data)
		if (!event) return
		// Bedrock wraps the events of a model.
		const inner = typeof event.bytes === 'string' ? parseFields(fromBase64(event.bytes)) : null
		try {
			this.#add(inner ?? event, '')
		} catch {
			this.unreadable = true
		}
	}

	onBody(): void {}

	/** The texts that have grown since they were taken last, each with the end of what came before. */
	take(): string[] {
		const texts = [...this.#fresh].map((path) => this.#texts.get(path) as string)
		for (const path of this.#fresh) this.#texts.set(path, this.#texts.get(path)?.slice(-overlap) ?? '')
		this.#fresh.clear()
		this.freshLength = 0
		return texts
	}

	#add(value: unknown, path: string): void {
		if (typeof value === 'string') this.#append(path, value)
		if (typeof value !== 'object' || value === null) return
		const named = value as Record<string, unknown>
		const place = indexes.map((name) => named[name] ?? '').join(',')
		for (const [name, inner] of Object.entries(named)) {
			if (!structural.has(name)) this.#add(inner, `${path}/${place}/${name}`)
		}
	}

	#append(path: string, text: string): void {
		if (text === '') return
		this.#texts.set(path, (this.#texts.get(path) ?? '') + text)
		this.#fresh.add(path)
		this.freshLength += text.length
	}
}

function fromBase64(text: string): string {
	return Buffer.from(text, 'base64').toString()
}

/** After how much new text the webhooks of a stream are asked again. */
const askEvery = 1000

/**
 * Lets a stream pass piece by piece. Patterns judge each piece with the end of what came before it; where there is a
 * webhook, pieces wait until it has judged them. Where every hook runs dry nothing waits.
 */
class StreamGuard implements AnswerGuard {
	readonly holdsHead = false
	readonly #hooks: CallHooks
	#judges: readonly Hook[]
	readonly #answer: GuardedAnswer
	readonly #tee: ResponseTee
	readonly #texts: StreamTexts
	readonly #holds: boolean
	#held: Buffer[] = []
	/** What has to come before an event that is added to the bytes that passed; null: none can be. */
	#lead: string | Buffer | null
	#queue: Promise<void> = Promise.resolve()

	constructor(
		hooks: CallHooks,
		judges: readonly Hook[],
		answer: GuardedAnswer,
		tee: ResponseTee,
		texts: StreamTexts,
	) {
		this.#hooks = hooks
		this.#judges = judges
		this.#answer = answer
		this.#tee = tee
		this.#texts = texts
		this.#holds = judges.some(({ enforced }) => enforced)
		this.#lead = tee.ending('')
	}

	/** One after the other, in the order in which pieces come. */
	push(chunk: Buffer): Promise<void> {
		this.#queue = this.#queue.then(() => this.#take(chunk))
		return this.#queue
	}

	end(): Promise<void> {
		return this.#queue.then(() => this.#judge())
	}

	ending(event: string | Buffer): string | Buffer | null {
		if (this.#lead === null) return null
		return this.#lead.length === 0 ? event : `${this.#lead}${event}`
	}

	async #take(chunk: Buffer): Promise<void> {
		this.#tee.write(chunk)
		if (this.#texts.unreadable) this.#giveUp()
		this.#held.push(chunk)
		if (!this.#holds) this.#release()
		const asks = this.#judges.some(({ webhook }) => webhook)
		if (!asks || this.#texts.freshLength >= askEvery) await this.#judge()
	}

	async #judge(): Promise<void> {
		if (this.#texts.freshLength > 0 && this.#judges.length > 0)
			await this.#hooks.judge(this.#judges, 'stream', this.#texts.take())
		this.#release()
	}

	#giveUp(): void {
		this.#hooks.fail(this.#judges, 'stream', 'An event of the answer is too deep to be read.')
		this.#judges = []
	}

	#release(): void {
		if (this.#held.length > 0) this.#lead = this.#tee.ending('')
		for (const chunk of this.#held) this.#answer.write(chunk)
		this.#held = []
	}
}

const mostHeldBytes = 8 * 1024 * 1024

/** Holds an answer of JSON until it is whole and judged. Where every hook runs dry it passes meanwhile. */
class WholeGuard implements AnswerGuard {
	readonly holdsHead: boolean
	readonly #hooks: CallHooks
	readonly #judges: readonly Hook[]
	readonly #answer: GuardedAnswer
	/** Null: it is not judged any more. */
	#held: Buffer[] | null = []
	#heldBytes = 0

	constructor(hooks: CallHooks, judges: readonly Hook[], answer: GuardedAnswer) {
		this.#hooks = hooks
		this.#judges = judges
		this.#answer = answer
		this.holdsHead = judges.some(({ enforced }) => enforced)
	}

	async push(chunk: Buffer): Promise<void> {
		if (!this.holdsHead || !this.#held) this.#answer.write(chunk)
		if (!this.#held) return
		this.#held.push(chunk)
		this.#heldBytes += chunk.length
		if (this.#heldBytes <= mostHeldBytes) return
		this.#hooks.fail(this.#judges, 'response', `The answer is larger than ${mostHeldBytes} bytes.`)
		this.#pass(this.#held, null)
	}

	async end(): Promise<void> {
		if (!this.#held) return
		const body = Buffer.concat(this.#held)
		const changed = body.length > 0 ? await this.#judge(body) : null
		this.#pass(changed ? [changed] : this.#held, changed?.length ?? null)
	}

	/** Nothing has passed, or all of it. */
	ending(): null {
		return null
	}

	/** What the hooks leave of it; null: all. */
	async #judge(body: Buffer): Promise<Buffer | null> {
		const document = await JsonTexts.read(body)
		if (!document) {
			this.#hooks.fail(this.#judges, 'response', 'The answer is no readable JSON.')
			return null
		}
		const left = await this.#hooks.judge(this.#judges, 'response', document.texts)
		const replaced = replacedTexts(document.texts, left)
		return replaced.size === 0 ? null : document.replace(replaced)
	}

	#pass(chunks: readonly Buffer[], lengthBytes: number | null): void {
		this.#held = null
		if (!this.holdsHead) return
		this.#answer.begin(lengthBytes)
		for (const chunk of chunks) this.#answer.write(chunk)
	}
}

/** How an answer goes to the client. */
interface GuardedAnswer {
	/** Its head; `lengthBytes` where its body is another than the provider's. */
	begin(lengthBytes: number | null): void
	write(chunk: Buffer): void
}

/** Stands between an answer and the client while hooks judge it. Both reject with the Problem that ends the call. */
export interface AnswerGuard {
	/** Whether the head has to wait for the whole answer. */
	readonly holdsHead: boolean
	push(chunk: Buffer): Promise<void>
	end(): Promise<void>
	/** What makes the bytes that have passed end with this event; null where nothing can be added to them. */
	ending(event: string | Buffer): string | Buffer | null
}

/** Null: no hook is for this answer, or none can read it. Throws Problem where one that cannot read it fails closed. */
export function guardAnswer(hooks: CallHooks, attempt: Attempt, answer: GuardedAnswer): AnswerGuard | null {
	const { headers, httpStatus, reader } = attempt
	if ((httpStatus ?? 0) >= 400) return null
	const type = headers['content-type'] ?? ''
	const texts = new StreamTexts(reader?.listed ?? false)
	const tee = new ResponseTee(type, headers['content-encoding'] ?? '', texts, { onProgress: () => {} })
	const stage = tee.streamed ? 'stream' : 'response'
	const judges = hooks.at(stage)
	if (judges.length === 0) return null
	const readable = isPlain(headers) && (tee.streamed || /^application\/([\w.-]+\+)?json\b/.test(type))
	if (!readable) {
		hooks.fail(judges, stage, 'The answer is no plain JSON.')
		return null
	}
	return tee.streamed
		? new StreamGuard(hooks, judges, answer, tee, texts)
		: new WholeGuard(hooks, judges, answer)
}
