import { createHash } from 'node:crypto'
import type { ExchangePart } from '../../telemetry/index.ts'

/** Conversations that are remembered. */
const limit = 50_000

/**
 * Knows conversations by their messages: a request that goes on where an earlier one of the same caller stopped is of the
 * same session. Two that begin alike are told apart once they differ; until then neither is guessed at.
 */
export class Conversations {
	/** Sessions by the messages of their last request; null: of several. Oldest first. */
	readonly #sessions = new Map<string, string | null>()

	/**
	 * The session of a request; `fresh` is given to one that goes on with none. '' for no conversation. `answerId`: the
	 * answer that it says it goes on with.
	 */
	sessionOf(
		caller: string,
		parts: readonly ExchangePart[],
		{ fresh, answerId }: { fresh: string; answerId: string },
	): string {
		const messages = parts.filter(
			({ kind, name }) => kind === 'message' || (kind === 'system' && name !== 'attribution'),
		)
		if (!messages.some(({ kind }) => kind === 'message')) return ''
		const chain = chainOf(caller, messages)
		const answered = answerId ? this.#sessions.get(keyOfAnswer(caller, answerId)) : undefined
		const session = answered ?? this.#earlier(chain, messages) ?? fresh
		this.#remember(chain.at(-1) as string, session)
		return session
	}

	/** Later requests may go on with an answer by its id alone. */
	noteAnswer(caller: string, answerId: string, session: string): void {
		if (answerId && session) this.#remember(keyOfAnswer(caller, answerId), session)
	}

	/** What follows the messages of an earlier request must be an answer. */
	#earlier(chain: readonly string[], messages: readonly ExchangePart[]): string | null {
		for (let at = messages.length - 1; at > 0; at--) {
			const known = isAnswer(messages[at] as ExchangePart)
				? this.#sessions.get(chain[at - 1] as string)
				: undefined
			if (known !== undefined) return known
		}
		return null
	}

	#remember(key: string, session: string): void {
		const known = this.#sessions.get(key)
		this.#sessions.delete(key)
		this.#sessions.set(key, known === undefined || known === session ? session : null)
		if (this.#sessions.size > limit) this.#sessions.delete(this.#sessions.keys().next().value as string)
	}
}

function keyOfAnswer(caller: string, answerId: string): string {
	return createHash('sha256').update(`${caller} answer ${answerId}`).digest('base64url')
}

function chainOf(caller: string, messages: readonly ExchangePart[]): string[] {
	let link = caller
	return messages.map(({ hash }) => {
		link = createHash('sha256').update(link).update(hash).digest('base64url')
		return link
	})
}

/** A message of the model, or a function call, which OpenAI's responses have as items of their own. */
function isAnswer({ name }: ExchangePart): boolean {
	return ['assistant', 'model', 'function_call', 'reasoning'].includes(name)
}
