import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import type { Clock } from '../../../platform/clock.ts'
import { allSpansCountable, type CountableSpans } from '../counted-calls.ts'
import { KnownTraces, RecentSides } from './arrivals.ts'
import {
	type ArrivedTrace,
	arrivedAt,
	arrivedParameters,
	findArrived,
	findAskingTraces,
	findHoursOf,
	findSides,
	findStored,
	findUses,
	type NamedUse,
	type Side,
	storedSince,
	type TakeArrivals,
	type WorkspaceArrivals,
	writeLinks,
} from './join-repository.ts'
import { hourOf, joinStretch, rowsOf, writeChanges } from './join-spans.ts'
import { forgetCalls, maxCalls, NearCalls } from './near-calls.ts'
import {
	findArrivedCalls,
	findJoins,
	findSpansOfTraces,
	type JoinWindow,
	type StoredSeenSpan,
} from './seen-spans-repository.ts'
import { placeOf } from './view.ts'

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>

/**
 * Rows of one insert have the same time of storage. An insert takes a while, so its rows may become visible this long after that time.
 */
const slowestInsertS = 60
/** How far back rows are checked that an earlier run of the program may have left unjoined. */
const leftByEarlierS = 600
/** Views of a call in other traces, and other calls that could claim them, are stored within this time. */
const keysReachMs = 25 * 60_000
const hourMs = 3_600_000
/** A span affects calls within this distance, or beneath it: see `namesApply`. */
const reachMs = hourMs
/** A model's answer is stored at most this long after the tool call that it requested. */
const usesWaitMs = 60_000
const maxWaiting = 5000
/** A trace that spans more than this is joined hour by hour. */
const widestMs = 12 * hourMs

export interface Joined {
	/** Whether anything was stored. */
	arrived: boolean
	/** Number of calls whose joins changed. */
	changed: number
}

/** If this program has not joined for this long, another one does, or nobody. */
const aliveForMs = 10_000
/** Another program has by then joined what was stored before. */
const joinedByOthersMs = 3000

/** Joins the calls of newly stored spans, together with those that they may affect. */
export class Joiner {
	readonly #store: Store
	readonly #clock: Clock
	readonly #isShared: boolean
	readonly #takeArrived: TakeArrivals | undefined
	#running: Promise<unknown> = Promise.resolve()
	#aliveMs = 0
	/** Difference between the engine's clock and ours. */
	#aheadMs = 0
	/** For each workspace, how many runs found something of it. */
	readonly #versions = new Map<string, number>()
	/** Number of rows for each time of storage in the last minute. */
	#seen: ReadonlyMap<string, string> | null = null
	/** By workspace: tool uses whose model call is not stored yet. */
	readonly #uses = new Map<string, { use: NamedUse; untilMs: number }[]>()
	readonly #traces = new KnownTraces()
	readonly #sides = new RecentSides(keysReachMs)
	/** By workspace. */
	readonly #near = new Map<string, NearCalls>()

	/**
	 * `joinedBy`: who joins what arrives: this program from now on (`us`), whichever program has the job (`any`), or nobody until this
	 * joiner is first run. `takeArrived`: see its type.
	 */
	constructor(
		store: Store,
		clock: Clock,
		joinedBy: 'us' | 'any' | 'nobody' = 'nobody',
		takeArrived?: TakeArrivals,
	) {
		this.#takeArrived = takeArrived
		this.#store = store
		this.#clock = clock
		this.#isShared = joinedBy === 'any'
		if (joinedBy === 'us') this.noteAlive()
	}

	/** A caller that arrives while it runs gets a run that begins afterwards. */
	join(): Promise<Joined> {
		const next = this.#running.catch(() => null).then(() => this.#run())
		this.#running = next
		return next
	}

	/** Notes that this program still joins, although nothing may have been stored. */
	noteAlive(): void {
		this.#aliveMs = this.#clock.nowMs()
	}

	/** A number that changes whenever figures of a workspace may have changed; null if that is not known here. */
	versionOf(workspaceId: string): number | null {
		return this.#isAlive() ? (this.#versions.get(workspaceId) ?? 0) : null
	}

	/** What queries may count. If another program joins, that is not known completely. */
	countable(): CountableSpans {
		const engineMs = this.#clock.nowMs() + this.#aheadMs
		if (!this.#isAlive())
			return this.#isShared ? { fromMs: engineMs - joinedByOthersMs, storedMs: [] } : allSpansCountable
		return { fromMs: engineMs - slowestInsertS * 1000, storedMs: [...(this.#seen?.keys() ?? [])].map(Number) }
	}

	#isAlive(): boolean {
		return this.#clock.nowMs() - this.#aliveMs < aliveForMs
	}

	async #run(): Promise<Joined> {
		const before = this.#seen
		const { nowMs, stored } = await findStored(this.#store, before ? slowestInsertS : leftByEarlierS)
		if (nowMs > 0) this.#aheadMs = nowMs - this.#clock.nowMs()
		const moments = [...stored].flatMap(([at, rows]) =>
			before?.get(at) === rows ? [] : [{ storedMs: Number(at), rows: Number(rows) }],
		)
		let changed = 0
		const touched = new Set<string>()
		if (moments.length > 0) {
			if (!before) this.#sides.note(await findSides(this.#store, nowMs - keysReachMs), nowMs)
			const arrived = await findArrived(this.#store, moments, this.#takeArrived)
			this.#sides.note(
				[...arrived.values()].flatMap(({ sides }) => sides),
				nowMs,
			)
			const stored = moments.map(({ storedMs }) => storedMs)
			for (const [workspaceId, own] of arrived) {
				changed += await this.#joinOf(workspaceId, own, { stored, nowMs })
				touched.add(workspaceId)
			}
		}
		forgetCalls(this.#near, nowMs - keysReachMs)
		this.#seen = stored
		for (const workspaceId of touched)
			this.#versions.set(workspaceId, (this.#versions.get(workspaceId) ?? 0) + 1)
		this.noteAlive()
		return { arrived: moments.length > 0, changed }
	}

	async #joinOf(
		workspaceId: string,
		{ traces, sides }: WorkspaceArrivals,
		{ stored, nowMs }: ArrivedNow,
	): Promise<number> {
		const extent = extentOf(traces)
		const parameters = { workspace: workspaceId, ...arrivedParameters(stored) }
		const requested = await this.#linkUses(workspaceId, sides, parameters, nowMs)
		const storedMs = Math.min(...stored)
		const since = new Map<string, number>()
		const fresh = new Set<string>()
		for (const trace of traces) {
			const { sinceMs, isKnown } = this.#traces.note(workspaceId, trace, storedMs)
			// The spans of a trace that arrived completely show whether there is anything to join.
			if (isKnown || trace.isMixed) since.set(trace.trace, sinceMs)
			if (!isKnown) fresh.add(trace.trace)
		}
		if (traces.some(({ first, last }) => last - first > widestMs))
			return this.#joinHours(workspaceId, parameters)
		const own = `workspace_id = {workspace:String}`
		const look: JoinWindow = {
			...{ core: `${own} AND ${arrivedAt}`, near: `${own} AND ${storedSince}`, far: '0' },
			parameters: { ...parameters, since: storedMs },
		}
		const sharing = await this.#findSharing(workspaceId, look, traces, nowMs)
		const decided = new Set([...since.keys(), ...sharing.decided, ...requested])
		if (decided.size === 0) return 0
		const all = new Set([...decided, ...sharing.rivals])
		for (const trace of all) {
			const sinceMs = since.get(trace) ?? this.#traces.arrivedSince(workspaceId, trace) ?? nowMs - keysReachMs
			if (sinceMs < (look.parameters.since as number)) look.parameters.since = sinceMs
		}
		const spans = await findSpansOfTraces(this.#store, workspaceId, look, [...all])
		return this.#decide(workspaceId, spans, { decided, extent, fresh })
	}

	/** Traces whose calls may be views of the new calls, and others that could claim these. */
	async #findSharing(
		workspaceId: string,
		look: JoinWindow,
		traces: readonly ArrivedTrace[],
		nowMs: number,
	): Promise<{ decided: string[]; rivals: string[] }> {
		const isNew = this.#sides.begin(workspaceId)
		if (isNew === null) {
			this.#near.delete(workspaceId)
			return { decided: [], rivals: [] }
		}
		const near = (!isNew && this.#near.get(workspaceId)) || new NearCalls()
		this.#near.set(workspaceId, near)
		const sinceMs = nowMs - keysReachMs
		const found = isNew
			? await findArrivedCalls(this.#store, look.near, { ...look.parameters, since: sinceMs }, maxCalls)
			: await findArrivedCalls(this.#store, look.core, look.parameters, maxCalls)
		near.add(found, nowMs)
		return near.around(traces.map(({ trace }) => trace))
	}

	async #decide(
		workspaceId: string,
		spans: ReadonlyMap<string, StoredSeenSpan>,
		{ decided, extent, fresh }: { decided: ReadonlySet<string>; extent: Extent; fresh: ReadonlySet<string> },
	): Promise<number> {
		const [fromMs, toMs] = [extent.startMs - reachMs, extent.reachesMs + reachMs]
		const isDecided = ({ trace, startUs }: { trace: string; startUs: number }) =>
			decided.has(trace) && startUs >= fromMs * 1000 && startUs < toMs * 1000
		const hours = { first: hourOf(fromMs * 1000), last: hourOf(toMs * 1000) }
		const before = [...decided].filter((trace) => !fresh.has(trace))
		const known = before.length > 0 ? await findJoins(this.#store, workspaceId, hours, before) : []
		return writeChanges(this.#store, workspaceId, {
			known: known.filter(([, , start, trace = '', span = '']) => {
				return isDecided({ trace, startUs: Number(start) }) && spans.has(placeOf({ trace, span }))
			}),
			rows: await rowsOf(this.#store, workspaceId, spans, isDecided),
		})
	}

	/**
	 * Links tool calls to the trace of the model call that requested them. Resolves with the traces of the calls whose model call was found now:
	 * they may take its session.
	 */
	async #linkUses(
		workspaceId: string,
		sides: readonly Side[],
		parameters: Record<string, unknown>,
		nowMs: number,
	): Promise<string[]> {
		// Without traffic through the proxy there are no such model calls.
		if (!this.#sides.hasProxy(workspaceId)) {
			this.#uses.delete(workspaceId)
			return []
		}
		const known = this.#uses.get(workspaceId)
		const toolsCame = sides.some(({ kind }) => kind === 'tool_call')
		const arrived = known
			? toolsCame
				? await findUses(this.#store, arrivedAt, parameters)
				: []
			: await findUses(this.#store, storedSince, { ...parameters, since: nowMs - keysReachMs })
		const waiting = known ?? []
		const open = [
			...waiting.filter(({ untilMs }) => untilMs > nowMs),
			...arrived.map((use) => ({ use, untilMs: nowMs + usesWaitMs })),
		]
		if (open.length === 0) {
			this.#uses.set(workspaceId, [])
			return []
		}
		const asking = await findAskingTraces(
			this.#store,
			workspaceId,
			open.map(({ use }) => use),
		)
		this.#uses.set(workspaceId, open.filter(({ use }) => !asking.has(use.use)).slice(-maxWaiting))
		const links = open.flatMap(({ use: { use, trace, start_s, days } }) => {
			const asked = asking.get(use)
			return asked === undefined || asked === trace
				? []
				: [{ retentionDays: Number(days), startS: Number(start_s), traces: [asked, trace] as const }]
		})
		await writeLinks(this.#store, workspaceId, links)
		return open.flatMap(({ use: { use, trace } }) => (asking.has(use) ? [trace] : []))
	}

	/** The same for spans of many days: their hours and the adjacent ones are joined again. */
	async #joinHours(workspaceId: string, parameters: Record<string, unknown>): Promise<number> {
		let changed = 0
		for (const startMs of await findHoursOf(this.#store, parameters))
			changed += await joinStretch(this.#store, workspaceId, { startMs, endMs: startMs + hourMs })
		return changed
	}
}

interface ArrivedNow {
	/** Times of storage. */
	stored: readonly number[]
	nowMs: number
}

interface Extent {
	startMs: number
	endMs: number
	/** The latest time at which calls may be affected. */
	reachesMs: number
}

function extentOf(traces: readonly ArrivedTrace[]): Extent {
	const extent = { startMs: Number.POSITIVE_INFINITY, endMs: 0, reachesMs: 0 }
	for (const { first, last, reaches } of traces) {
		extent.startMs = Math.min(extent.startMs, first)
		extent.endMs = Math.max(extent.endMs, last + 1)
		extent.reachesMs = Math.max(extent.reachesMs, reaches + 1)
	}
	return extent
}
