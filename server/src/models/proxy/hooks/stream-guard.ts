import type { ResponseTee } from '../tee/response-tee.ts'
import type { CallHooks } from './call-hooks.ts'
import type { AnswerGuard, GuardedAnswer } from './guard-answer.ts'
import type { Hook } from './hook.ts'
import type { StreamTexts } from './stream-texts.ts'

/** After how much new text the webhooks of a stream are asked again. */
const askEvery = 1000

/**
 * Lets a stream pass piece by piece. Patterns judge each piece with the end of what came before it; where there is a
 * webhook, pieces wait until it has judged them. Where every hook runs dry nothing waits.
 */
export class StreamGuard implements AnswerGuard {
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
