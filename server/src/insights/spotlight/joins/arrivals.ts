import { RecentMap } from '../../../platform/recent-map.ts'
import type { ArrivedTrace, Side, TakeArrivals } from './join-repository.ts'

/** The rows that this program stores. */
export interface StoredRows {
	/** Number of stored rows; rejects if one of its processes does not answer. */
	count(): Promise<number>
	/** Registers a callback for new rows; absent if these are known only by counting. */
	onMore?(tell: () => void): void
	takeArrived?: TakeArrivals
}

/** Interval between two counts if there is no callback. */
const countEveryMs = 250
/** A wait ends after this time in any case. */
const maxWaitMs = 5000

/** Interval of unconditional checks, because other programs may write to the same store. */
const minLookMs = 60_000

/** Whether spans may have been stored since the last check, as far as that is known without a query of the store. */
export class Arrivals {
	readonly #source: StoredRows | undefined
	#stored: number | null = null
	#lookedMs = Number.NEGATIVE_INFINITY
	#changedMs = performance.now()
	/** Rows were stored since the last count. */
	#isMore = false
	#wake: (() => void) | null = null

	/** `source` is undefined for a store to which several programs write: rows may then arrive at any time. */
	constructor(source: StoredRows | undefined) {
		this.#source = source
		source?.onMore?.(() => {
			this.#isMore = true
			this.#wake?.()
		})
	}

	/** Number of stored rows at the last check; null if it is not known. */
	get stored(): number | null {
		return this.#stored
	}

	get areCounted(): boolean {
		return this.#source !== undefined
	}

	async mayHaveArrived(): Promise<boolean> {
		this.#isMore = false
		const stored = await this.#source?.count().catch(() => undefined)
		const isSame = stored !== undefined && stored === this.#stored
		const nowMs = performance.now()
		if (!isSame) this.#changedMs = nowMs
		if (isSame && nowMs - this.#lookedMs < minLookMs) return false
		this.#stored = stored ?? null
		this.#lookedMs = nowMs
		return true
	}

	/** Resolves when rows may have arrived, after 5 s, or when `signal` is aborted. */
	next(signal: AbortSignal): Promise<void> {
		if (this.#isMore || signal.aborted) return Promise.resolve()
		return new Promise((resolve) => {
			const end = () => {
				this.#wake = null
				clearTimeout(timer)
				signal.removeEventListener('abort', end)
				resolve()
			}
			this.#wake = end
			const timer = setTimeout(end, this.#source?.onMore ? maxWaitMs : countEveryMs)
			signal.addEventListener('abort', end, { once: true })
		})
	}

	/** Whether nothing has arrived for this long. */
	isIdleFor(forMs: number): boolean {
		return this.areCounted && performance.now() - this.#changedMs > forMs
	}
}

/** A longer span may have begun before anything that is remembered. */
const longMs = 60_000
/** How many traces are remembered; the oldest are forgotten first. */
const maxTraces = 200_000

/** For recent traces, since when something of them has been stored. */
export class KnownTraces {
	readonly #since = new RecentMap<number, number>(maxTraces)

	/** Notes that spans of a trace arrived. Returns since when some of it may be stored, and whether some arrived before. */
	note(
		workspace: string,
		{ trace, longest }: ArrivedTrace,
		storedMs: number,
	): { sinceMs: number; isKnown: boolean } {
		const id = idOf(workspace, trace)
		const known = this.#since.get(id)
		this.#since.set(id, Math.min(known ?? storedMs, storedMs))
		// There may be calls beneath a long span that arrived earlier.
		const sinceMs = Math.min(known ?? storedMs, storedMs - longest)
		return { sinceMs, isKnown: known !== undefined || longest > longMs }
	}

	arrivedSince(workspace: string, trace: string): number | undefined {
		return this.#since.get(idOf(workspace, trace))
	}
}

/** A number of 52 bits. If two traces share it, only a little more is examined. */
function idOf(workspace: string, trace: string): number {
	let id = Number.parseInt(trace.slice(-13), 16)
	for (let at = workspace.length - 1; at >= Math.max(0, workspace.length - 4); at--)
		id += workspace.charCodeAt(at)
	return id
}

/**
 * In which workspaces several sides recorded the same kind of call recently. In others, no call has views in other traces or by other
 * libraries.
 */
export class RecentSides {
	readonly #forMs: number
	/** By workspace and kind: who recorded calls, and when last. */
	readonly #seen = new Map<string, Map<string, number>>()
	readonly #begun = new Set<string>()

	constructor(forMs: number) {
		this.#forMs = forMs
	}

	note(sides: readonly Side[], nowMs: number): void {
		for (const { workspace, kind, source, scope, rank } of sides) {
			const key = `${workspace} ${kind}`
			const known = this.#seen.get(key) ?? new Map<string, number>()
			known.set(`${source} ${rank} ${scope}`, nowMs)
			this.#seen.set(key, known)
		}
		for (const [key, known] of this.#seen) {
			for (const [side, atMs] of known) if (atMs < nowMs - this.#forMs) known.delete(side)
			if (known.size === 0) this.#seen.delete(key)
		}
	}

	hasProxy(workspace: string): boolean {
		const sides = this.#seen.get(`${workspace} model_call`)?.keys() ?? []
		return [...sides].some((side) => side.startsWith('model_proxy '))
	}

	/** Null if no other side recorded calls; true the first time. */
	begin(workspace: string): boolean | null {
		const isShared = ['tool_call', 'model_call'].some((kind) => {
			const sides = [...(this.#seen.get(`${workspace} ${kind}`)?.keys() ?? [])]
			return sides.length > 1 && sides.some((side) => side.startsWith('otlp '))
		})
		const isNew = isShared && !this.#begun.has(workspace)
		if (isShared) this.#begun.add(workspace)
		else this.#begun.delete(workspace)
		return isShared ? isNew : null
	}
}
