import { useEffect, useReducer } from 'react'
import { followEvents, type StreamState } from '../../lib/event-stream.ts'
import type { Span } from './queries.ts'

const keptSpans = 500

interface Live {
	state: StreamState
	/** Newest first. */
	spans: readonly Span[]
	/** Arrived while paused, newest first. */
	held: readonly Span[]
}

type Change = { state: StreamState } | { arrived: readonly Span[]; paused: boolean } | { release: true }

export function liveReducer(live: Live, change: Change): Live {
	if ('state' in change) return { ...live, state: change.state }
	if ('release' in change) return { ...live, spans: merge(live.held, live.spans), held: [] }
	if (change.paused) return { ...live, held: merge(change.arrived, live.held) }
	return { ...live, spans: merge(change.arrived, live.spans) }
}

/** Newest first, each span once, no more than a screen can use. */
export function merge(newer: readonly Span[], older: readonly Span[]): readonly Span[] {
	const seen = new Set<string>()
	const all = [...newer, ...older].filter((span) => {
		const key = `${span.trace_id}${span.span_id}`
		return !seen.has(key) && seen.add(key)
	})
	return all.slice(0, keptSpans)
}

/**
 * The spans of the workspace as they arrive. They are shown at most four times a second, however many come, so that a
 * busy instance cannot hold up the screen.
 */
export function useLiveSpans(paused: boolean): Live & { release(): void } {
	const [live, change] = useReducer(liveReducer, { state: 'connecting', spans: [], held: [] })
	useEffect(() => {
		const controller = new AbortController()
		let arrived: Span[] = []
		const timer = setInterval(() => {
			if (arrived.length > 0) change({ arrived, paused })
			arrived = []
		}, 250)
		void followEvents('/v1/telemetry/live', controller.signal, {
			event: ({ data }) => arrived.unshift(...spansIn(data)),
			state: (state) => change({ state }),
		})
		return () => {
			controller.abort()
			clearInterval(timer)
		}
	}, [paused])
	return { ...live, release: () => change({ release: true }) }
}

function spansIn(data: string): Span[] {
	const value = JSON.parse(data) as Span | Span[]
	return (Array.isArray(value) ? value : [value]).filter((span) => span.trace_id !== undefined)
}
