import type { Attempt } from '../attempt.ts'
import { newReading, parseFields, type ResponseReader } from '../providers/provider.ts'
import { ResponseTee } from '../tee/response-tee.ts'
import { type CallHooks, isPlain, replacedTexts } from './call-hooks.ts'
import type { Hook } from './hook.ts'
import { JsonTexts } from './json-texts.ts'

/** Fields with names and ids of the protocol, repeated in every event. */
const structural = new Set(['id', 'object', 'model', 'type', 'role', 'obfuscation', 'signature', 'item_id'])
/** The fields of an event that identify the place of its text. */
const indexes = ['index', 'output_index', 'content_index']
/** Characters kept of a text that was already checked, because a match may continue in what follows. */
const overlap = 512

/** Collects the texts of a stream: pieces in the same place of its events belong together. */
class StreamTexts implements ResponseReader {
	readonly fields: ReadonlySet<string> = new Set()
	readonly reading = newReading()
	readonly listed: boolean
	readonly #texts = new Map<string, string>()
	readonly #fresh = new Set<string>()
	/** Characters received since the last `take`. */
	freshLength = 0
	/** Whether an event could not be parsed. */
	unreadable = false

	constructor(listed: boolean) {
		this.listed = listed
	}

	onEvent(data: string): void {
		const event = parseFields(data)
		if (!event) return
		// Bedrock wraps the events of the model.
		const inner = typeof event.bytes === 'string' ? parseFields(fromBase64(event.bytes)) : null
		try {
			this.#add(inner ?? event, '')
		} catch {
			this.unreadable = true
		}
	}

	onBody(): void {}

	/** The texts that have grown since the last call, each with the end of what preceded it. */
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

/** The number of new characters after which the webhooks of a stream are called again. */
const askEvery = 1000

/**
 * Passes a stream on piece by piece. Patterns check each piece together with the end of what preceded it; with a webhook, pieces
 * wait for its decision. If every hook is a dry run, nothing waits.
 */
class StreamGuard implements AnswerGuard {
	readonly holdsHead = false
	readonly #hooks: CallHooks
	#checks: readonly Hook[]
	readonly #answer: GuardedAnswer
	readonly #tee: ResponseTee
	readonly #texts: StreamTexts
	readonly #type: string
	readonly #holds: boolean
	#held: Buffer[] = []
	/** The bytes that must precede an event appended to what has passed; null if nothing can be appended. */
	#lead: string | Buffer | null
	#queue: Promise<void> = Promise.resolve()

	constructor(
		hooks: CallHooks,
		checks: readonly Hook[],
		answer: GuardedAnswer,
		{ tee, texts, type }: { tee: ResponseTee; texts: StreamTexts; type: string },
	) {
		this.#hooks = hooks
		this.#checks = checks
		this.#answer = answer
		this.#tee = tee
		this.#texts = texts
		this.#type = type
		this.#holds = checks.some(({ enforced }) => enforced)
		this.#lead = tee.ending('')
	}

	/** Processed one after the other, in order. */
	push(chunk: Buffer): Promise<void> {
		this.#queue = this.#queue.then(() => this.#take(chunk))
		return this.#queue
	}

	end(): Promise<void> {
		return this.#queue.then(() => {
			// Reads an event without its blank line.
			void this.#tee.end()
			return this.#check(true)
		})
	}

	ending(event: string | Buffer): string | Buffer | null {
		if (this.#lead === null) return null
		return this.#lead.length === 0 ? event : `${this.#lead}${event}`
	}

	async #take(chunk: Buffer): Promise<void> {
		this.#tee.write(chunk)
		if (this.#texts.unreadable) this.#giveUp()
		this.#held.push(chunk)
		if (!this.#holds) this.#release(true)
		const asks = this.#checks.some(({ webhook }) => webhook)
		if (!asks || this.#texts.freshLength >= askEvery) await this.#check()
	}

	async #check(isEnd = false): Promise<void> {
		if (this.#texts.freshLength > 0 && this.#checks.length > 0)
			await this.#hooks.check(this.#checks, 'stream', this.#texts.take())
		// A dry run that would have ended the stream has nothing more to say.
		this.#checks = this.#checks.filter((hook) => !this.#hooks.outcomes.hasDenied(hook, 'stream'))
		this.#release(isEnd || !this.#holds)
	}

	#giveUp(): void {
		this.#hooks.fail(this.#checks, 'stream', 'An event of the answer is too deep to be read.')
		this.#checks = []
	}

	/** Of an event that is not complete, nothing has been checked: what is appended later would complete it for the client. */
	#release(whole: boolean): void {
		const held = Buffer.concat(this.#held)
		const end = whole || held.length > maxHeldBytes ? held.length : completeBytes(held, this.#type)
		if (end === 0) return
		this.#lead = end < held.length ? '' : this.#tee.ending('')
		this.#held = end < held.length ? [held.subarray(end)] : []
		this.#answer.write(held.subarray(0, end))
	}
}

const blankLines = ['\n\n', '\n\r\n', '\r\r']

/** How many of these bytes, which begin with an event, are complete events. An object in a JSON list is complete without more. */
function completeBytes(held: Buffer, type: string): number {
	if (type.startsWith('text/event-stream'))
		return Math.max(
			...blankLines.map((line) => (held.includes(line) ? held.lastIndexOf(line) + line.length : 0)),
		)
	if (!type.startsWith('application/vnd.amazon.eventstream')) return held.length
	let end = 0
	while (held.length - end >= 4) {
		const next = end + held.readUInt32BE(end)
		if (next === end || next > held.length) break
		end = next
	}
	return end
}

const maxHeldBytes = 8 * 1024 * 1024

/** Holds a JSON answer until it is complete and checked. If every hook is a dry run, it passes meanwhile. */
class WholeGuard implements AnswerGuard {
	readonly holdsHead: boolean
	readonly #hooks: CallHooks
	readonly #checks: readonly Hook[]
	readonly #answer: GuardedAnswer
	/** Null when the answer is no longer checked. */
	#held: Buffer[] | null = []
	#heldBytes = 0

	constructor(hooks: CallHooks, checks: readonly Hook[], answer: GuardedAnswer) {
		this.#hooks = hooks
		this.#checks = checks
		this.#answer = answer
		this.holdsHead = checks.some(({ enforced }) => enforced)
	}

	async push(chunk: Buffer): Promise<void> {
		if (!this.holdsHead || !this.#held) this.#answer.write(chunk)
		if (!this.#held) return
		this.#held.push(chunk)
		this.#heldBytes += chunk.length
		if (this.#heldBytes <= maxHeldBytes) return
		this.#hooks.fail(this.#checks, 'response', `The answer is larger than ${maxHeldBytes} bytes.`)
		this.#pass(this.#held, null)
	}

	async end(): Promise<void> {
		if (!this.#held) return
		const body = Buffer.concat(this.#held)
		const changed = body.length > 0 ? await this.#check(body) : null
		this.#pass(changed ? [changed] : this.#held, changed?.length ?? null)
	}

	/** Nothing can be appended: either nothing has passed, or everything. */
	ending(): null {
		return null
	}

	/** The answer as changed by the hooks; null if it is unchanged. */
	async #check(body: Buffer): Promise<Buffer | null> {
		const document = await JsonTexts.read(body)
		if (!document) {
			this.#hooks.fail(this.#checks, 'response', 'The answer is no readable JSON.')
			return null
		}
		const left = await this.#hooks.check(this.#checks, 'response', document.texts)
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

/** The destination of an answer on its way to the client. */
interface GuardedAnswer {
	/** Sends the head. `lengthBytes` is set if the body differs from the provider's. */
	begin(lengthBytes: number | null): void
	write(chunk: Buffer): void
}

/** Stands between an answer and the client while hooks check it. `push` and `end` reject with the Problem that ends the call. */
export interface AnswerGuard {
	/** Whether the head must wait for the whole answer. */
	readonly holdsHead: boolean
	push(chunk: Buffer): Promise<void>
	end(): Promise<void>
	/** The bytes that end what has passed with this event; null if nothing can be appended. */
	ending(event: string | Buffer): string | Buffer | null
}

/** Null if no hook applies to this answer, or none can read it. Throws Problem if a hook that cannot read it fails closed. */
export function guardAnswer(hooks: CallHooks, attempt: Attempt, answer: GuardedAnswer): AnswerGuard | null {
	const { headers, httpStatus, reader } = attempt
	if ((httpStatus ?? 0) >= 400) return null
	const type = attempt.contentType
	const texts = new StreamTexts(reader?.listed ?? false)
	const tee = new ResponseTee(type, headers['content-encoding'] ?? '', texts, { onProgress: () => {} })
	const stage = tee.streamed ? 'stream' : 'response'
	const checks = hooks.at(stage)
	if (checks.length === 0) return null
	const readable = isPlain(headers) && (tee.streamed || /^application\/([\w.-]+\+)?json\b/.test(type))
	if (!readable) {
		hooks.fail(checks, stage, 'The answer is no plain JSON.')
		return null
	}
	return tee.streamed
		? new StreamGuard(hooks, checks, answer, { tee, texts, type })
		: new WholeGuard(hooks, checks, answer)
}
