import { hash } from 'node:crypto'
import type { ExchangePart } from '../../../telemetry/index.ts'

/** Conversations that are remembered. */
const limit = 50_000

/** By which a request is known to those that go on with it, and those that it may go on with, the nearest first. */
export interface ConversationLinks {
	own: string
	earlier: readonly string[]
}

/**
 * Knows conversations by their messages: a request that goes on where an earlier one of the same caller stopped is of the
 * same session. Two that begin alike are told apart once they differ; until then neither is guessed at.
 */
export class Conversations {
	/** Sessions by the messages of their last request; null: of several. Oldest first. */
	readonly #sessions = new Map<string, string | null>()

	/** The session of a request; `fresh` is given to one that goes on with none. '' for no conversation. */
	sessionOf(links: ConversationLinks | null, fresh: string): string {
		if (!links) return ''
		const known = links.earlier.find((link) => this.#sessions.get(link) !== undefined)
		const session = (known && this.#sessions.get(known)) ?? fresh
		this.#remember(links.own, session)
		return session
	}

	/** Later requests may go on with an answer by its id alone. */
	noteAnswer(caller: string, answerId: string, session: string): void {
		if (answerId && session) this.#remember(keyOfAnswer(caller, answerId), session)
	}

	#remember(key: string, session: string): void {
		const known = this.#sessions.get(key)
		this.#sessions.delete(key)
		this.#sessions.set(key, known === undefined || known === session ? session : null)
		if (this.#sessions.size > limit) this.#sessions.delete(this.#sessions.keys().next().value as string)
	}
}

/** Of a request by its pieces; null for no conversation. `answerId`: the answer that it says it goes on with. */
export function linksOf(
	caller: string,
	parts: readonly ExchangePart[],
	answerId: string,
): ConversationLinks | null {
	const messages = parts.filter(
		({ kind, name }) => kind === 'message' || (kind === 'system' && name !== 'attribution'),
	)
	if (!messages.some(({ kind }) => kind === 'message')) return null
	const earlier: string[] = []
	let own = caller
	for (const message of messages) {
		// What follows the messages of an earlier request must be an answer.
		if (own !== caller && isAnswer(message)) earlier.push(own)
		own = hash('sha256', own + message.hash, 'base64url')
	}
	if (answerId) earlier.push(keyOfAnswer(caller, answerId))
	return { own, earlier: earlier.reverse() }
}

function keyOfAnswer(caller: string, answerId: string): string {
	return hash('sha256', `${caller} answer ${answerId}`, 'base64url')
}

/** A message of the model, or a function call, which OpenAI's responses have as items of their own. */
function isAnswer({ name }: ExchangePart): boolean {
	return ['assistant', 'model', 'function_call', 'reasoning'].includes(name)
}
