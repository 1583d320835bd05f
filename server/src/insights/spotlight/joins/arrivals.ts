import type { Clock } from '../../../platform/clock.ts'
import { RecentMap } from '../../../platform/recent-map.ts'
import type { ArrivedTrace, Side, TakeArrived } from './join-repository.ts'

/** What this program stores. */
export interface StoredRows {
	/** How many rows were stored; rejects where one of its processes does not answer. */
	count(): Promise<number>
	/** Told whenever there are more; absent where that is known by counting alone. */
	onMore?(tell: () => void): void
	takeArrived?: TakeArrived
}

/** Between two counts where nothing tells that there is more. */
const countEveryMs = 250
/** A wait ends after this time in any case. */
const longestWaitMs = 5000

/** Something else may write to the same store. */
const lookAtLeastMs = 60_000

/** Whether spans may have been stored since the last time that was asked, as far as that is known without a query of the store. */
export class Arrivals {
	readonly #source: StoredRows | undefined
	readonly #clock: Clock
	#stored: number | null = null
	#lookedMs = Number.NEGATIVE_INFINITY
	#changedMs: number
	/** More was stored since the last count. */
	#isMore = false
	#wake: (() => void) | null = null

	/** Without a count, of a store that several programs write to, anything may have come at any time. */
	constructor(source: StoredRows | undefined, clock: Clock) {
		this.#source = source
		this.#clock = clock
		this.#changedMs = clock.nowMs()
		source?.onMore?.(() => {
			this.#isMore = true
			this.#wake?.()
		})
	}

	/** So many rows were stored when that was asked last; null if it is not known. */
	get stored(): number | null {
		return this.#stored
	}

	get areCounted(): boolean {
		return this.#source !== undefined
	}

	async mayHaveCome(): Promise<boolean> {
		this.#isMore = false
		const stored = await this.#source?.count().catch(() => undefined)
		const isSame = stored !== undefined && stored === this.#stored
		const nowMs = this.#clock.nowMs()
		if (!isSame) this.#changedMs = nowMs
		if (isSame && nowMs - this.#lookedMs < lookAtLeastMs) return false
		this.#stored = stored ?? null
		this.#lookedMs = nowMs
		return true
	}

	/** Resolves when something may have come, after 5 s, or with `signal`. */
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
			const timer = setTimeout(end, this.#source?.onMore ? longestWaitMs : countEveryMs)
			signal.addEventListener('abort', end, { once: true })
		})
	}

	/** Nothing has come for so long. */
	areOver(forMs: number): boolean {
		return this.areCounted && this.#clock.nowMs() - this.#changedMs > forMs
	}
}

/** What lasts longer may have begun before anything that is remembered. */
const longMs = 60_000
/** What is remembered at most; forgotten first is what came first. */
const mostTraces = 200_000

/** Since when something of a trace is stored, of the traces that came last. */
export class KnownTraces {
	readonly #since = new RecentMap<number, number>(mostTraces)

	/** Notes that spans of a trace came. Answers since when some of it may be stored, and whether some came before. */
	note(
		workspace: string,
		{ trace, longest }: ArrivedTrace,
		storedMs: number,
	): { sinceMs: number; isKnown: boolean } {
		const id = idOf(workspace, trace)
		const known = this.#since.get(id)
		this.#since.set(id, Math.min(known ?? storedMs, storedMs))
		// What lasted long may have calls beneath it that came before.
		const sinceMs = Math.min(known ?? storedMs, storedMs - longest)
		return { sinceMs, isKnown: known !== undefined || longest > longMs }
	}

	sinceOf(workspace: string, trace: string): number | undefined {
		return this.#since.get(idOf(workspace, trace))
	}
}

/** 52 bits: two traces of one id would only be looked at a little more. */
function idOf(workspace: string, trace: string): number {
	let id = Number.parseInt(trace.slice(-13), 16)
	for (let at = workspace.length - 1; at >= Math.max(0, workspace.length - 4); at--)
		id += workspace.charCodeAt(at)
	return id
}

/** In which workspaces several recorded the same kind of call lately: elsewhere no call has views in other traces or by other libraries. */
export class KnownSides {
	readonly #forMs: number
	/** By workspace and kind, who was there and when at the last. */
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

	/** Null where nobody else recorded calls; true the first time. */
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
