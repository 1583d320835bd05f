import { getHeapStatistics } from 'node:v8'
import { Problem } from '../errors.ts'
import type { Figure } from '../health/metrics.ts'
import type { Route, RouteFamily } from '../http/route.ts'
import type { Log } from '../log.ts'
import { Admission } from './admission.ts'
import { judgeLoad, noOverload, type OverloadState, shedClasses } from './judge-load.ts'

const readEveryMs = 250
/** The lag is the median of so many readings: one long stall alone is not overload. */
const readings = 5
const retryAfterS = 2

export interface Overload {
	/** Null lets the request in; `overloaded` (503) refuses it before it costs anything. */
	judge(route: Route): Problem | null
	/** Where calls of agents and models wait for their turn; null: the route is none of these. */
	admission(route: Route): Admission | null
	figures: Figure[]
	close(): void
}

export interface OverloadOptions {
	/** Lag of the event loop at which ingestion is refused; 0: never for lag. Calls wait at most 16 times as long, or a second. */
	lagMs: number
	/** How full the telemetry log is, 0 to 1. */
	logFill(): number
	log: Log
}

const callClass = 2
/** Position in `shedClasses`. */
const classOf: Record<RouteFamily, number> = { otlp: 0, api: 1, page: 1, mcp: 2, model: 2 }

/**
 * Watches the process and refuses requests by class while it is overloaded: ingestion first, then the API. Calls wait for
 * their turn instead, and are refused by the level only while memory runs out.
 */
export function watchOverload({ lagMs, logFill, log }: OverloadOptions): Overload {
	let state: OverloadState = noOverload
	const lags = Array.from({ length: readings }, () => 0)
	let expectedAtMs = performance.now() + readEveryMs
	const shed = shedClasses.map(() => 0)
	const admission = new Admission({ patienceMs: patienceMs(lagMs), log })
	const read = () => {
		const nowMs = performance.now()
		lags.shift()
		lags.push(Math.max(0, nowMs - expectedAtMs))
		expectedAtMs = nowMs + readEveryMs
		const load = { lagMs: medianOf(lags), logFill: logFill(), memoryFill: memoryFill() }
		const next = judgeLoad(state, load, lagMs)
		if (next.level !== state.level) log.warn({ ...load, level: next.level }, 'overload: the level changes')
		state = next
	}
	const timer = setInterval(read, readEveryMs).unref()
	return {
		judge: (route) => {
			if (state.level === 0 || route.always) return null
			const position = classOf[route.family]
			if (position >= state.level) return null
			shed[position] = (shed[position] as number) + 1
			return new Problem('overloaded', undefined, { retryAfterS })
		},
		admission: (route) => (classOf[route.family] === callClass && !route.always ? admission : null),
		figures: [
			...admission.figures,
			{
				name: 'signalbox_overload_level',
				help: 'How many classes of requests are refused: ingest, api, calls',
				read: () => state.level,
			},
			...shedClasses.map((name, position) => ({
				name: `signalbox_shed_${name}_requests`,
				help: `Requests refused under overload, of the class ${name}`,
				read: () => (shed[position] as number) + (position === callClass ? admission.refused : 0),
			})),
		],
		close: () => {
			clearInterval(timer)
			admission.close()
		},
	}
}

/** A refusal that comes at once is asked for again at once: a second costs the caller little and us nothing. */
function patienceMs(lagMs: number): number {
	return lagMs === 0 ? 0 : Math.max(1000, lagMs * 16)
}

function medianOf(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

/** Of V8's heap and, in a container, of its memory. */
function memoryFill(): number {
	const { used_heap_size, heap_size_limit } = getHeapStatistics()
	const heap = used_heap_size / heap_size_limit
	const limitBytes = process.constrainedMemory()
	// Without a container it is 0 or absurdly large.
	if (!limitBytes || limitBytes > Number.MAX_SAFE_INTEGER) return heap
	return Math.max(heap, process.memoryUsage.rss() / limitBytes)
}
