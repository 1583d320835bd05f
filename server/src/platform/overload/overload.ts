import type { ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import { Problem } from '../errors.ts'
import type { Figure } from '../health/metrics.ts'
import type { Route, RouteFamily } from '../http/route.ts'
import type { Log } from '../log.ts'

const readEveryMs = 250
/** The lag is the median of so many readings, since a single long stall is not overload. */
const readings = 5
const retryAfterS = 2

export interface Overload {
	/** Null admits the request; `overloaded` (503) refuses it before it costs anything. */
	evaluate(route: Route): Problem | null
	/** The queue in which calls of agents and models wait for their turn; null for other routes. */
	admission(route: Route): Admission | null
	figures: Figure[]
	close(): void
}

export interface OverloadOptions {
	/**
	 * Event loop lag above which ingestion is refused, as far as it is due to the thread's own processor time; 0: lag is ignored. Calls
	 * wait at most 16 times as long, or a second.
	 */
	lagMs: number
	/** How full the telemetry log is, 0 to 1. */
	logFill(): number
	log: Log
}

const callClass = 2
/** Index in `shedClasses`. */
const classOf: Record<RouteFamily, number> = { otlp: 0, api: 1, page: 1, mcp: 2, model: 2 }

/**
 * Watches the process and sheds load by class while it is overloaded: first ingestion, then the API. Calls are queued instead, and
 * shed only when memory runs out.
 */
export function watchOverload({ lagMs, logFill, log }: OverloadOptions): Overload {
	let state: OverloadState = noOverload
	const lags = Array.from({ length: readings }, () => 0)
	let expectedAtMs = performance.now() + readEveryMs
	let usedBefore = process.threadCpuUsage()
	const shed = shedClasses.map(() => 0)
	const admission = new Admission({ patienceMs: patienceMs(lagMs), log })
	const drain = new LogDrain()
	const read = () => {
		const nowMs = performance.now()
		const used = process.threadCpuUsage(usedBefore)
		lags.shift()
		// Where other programs take the processor, the thread is late without work of its own. Refusing requests would not help then.
		lags.push(Math.max(0, Math.min(nowMs - expectedAtMs, (used.user + used.system) / 1000)))
		expectedAtMs = nowMs + readEveryMs
		usedBefore = process.threadCpuUsage()
		const load = { lagMs: medianOf(lags), logFill: logFill(), memoryFill: memoryFill() }
		const next = evaluateLoad(state, load, lagMs)
		if (next.level !== state.level) log.warn({ ...load, level: next.level }, 'overload: the level changes')
		state = next
		drain.note(nowMs, load.logFill, next.level)
	}
	// Without requests there is nothing to refuse, so reading resumes with the next request.
	let reading: NodeJS.Timeout | null = null
	let isAsked = false
	const readAgain = () => {
		read()
		if (!isAsked && state.level === 0 && lags.every((lag) => lag < readEveryMs)) stop()
		isAsked = false
	}
	const stop = () => {
		if (reading) clearInterval(reading)
		reading = null
	}
	const start = () => {
		expectedAtMs = performance.now() + readEveryMs
		usedBefore = process.threadCpuUsage()
		reading = setInterval(readAgain, readEveryMs).unref()
	}
	return {
		evaluate: (route) => {
			isAsked = true
			if (!reading) start()
			if (state.level === 0 || route.always) return null
			const position = classOf[route.family]
			if (position >= state.level) return null
			shed[position] = (shed[position] as number) + 1
			const waitS = route.family === 'otlp' ? drain.seconds() : retryAfterS
			return new Problem('overloaded', undefined, { retryAfterS: waitS })
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
				grows: true as const,
			})),
		],
		close: () => {
			stop()
			admission.close()
		},
	}
}

/** A caller that is refused at once retries at once. Waiting a second costs the caller little and us nothing. */
function patienceMs(lagMs: number): number {
	return lagMs === 0 ? 0 : Math.max(1000, lagMs * 16)
}

function medianOf(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

/** Of V8's heap and, in a container, of the container's memory. */
function memoryFill(): number {
	const { used_heap_size, heap_size_limit } = getHeapStatistics()
	const heap = used_heap_size / heap_size_limit
	const limitBytes = process.constrainedMemory()
	// Outside of a container the limit is 0 or absurdly large.
	if (!limitBytes || limitBytes > Number.MAX_SAFE_INTEGER) return heap
	return Math.max(heap, process.memoryUsage.rss() / limitBytes)
}

/** How loaded the process is. */
export interface Load {
	/** How late timers of the event loop fire because of the thread's own work, as a median over about a second. */
	lagMs: number
	/** How full the telemetry log is, 0 to 1. */
	logFill: number
	/** How close the process is to its memory limit, 0 to 1. */
	memoryFill: number
}

/** What is shed, in this order and cumulatively: ingestion, the API and pages, MCP and model calls. */
const shedClasses = ['ingest', 'api', 'calls'] as const

/** How many of `shedClasses` are shed, and for how many consecutive readings one fewer would have been enough. */
export interface OverloadState {
	level: number
	calm: number
}

export const noOverload: OverloadState = { level: 0, calm: 0 }

/**
 * Thresholds for shedding each class. A full log affects only ingestion, because the recorder itself decides about calls. Lag does
 * not affect calls: see `Admission`.
 */
const limits: readonly { lag: number; logFill: number; memoryFill: number }[] = [
	{ lag: 1, logFill: 0.8, memoryFill: 0.85 },
	{ lag: 4, logFill: Number.POSITIVE_INFINITY, memoryFill: 0.92 },
	{ lag: Number.POSITIVE_INFINITY, logFill: Number.POSITIVE_INFINITY, memoryFill: 0.97 },
]
/** A level ends only well below its thresholds and after a while; otherwise it would oscillate. */
const ease = 0.8
const calmReadings = 8

const maxRetryS = 30

/** Estimates when a full log accepts telemetry again, from how fast it has drained since ingestion was refused. */
export class LogDrain {
	#first: { atMs: number; fill: number } | null = null
	#last = { atMs: 0, fill: 0 }

	note(atMs: number, fill: number, level: number): void {
		this.#last = { atMs, fill }
		if (level === 0) this.#first = null
		else if (!this.#first || fill > this.#first.fill) this.#first = this.#last
	}

	/** Whole seconds from 1 to 30; the default if the log is not the cause. */
	seconds(): number {
		const over = this.#last.fill - (limits[0]?.logFill ?? 1) * ease
		if (!this.#first || over < 0) return retryAfterS
		const elapsedS = (this.#last.atMs - this.#first.atMs) / 1000
		const emptied = this.#first.fill - this.#last.fill
		// While nothing drains, the estimate is at least as long as it has already lasted.
		const leftS = emptied > 0 ? (over / emptied) * elapsedS : Math.max(retryAfterS, elapsedS)
		return Math.min(maxRetryS, Math.max(1, Math.ceil(leftS)))
	}
}

/** The next state after a reading. `lagMs` is the threshold for shedding by lag (0: lag is ignored). */
export function evaluateLoad(state: OverloadState, load: Load, lagMs: number): OverloadState {
	const level = levelOf(load, lagMs, 1)
	if (level >= state.level) return { level, calm: 0 }
	if (levelOf(load, lagMs, ease) >= state.level) return { level: state.level, calm: 0 }
	if (state.calm + 1 < calmReadings) return { level: state.level, calm: state.calm + 1 }
	return { level: state.level - 1, calm: 0 }
}

function levelOf(load: Load, lagMs: number, factor: number): number {
	const reached = limits.map(
		({ lag, logFill, memoryFill }) =>
			(lagMs > 0 && load.lagMs >= lag * lagMs * factor) ||
			load.logFill >= logFill * factor ||
			load.memoryFill >= memoryFill * factor,
	)
	return reached.lastIndexOf(true) + 1
}

/** CPU time per turn of the event loop for new calls; the rest is for running ones. */
const turnBudgetMs = 10
const notifyEveryMs = 10_000

/** A call at the queue. */
export interface AdmittedCall {
	readonly response: ServerResponse
	go(): void
	refuse(problem: Problem): void
}

interface Waiting {
	call: AdmittedCall
	sinceMs: number
}

interface AdmissionOptions {
	/** How long a call may wait; 0: calls neither wait nor are refused. */
	patienceMs: number
	log: Log
}

/**
 * Admits calls in order and as fast as the process can handle them. Excess calls wait unread at the ingress, which costs almost
 * nothing, and are refused after waiting too long. Under a flood the process thus stays as productive as at its best load. Refusing
 * all calls while the event loop lags would leave it idle, and callers that are refused at once retry at once.
 */
export class Admission {
	readonly #options: AdmissionOptions
	/** Oldest first, starting at `#head`. */
	#queue: Waiting[] = []
	#head = 0
	#turnStartMs = 0
	#pumping = false
	#notifiedAtMs = Number.NEGATIVE_INFINITY
	refused = 0

	constructor(options: AdmissionOptions) {
		this.#options = options
	}

	get waiting(): number {
		return this.#queue.length - this.#head
	}

	/** Calls `go`, now or when it is the call's turn, or `refuse`; neither if its client has disconnected by then. */
	enter(call: AdmittedCall): void {
		const nowMs = performance.now()
		if (!this.#pumping) {
			this.#turnStartMs = nowMs
			this.#pumping = true
			setImmediate(this.#pump)
		}
		const hasRoom = this.waiting === 0 && nowMs - this.#turnStartMs < turnBudgetMs
		if (hasRoom || this.#options.patienceMs === 0) call.go()
		else this.#queue.push({ call, sinceMs: nowMs })
	}

	/** Refuses all waiting calls. */
	close(): void {
		for (const { call } of this.#queue.splice(this.#head))
			call.refuse(new Problem('shutting_down', undefined, { retryAfterS }))
		this.#queue = []
		this.#head = 0
	}

	readonly #pump = (): void => {
		// Mostly nobody had to wait.
		if (this.waiting === 0) {
			this.#pumping = false
			return
		}
		this.#turnStartMs = performance.now()
		const { patienceMs } = this.#options
		while (this.waiting > 0) {
			const nowMs = performance.now()
			const next = this.#queue[this.#head] as Waiting
			const isLate = nowMs - next.sinceMs > patienceMs
			if (!isLate && nowMs - this.#turnStartMs >= turnBudgetMs) break
			this.#head += 1
			if (next.call.response.destroyed) continue
			if (isLate) this.#refuse(next, nowMs)
			else next.call.go()
		}
		this.#trim()
		this.#pumping = this.waiting > 0
		if (this.#pumping) setImmediate(this.#pump)
	}

	#refuse({ call }: Waiting, nowMs: number): void {
		this.refused += 1
		if (nowMs - this.#notifiedAtMs > notifyEveryMs) {
			this.#notifiedAtMs = nowMs
			this.#options.log.warn(
				{ waiting: this.waiting, refused: this.refused },
				'overload: calls come faster than they can be carried out',
			)
		}
		call.refuse(new Problem('overloaded', undefined, { retryAfterS }))
	}

	/** Compacts the array occasionally instead of for each call. */
	#trim(): void {
		if (this.#head < 1024 && this.waiting > 0) return
		this.#queue = this.#queue.slice(this.#head)
		this.#head = 0
	}

	readonly figures: readonly Figure[] = [
		{
			name: 'signalbox_waiting_calls',
			help: 'MCP and model calls that wait at the ingress',
			read: () => this.waiting,
		},
	]
}
