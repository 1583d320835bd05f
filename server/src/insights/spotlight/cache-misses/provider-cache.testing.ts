/** A piece of a prompt; its text tells it apart, and it has as many tokens as said. */
export interface Piece {
	kind: 'tool' | 'system' | 'message'
	name: string
	text: string
	tokens: number
}

/** A request as a provider gets it, at a second. */
export interface Asked {
	at: number
	connection: string
	model: string
	/** `tool_choice` and the like, which count for the messages. */
	settings: string
	cacheKey: string
	pieces: Piece[]
	/** For how long what it marks is kept; 0: it marks nothing. */
	seconds: number
}

export interface Counted {
	read: number
	written: number
	rest: number
}

const blockTokens = 128
const untilAnswerS = 2

/**
 * A provider's cache of prompts, token by token: what is known of a prompt is the longest beginning of it that an earlier
 * one left there. `marked`: prompts are kept where they say so, to the end of the system texts and to the last message;
 * else in whole blocks and by themselves.
 */
export class ProviderCache {
	readonly #marked: boolean
	readonly #minimum: number
	/** By the beginning: when it is known, and until when. */
	#kept = new Map<string, { from: number; until: number; seconds: number }>()

	constructor(marked: boolean, minimum = 1024) {
		this.#marked = marked
		this.#minimum = minimum
	}

	/** As it is now, for a question of what would have been. */
	copy(): ProviderCache {
		const copy = new ProviderCache(this.#marked, this.#minimum)
		copy.#kept = new Map([...this.#kept].map(([key, entry]) => [key, { ...entry }]))
		return copy
	}

	forget(): void {
		this.#kept.clear()
	}

	ask(asked: Asked): Counted {
		const all = asked.pieces.reduce((sum, { tokens }) => sum + tokens, 0)
		const ends = this.#marked ? this.#pieceEnds(asked) : blockEnds(all)
		if (all < this.#minimum || (this.#marked && asked.seconds === 0))
			return { read: 0, written: 0, rest: all }
		const read = ends.findLast((end) => this.#isKnown(asked, end)) ?? 0
		for (const end of this.#marked ? this.#markedEnds(asked) : ends) this.#keep(asked, end)
		return this.#marked ? { read, written: all - read, rest: 0 } : { read, written: 0, rest: all - read }
	}

	#isKnown(asked: Asked, end: number): boolean {
		const entry = this.#kept.get(beginningOf(asked, end))
		if (!entry || asked.at < entry.from || asked.at > entry.until) return false
		entry.until = asked.at + entry.seconds
		return true
	}

	#keep(asked: Asked, end: number): void {
		const seconds = asked.seconds || 300
		const known = this.#kept.get(beginningOf(asked, end))
		const from = known && known.until >= asked.at ? known.from : asked.at + untilAnswerS
		this.#kept.set(beginningOf(asked, end), { from, until: asked.at + seconds, seconds })
	}

	#pieceEnds({ pieces }: Asked): number[] {
		let end = 0
		return pieces.map(({ tokens }) => (end += tokens))
	}

	#markedEnds(asked: Asked): number[] {
		const ends = this.#pieceEnds(asked)
		const systemEnd = asked.pieces.findLastIndex(({ kind }) => kind !== 'message')
		return [ends[systemEnd] ?? 0, ends.at(-1) ?? 0]
	}
}

function blockEnds(tokens: number): number[] {
	return Array.from({ length: Math.floor(tokens / blockTokens) }, (_, block) => (block + 1) * blockTokens)
}

/** The first tokens of a prompt, and all that they are known under. */
function beginningOf({ connection, model, settings, cacheKey, pieces }: Asked, tokens: number): string {
	let left = tokens
	const beginning: string[] = []
	for (const piece of pieces) {
		if (left <= 0) break
		if (piece.kind === 'message') beginning.push(settings)
		beginning.push(
			`${piece.kind} ${piece.name} ${piece.text} ${Math.min(left, piece.tokens)}/${piece.tokens}`,
		)
		left -= piece.tokens
	}
	return JSON.stringify([connection, model, cacheKey, beginning])
}
