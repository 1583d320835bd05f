import type { Clock } from '../../platform/clock.ts'

/** Answers of a workspace's questions, each being worked out once for all who ask it at a time. */
export type ShareAnswers = <Answer>(
	asked: { workspaceId: string; read: string; query: object },
	answer: () => Promise<Answer>,
) => Promise<Answer>

interface Known {
	answer: Promise<unknown>
	version: number | null
	askedMs: number
	/** Null until it is there. */
	tookMs: number | null
}

/** While nothing comes: a range that ends now moves on, and erasures change figures. */
const keptMs = 5000
/** While spans arrive an answer is kept so many times as long as it took, at the most a second. */
const timesAsLong = 4
const mostWhileArrivingMs = 1000
const mostAnswers = 300

/**
 * Who asks what is being answered gets that answer, and so does whoever asks again while the figures are the same: eight viewers of a
 * screen cost the engine what one does. `version` is another number when figures may be others; while it is null nothing is kept.
 */
export function shareAnswers(version: () => number | null, clock: Pick<Clock, 'nowMs'>): ShareAnswers {
	const known = new Map<string, Known>()
	const isGood = ({ version: of, askedMs, tookMs }: Known) => {
		if (tookMs === null) return true
		if (of === null) return false
		const now = version()
		const agoMs = clock.nowMs() - askedMs
		const forMs = of === now ? keptMs : Math.min(timesAsLong * tookMs, mostWhileArrivingMs)
		return now !== null && agoMs < forMs
	}
	return <Answer>(asked: object, answer: () => Promise<Answer>) => {
		const question = JSON.stringify(asked)
		const found = known.get(question)
		if (found && isGood(found)) return found.answer as Promise<Answer>
		known.delete(question)
		for (const [old, one] of known) if (known.size >= mostAnswers || !isGood(one)) known.delete(old)
		const askedMs = clock.nowMs()
		const one: Known = { version: version(), askedMs, tookMs: null, answer: answer() }
		known.set(question, one)
		one.answer.then(
			() => {
				one.tookMs = clock.nowMs() - askedMs
			},
			() => {
				if (known.get(question) === one) known.delete(question)
			},
		)
		return one.answer as Promise<Answer>
	}
}
