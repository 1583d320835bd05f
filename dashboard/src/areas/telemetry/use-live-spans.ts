import { useEffect, useReducer, useRef } from 'react'
import { followEvents, type StreamState } from '../../lib/event-stream.ts'
import type { Span } from './queries.ts'

const keptSpans = 500

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

/** Newest first, without duplicates, and no more than a screen can use. */
export function merge(newer: readonly Span[], older: readonly Span[]): readonly Span[] {
	const seen = new Set<string>()
	const all = [...newer, ...older].filter((span) => {
		const key = `${span.trace_id}${span.span_id}`
		return !seen.has(key) && seen.add(key)
	})
	return all.slice(0, keptSpans)
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
		const timer = setInterval(() => {
			if (arrived.length > 0 || missed > 0) change({ arrived, missed, paused: isPaused.current })
			arrived = []
			missed = 0
		}, 250)
		void followEvents('/v1/telemetry/live', controller.signal, {
			event: ({ event, data }) => {
				if (event === 'span') arrived.unshift(JSON.parse(data) as Span)
				if (event === 'gap') missed += (JSON.parse(data) as { missed: number }).missed
			},
			state: (state) => change({ state }),
		})
		return () => {
			controller.abort()
			clearInterval(timer)
		}
	}, [])
	return { ...live, release: () => change({ release: true }) }
}
