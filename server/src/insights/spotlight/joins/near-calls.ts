import { keyStrengths, orderedKey } from '../../../telemetry/index.ts'
import { adjacentCalls } from './join-calls.ts'
import { mayBeNear, nearUs, reachUs } from './view.ts'

/** A recently stored call, according to one of its spans. */
export interface ArrivedCall {
	trace: string
	span: string
	kind: string
	/** See `keyNumber`. */
	keys: readonly number[]
	start_us: number
	length_us: number
	rank: number
	/** Whether it has content or usage by which views with skewed clocks are compared. */
	tells: 0 | 1
}

interface KnownTrace {
	id: string
	/** The kinds of calls for which it has content or usage by which views with skewed clocks are compared. */
	tells: readonly string[]
	calls: Entry[]
}
interface Entry {
	trace: KnownTrace
	kind: string
	span: string
	keys: readonly number[]
	startUs: number
	lengthUs: number
	rank: number
	storedMs: number
	isGone: boolean
}
/** In chronological order, with the duration of the longest. */
interface Group {
	calls: Entry[]
	maxUs: number
}

/** Maximum number of remembered calls in all workspaces together, at about 650 bytes each. The oldest are forgotten first. */
export const maxCalls = 200_000
/** They are forgotten in batches of this share, because each batch must examine all calls with their keys. */
const forgottenPart = 1 / 16
/** Most traces have no such kinds. */
const nothing: readonly string[] = []
/** Possible views are followed in steps. Calls within this many steps are decided again, and as many further steps are examined. */
const decidedSteps = 4
const lookedAtSteps = 8
/** Maximum number of traces that are examined in addition to the new ones. */
const maxTraces = 4000
/** For a key that is this busy, no more is examined for one call. */
const maxLooks = 1024
/** Views with the same answer id near each other are one call, however long the call lasts. */
const maxOfId = 50

/** In all workspaces, including those without new calls. */
export function forgetCalls(near: Map<string, NearCalls>, beforeMs: number, max = maxCalls): void {
	let count = 0
	for (const [workspaceId, calls] of near) {
		calls.forget(beforeMs)
		if (calls.size === 0) near.delete(workspaceId)
		count += calls.size
	}
	if (count <= max) return
	const largest = [...near.values()].reduce((one, other) => (other.size > one.size ? other : one))
	largest.forgetFirst(Math.ceil(count - max * (1 - forgottenPart)))
}

/** The recent calls of a workspace by key: shows which of them a new call may affect. */
export class NearCalls {
	readonly #traces = new Map<string, KnownTrace>()
	/** Most keys belong to one call only. */
	readonly #groups = new Map<number, Group | Entry>()
	#inOrder: Entry[] = []

	get size(): number {
		return this.#inOrder.length
	}

	add(calls: readonly ArrivedCall[], storedMs: number): void {
		for (const call of calls.toSorted((a, b) => a.start_us - b.start_us)) this.#addOne(call, storedMs)
	}

	#addOne(
		{ trace: id, span, kind, keys, start_us, length_us, rank, tells }: ArrivedCall,
		storedMs: number,
	): void {
		const trace = this.#traces.get(id) ?? { id, tells: nothing, calls: [] }
		if (trace.calls.length === 0) this.#traces.set(id, trace)
		if (tells === 1 && !trace.tells.includes(kind)) trace.tells = [...trace.tells, kind]
		for (const old of trace.calls) if (old.span === span) old.isGone = true
		const entry: Entry = {
			trace,
			kind,
			span,
			keys,
			startUs: start_us,
			lengthUs: length_us,
			rank,
			storedMs,
			isGone: false,
		}
		trace.calls = [...trace.calls.filter(({ isGone }) => !isGone), entry]
		this.#inOrder.push(entry)
		for (const key of keys) this.#addTo(key, entry)
	}

	#addTo(key: number, entry: Entry): void {
		const known = this.#groups.get(key)
		if (known === undefined) return void this.#groups.set(key, entry)
		const group = 'calls' in known ? known : { calls: [known], maxUs: known.lengthUs }
		if (group !== known) this.#groups.set(key, group)
		group.maxUs = Math.max(group.maxUs, entry.lengthUs)
		group.calls.splice(placeIn(group.calls, entry.startUs), 0, entry)
	}

	/** Forgets what was stored before a time, once that is a sufficient share. */
	forget(beforeMs: number): void {
		let count = 0
		while (count < this.#inOrder.length && (this.#inOrder[count] as Entry).storedMs < beforeMs) count++
		if (count > this.#inOrder.length * forgottenPart) this.forgetFirst(count)
	}

	/** Forgets the `count` oldest calls. */
	forgetFirst(count: number): void {
		if (count === 0) return
		const gone = this.#inOrder.slice(0, count)
		this.#inOrder = this.#inOrder.slice(count)
		for (const entry of gone) entry.isGone = true
		for (const trace of new Set(gone.map((entry) => entry.trace))) {
			trace.calls = trace.calls.filter(({ isGone }) => !isGone)
			if (trace.calls.length === 0) this.#traces.delete(trace.id)
		}
		for (const key of new Set(gone.flatMap(({ keys }) => keys))) {
			const group = this.#groups.get(key)
			if (!group) continue
			if ('calls' in group) group.calls = group.calls.filter(({ isGone }) => !isGone)
			if ('calls' in group ? group.calls.length === 0 : group.isGone) this.#groups.delete(key)
		}
	}

	/** The traces whose calls the new ones may affect, and others that could claim these. */
	around(arrived: Iterable<string>): { decided: string[]; rivals: string[] } {
		const first = [...arrived].flatMap((id) => this.#traces.get(id) ?? [])
		const stepOf = new Map<KnownTrace, number>(first.map((trace) => [trace, 0]))
		const alone = new Set<KnownTrace>()
		let last = first
		let step = 0
		while (last.length > 0 && step < lookedAtSteps && stepOf.size < first.length + maxTraces) {
			step++
			const next: KnownTrace[] = []
			for (const trace of last) {
				const others = this.#beside(trace)
				if (others.size === 0) alone.add(trace)
				for (const other of others)
					if (!stepOf.has(other)) {
						stepOf.set(other, step)
						next.push(other)
					}
			}
			last = next
		}
		// If the last step found nothing more, everything connected is known.
		const decidedTo = last.length === 0 ? step : Math.min(decidedSteps, Math.floor(step / 2))
		const idsOf = (isOne: (at: number) => boolean) =>
			[...stepOf].flatMap(([trace, at]) => (isOne(at) && !(at === 0 && alone.has(trace)) ? [trace.id] : []))
		return { decided: idsOf((at) => at <= decidedTo), rivals: idsOf((at) => at > decidedTo) }
	}

	#beside(trace: KnownTrace): Set<KnownTrace> {
		const found = new Set<KnownTrace>()
		for (const call of trace.calls)
			for (const key of call.keys) {
				const group = this.#groups.get(key)
				if (group && 'calls' in group && group.calls.length > 1)
					for (const other of nearIn(group, key, call)) found.add(other)
			}
		found.delete(trace)
		return found
	}
}

const placeIn = (calls: readonly Entry[], startUs: number): number => {
	let [low, high] = [0, calls.length]
	while (low < high) {
		const middle = (low + high) >> 1
		if ((calls[middle] as Entry).startUs <= startUs) low = middle + 1
		else high = middle
	}
	return low
}

function nearIn(group: Group, key: number, call: Entry): Set<KnownTrace> {
	const strength = key % 4
	if (strength === orderedKey) {
		const isNear = (other: Entry) =>
			other.rank !== call.rank &&
			mayBeNear(call, other, call.trace.tells.includes(call.kind) && other.trace.tells.includes(call.kind))
		return collect(group, call, { isNear, max: adjacentCalls, ...nearUs(call, group.maxUs) })
	}
	const reach = strength === keyStrengths.exact ? reachUs.exact : reachUs.strong
	if (strength === keyStrengths.exact && group.calls.length <= maxOfId)
		return new Set(group.calls.flatMap(({ isGone, trace }) => (isGone ? [] : [trace])))
	// Calls of the same side are not views of each other.
	const isOther = ({ rank }: Entry) => rank !== call.rank
	const others = collect(group, call, {
		isNear: isOther,
		max: 1,
		looks: 8 * adjacentCalls,
		backUs: 2 * reach,
		onUs: 2 * reach,
	})
	if (others.size === 0) return others
	return collect(group, call, { isNear: () => true, max: adjacentCalls, backUs: reach, onUs: reach })
}

interface Search {
	isNear(other: Entry): boolean
	max: number
	looks?: number
	/** Maximum distance in each direction. */
	backUs: number
	onUs: number
}

/** The nearest calls in each direction that match, up to `most` traces. */
function collect({ calls }: Group, call: Entry, search: Search): Set<KnownTrace> {
	const middle = placeIn(calls, call.startUs)
	return new Set([
		...collectSide(calls, call, { ...search, from: middle - 1, by: -1, withinUs: search.backUs }),
		...collectSide(calls, call, { ...search, from: middle, by: 1, withinUs: search.onUs }),
	])
}

function collectSide(
	calls: readonly Entry[],
	call: Entry,
	{
		isNear,
		max,
		looks = maxLooks,
		from,
		by,
		withinUs,
	}: Search & { from: number; by: 1 | -1; withinUs: number },
): Set<KnownTrace> {
	const found = new Set<KnownTrace>()
	for (
		let at = from;
		at >= 0 && at < calls.length && Math.abs(at - from) < looks && found.size < max;
		at += by
	) {
		const other = calls[at] as Entry
		if (Math.abs(other.startUs - call.startUs) > withinUs) break
		if (!other.isGone && other.trace !== call.trace && isNear(other)) found.add(other.trace)
	}
	return found
}
