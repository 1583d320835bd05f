import { useEffect, useReducer, useRef } from 'react'
import { api, unwrap } from '../../api.ts'
import { serverNowMs } from '../../lib/clock.ts'
import { followEvents, type StreamState } from '../../lib/event-stream.ts'
import { defaultRange } from '../../lib/time-range.ts'
import type { Span } from './queries.ts'

export const keptSpans = 500

interface Live {
	state: StreamState
	/** Newest first. */
	spans: readonly Span[]
	/** Spans that arrived while paused, newest first. */
	held: readonly Span[]
	/** Recorded, but more than this connection could transfer. */
	missed: number
}

type Change =
	| { state: StreamState }
	| { arrived: readonly Span[]; missed: number; paused: boolean }
	| { release: true }

const nothing: Live = { state: 'connecting', spans: [], held: [], missed: 0 }

export function liveReducer(live: Live, change: Change): Live {
	if ('state' in change) return { ...live, state: change.state }
	if ('release' in change) return { ...live, spans: merge(live.held, live.spans), held: [] }
	const missed = live.missed + change.missed
	if (change.paused) return { ...live, missed, held: merge(change.arrived, live.held) }
	return { ...live, missed, spans: merge(change.arrived, live.spans) }
}

/** The filter comes before the limit: newest rows that are not shown must not push out older ones that are. */
export function shownSpans(
	live: Pick<Live, 'spans' | 'held'>,
	stored: readonly Span[],
	isShown: (span: Span) => boolean,
): readonly Span[] {
	const held = new Set(live.held.map(keyOf))
	return merge(
		live.spans.filter(isShown),
		stored.filter((span) => isShown(span) && !held.has(keyOf(span))),
	)
}

const keyOf = ({ trace_id, span_id }: Span) => `${trace_id}${span_id}`

/** Newest first, without duplicates, and no more than a screen can use. */
export function merge(newer: readonly Span[], older: readonly Span[]): readonly Span[] {
	const seen = new Set<string>()
	const all = [...newer, ...older].filter((span) => {
		const key = keyOf(span)
		return !seen.has(key) && seen.add(key)
	})
	return all.slice(0, keptSpans)
}

/** Clocks and the order in which batches arrive differ by less. */
const leewayMs = 10_000

/** What ended since the stream was last heard, newest first; nothing if that cannot be read either. */
async function readSince(sinceMs: number): Promise<Span[]> {
	const query = { start: defaultRange.start, limit: 100 }
	const { spans } = await unwrap(api.GET('/v1/telemetry/spans', { params: { query } }))
	return spans.filter(
		({ started_at, duration_ms }) => Date.parse(started_at) + (duration_ms ?? 0) > sinceMs - leewayMs,
	)
}

/**
 * The spans of the workspace as they arrive. The screen is updated at most four times a second, so that a busy instance cannot block
 * it.
 */
export function useLiveSpans(paused: boolean): Live & { release(): void } {
	const [live, change] = useReducer(liveReducer, nothing)
	const isPaused = useRef(paused)
	useEffect(() => {
		isPaused.current = paused
	}, [paused])
	useEffect(() => {
		const controller = new AbortController()
		let arrived: Span[] = []
		let missed = 0
		/** A connection can be dead long before that is noticed. */
		let heardMs = 0
		let isBroken = false
		const resume = async (sinceMs: number) => {
			const spans = await readSince(sinceMs).catch(() => [])
			// Below those that have arrived by now.
			arrived.push(...spans)
		}
		const timer = setInterval(() => {
			if (arrived.length > 0 || missed > 0) change({ arrived, missed, paused: isPaused.current })
			arrived = []
			missed = 0
		}, 250)
		void followEvents('/v1/telemetry/live', controller.signal, {
			event: ({ event, data }) => {
				heardMs = serverNowMs()
				if (event === 'span') arrived.unshift(JSON.parse(data) as Span)
				if (event === 'gap') missed += (JSON.parse(data) as { missed: number }).missed
			},
			state: (state) => {
				change({ state })
				isBroken ||= state === 'lost' && heardMs > 0
				if (state !== 'open') return
				if (isBroken) void resume(heardMs)
				isBroken = false
				heardMs = serverNowMs()
			},
		})
		return () => {
			controller.abort()
			clearInterval(timer)
		}
	}, [])
	return { ...live, release: () => change({ release: true }) }
}
