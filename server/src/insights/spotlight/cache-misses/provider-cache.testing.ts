/** A part of a prompt; identified by its text, with the given number of tokens. */
export interface Piece {
	kind: 'tool' | 'system' | 'message'
	name: string
	text: string
	tokens: number
}

/** A request as a provider receives it, at a time in seconds. */
export interface Asked {
	at: number
	connection: string
	model: string
	/** `tool_choice` and the like, which affect the caching of messages. */
	settings: string
	cacheKey: string
	pieces: Piece[]
	/** The lifetime of what it marks; 0: it marks nothing. */
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
 * A simulation of a provider's prompt cache, token by token: of a prompt, the longest prefix that an earlier one left there is known.
 * `marked`: prompts are cached up to their markers, which are at the end of the system texts and at the last message; otherwise in
 * whole blocks and automatically.
 */
export class ProviderCache {
	readonly #marked: boolean
	readonly #minimum: number
	/** By prefix: from when and until when it is cached. */
	#kept = new Map<string, { from: number; until: number; seconds: number }>()

	constructor(marked: boolean, minimum = 1024) {
		this.#marked = marked
		this.#minimum = minimum
	}

	/** A copy, for asking what would have happened. */
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

/** The first tokens of a prompt, and everything else on which its cache entry depends. */
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
