import { randomBytes } from 'node:crypto'
import { isObject, type JsonObject } from '../../../mcp-client/index.ts'
import { OpenQuestion } from '../../open-question.ts'
import type { Operation } from '../../operation.ts'
import type { Plan, PlanResult } from '../../perform/plan.ts'
import { type AskOptions, type Question, understands } from '../../questions.ts'

/**
 * One operation of a modern client that may ask back. It runs on between the tries of its client: a try ends with what is
 * asked, the next one brings the answers.
 */
export class Dialogue {
	readonly id = randomBytes(16).toString('base64url')
	/** The first try's; reply and request are those of the newest one. */
	readonly operation: Operation
	readonly plan: Plan
	/** Since when it waits for its client; null while a try is under way. */
	parkedAtMs: number | null = null
	readonly #brought: JsonObject
	readonly #open = new Map<string, { question: OpenQuestion; asked: Question }>()
	#count = 0
	#outcome: Promise<PlanResult> | null = null
	#wake = () => {}

	/** `brought`: answers that came with a retry whose first try is not known here. */
	constructor(operation: Operation, plan: Plan, brought: JsonObject) {
		this.operation = operation
		this.plan = plan
		this.#brought = brought
		operation.ask = (question, options = {}) => this.#ask(question, options)
	}

	/** The result, or null when the client has to answer first. */
	async round(): Promise<PlanResult | null> {
		if (!this.#outcome) {
			this.#outcome = Promise.resolve(this.plan.run())
			this.#outcome.catch(() => {})
		}
		while (true) {
			const asked = new Promise<null>((resolve) => {
				// What is asked in the same breath goes to the client together.
				this.#wake = () => void setImmediate(resolve, null)
			})
			if (this.#open.size > 0) this.#wake()
			const result = await Promise.race([this.#outcome, asked])
			if (result !== null || this.#open.size > 0) return result
		}
	}

	/** Goes on with what the client brought; what is missing is asked again. */
	resume(next: Operation, responses: JsonObject): void {
		const { request, reply, cancellation } = next
		this.operation.request = request
		this.operation.facts ??= new Map()
		next.facts = this.operation.facts
		next.sending = this.operation.sending
		this.operation.reply = reply
		cancellation.handOver((failure) => this.operation.cancellation.cancel(failure))
		for (const [key, { question }] of this.#open) {
			const result = Object.hasOwn(responses, key) ? responses[key] : undefined
			if (isObject(result)) question.answer({ result, error: null })
		}
	}

	/** `inputRequests` of the result that asks. */
	get asked(): Record<string, Question> {
		return Object.fromEntries([...this.#open].map(([key, { asked }]) => [key, asked]))
	}

	async #ask(asked: Question, options: AskOptions): Promise<JsonObject | 'unsupported'> {
		if (!understands(this.operation.client.capabilities, asked)) return 'unsupported'
		this.#count += 1
		const key = `input-${this.#count}`
		const known = Object.hasOwn(this.#brought, key) ? this.#brought[key] : undefined
		if (isObject(known)) return known
		const question = new OpenQuestion(this.operation, options, () => this.#open.delete(key))
		this.#open.set(key, { question, asked: { method: asked.method, params: asked.params } })
		this.#wake()
		return question.answered
	}
}
