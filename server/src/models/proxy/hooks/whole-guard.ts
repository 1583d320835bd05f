import { type CallHooks, replacedTexts } from './call-hooks.ts'
import type { AnswerGuard, GuardedAnswer } from './guard-answer.ts'
import type { Hook } from './hook.ts'
import { JsonTexts } from './json-texts.ts'

const mostHeldBytes = 8 * 1024 * 1024

/** Holds an answer of JSON until it is whole and judged. Where every hook runs dry it passes meanwhile. */
export class WholeGuard implements AnswerGuard {
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
