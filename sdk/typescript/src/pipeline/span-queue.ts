import type { Stats } from '../options.ts'
import { quietly } from '../quietly.ts'
import { keepAwake } from './keep-awake.ts'
import type { OwnSpan } from './own-span.ts'
import { type Outcome, post, type Target } from './post.ts'

const maxWaiting = 2048
const maxWaitingCharacters = 8 * 1024 * 1024
const batchSize = 512
const firstPauseMs = 1000
const longestPauseMs = 30_000
const maxTriesMs = 300_000

interface Batch {
	body: Buffer
	count: number
	sinceMs: number
}

/**
 * A queue of spans to send: in batches, one at a time, with retries as OTLP defines while the endpoint is unavailable. What does not
 * fit is dropped and counted. Its timers do not keep the process alive.
 */
export class SpanQueue {
	#waiting: OwnSpan[] = []
	#waitingCharacters = 0
	#batch: Batch | null = null
	#sending: Promise<boolean> | null = null
	#timer: NodeJS.Timeout | null = null
	#pauseMs = firstPauseMs
	#loggedReason = ''
	#hasLoggedDrops = false
	readonly #counts = { ended: 0, sent: 0, dropped: 0, refused: 0 }
	readonly #target: Target
	readonly #delayMs: number
	readonly #write: (spans: readonly OwnSpan[]) => Buffer
	readonly #log: (message: string) => void

	constructor(
		target: Target,
		delayMs: number,
		write: (spans: readonly OwnSpan[]) => Buffer,
		log: (message: string) => void,
	) {
		this.#target = target
		this.#delayMs = delayMs
		this.#write = write
		this.#log = log
	}

	add(span: OwnSpan): void {
		this.#counts.ended += 1
		const characters = charactersOf(span)
		if (this.#waiting.length >= maxWaiting || this.#waitingCharacters + characters > maxWaitingCharacters) {
			this.#counts.dropped += 1
			if (!this.#hasLoggedDrops) this.#log('Spans are dropped: too many wait to be sent.')
			this.#hasLoggedDrops = true
			return
		}
		this.#waiting.push(span)
		this.#waitingCharacters += characters
		if (this.#sending || this.#batch) return
		if (this.#delayMs === 0) keepAwake(this.sendAll())
		else if (this.#waiting.length >= batchSize) void this.sendAll()
		else this.#wakeIn(this.#delayMs)
	}

	stats(): Stats {
		return { ...this.#counts, waiting: this.#waiting.length + (this.#batch?.count ?? 0) }
	}

	/** Sends until the queue is empty or the endpoint does not accept a batch. */
	async sendAll(): Promise<void> {
		while (await this.#sendOne());
	}

	/** Resolves with whether a batch was sent and there are more. */
	#sendOne(): Promise<boolean> {
		this.#sending ??= this.#tryOne().finally(() => {
			this.#sending = null
			// A span that was added after the last look at the queue has no timer yet.
			if (this.#waiting.length > 0 && !this.#batch) this.#wakeIn(this.#delayMs)
		})
		return this.#sending
	}

	async #tryOne(): Promise<boolean> {
		if (this.#timer) clearTimeout(this.#timer)
		this.#timer = null
		this.#batch ??= this.#nextBatch()
		if (!this.#batch) return false
		const outcome = await post(this.#target, this.#batch.body)
		return this.#settle(this.#batch, outcome)
	}

	#nextBatch(): Batch | null {
		const spans = this.#waiting.splice(0, batchSize)
		for (const span of spans) this.#waitingCharacters -= charactersOf(span)
		if (spans.length === 0) return null
		const body = quietly(() => this.#write(spans))
		if (body) return { body, count: spans.length, sinceMs: performance.now() }
		this.#counts.dropped += spans.length
		return this.#nextBatch()
	}

	#settle(batch: Batch, outcome: Outcome): boolean {
		if (outcome.kind === 'again' && performance.now() - batch.sinceMs < maxTriesMs) {
			this.#logReason(outcome.reason)
			this.#wakeIn(Math.min(outcome.afterMs ?? this.#nextPauseMs(), longestPauseMs * 2))
			return false
		}
		this.#batch = null
		this.#count(batch, outcome)
		return this.#waiting.length > 0
	}

	#count({ count }: Batch, outcome: Outcome): void {
		if (outcome.kind === 'again') this.#counts.dropped += count
		else if (outcome.kind === 'refused') this.#counts.refused += count
		else {
			const refused = Math.min(outcome.refused, count)
			this.#counts.refused += refused
			this.#counts.sent += count - refused
			this.#pauseMs = firstPauseMs
			this.#hasLoggedDrops = false
			this.#logReason(refused > 0 ? 'The endpoint refused some spans.' : '')
		}
		if (outcome.kind !== 'taken') this.#logReason(outcome.reason)
	}

	#nextPauseMs(): number {
		const pauseMs = this.#pauseMs * (0.5 + Math.random())
		this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
		return pauseMs
	}

	#wakeIn(ms: number): void {
		this.#timer ??= setTimeout(() => void this.sendAll(), ms).unref()
	}

	/** A problem is reported once, until it is resolved or replaced by another. */
	#logReason(reason: string): void {
		if (reason !== '' && reason !== this.#loggedReason) this.#log(reason)
		this.#loggedReason = reason
	}
}

/** Approximate memory of a span beyond its fixed part: its texts. */
function charactersOf({ attributes }: OwnSpan): number {
	let characters = 0
	for (const key in attributes) {
		const value = attributes[key]
		if (typeof value === 'string') characters += value.length
	}
	return characters
}
