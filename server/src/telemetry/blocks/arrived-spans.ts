import type { WorkSlices } from '../../platform/clock.ts'
import { isTagName } from '../rollups/call-joins.ts'
import { maxReachS } from '../rollups/rollup-tables.ts'
import { keyStrengths } from '../rollups/view-keys.ts'
import type { Block, BlockColumn } from './block.ts'
import { type SpanColumn, spanLayouts } from './span-block.ts'
import { Ids, Lists, NamedRows, Nanoseconds, Texts } from './stream-cursors.ts'

/** Which programs recorded calls of one kind. */
export interface RecordedSide {
	kind: string
	source: string
	scope: string
	/** Client (1), server (2), gateway or model proxy (3). */
	rank: number
}

/** What view joining needs to know about some blocks of one workspace: its traces, in the order of their first spans. */
export interface ArrivedSpans {
	workspace: string
	/** 16 bytes for each trace. */
	ids: Uint8Array
	/** For each trace, four values in ms: first start, last start, end of the period in which its spans affect calls, longest span. */
	times: Float64Array
	/** 1 if a call of the trace may have several views among these spans, or lacks a fact that another span has. */
	mixed: Uint8Array
	sides: RecordedSide[]
}

const numbers = new Map<string, number>(spanLayouts.map(({ name }, number) => [name, number]))
type Column = (name: SpanColumn) => BlockColumn | undefined

function columnsOf(block: Block): Column {
	const columns: (BlockColumn | undefined)[] = []
	for (const column of block.columns) columns[column.number] = column
	return (name) => columns[numbers.get(name) as number]
}

/**
 * The same facts that Spotlight's `join-repository.ts` queries from the engine; a test keeps both equal. Undefined if the engine
 * must be queried.
 */
export function arrivedSpansIn(
	blocks: readonly Block[],
	slices: Pick<WorkSlices, 'pause'> | null = null,
): ArrivedSpans[] | undefined {
	try {
		return arrivedIn(blocks, slices)
	} catch (error) {
		// A column is truncated; the engine will refuse it.
		if (error instanceof RangeError) return undefined
		throw error
	}
}

function arrivedIn(
	blocks: readonly Block[],
	slices: Pick<WorkSlices, 'pause'> | null,
): ArrivedSpans[] | undefined {
	const byWorkspace = new Map<string, ArrivedTraces>()
	for (const block of blocks) {
		slices?.pause()
		const column = columnsOf(block)
		const workspace = column('workspace_id')
		if (!workspace?.isSame) return undefined
		const name = new Texts(workspace).next()
		const arrived = byWorkspace.get(name) ?? new ArrivedTraces()
		byWorkspace.set(name, arrived)
		arrived.add(block.rows, column)
	}
	return [...byWorkspace].map(([workspace, arrived]) => ({ workspace, ...arrived.take() }))
}

const joinable: ReadonlySet<string> = new Set(['tool_call', 'model_call', 'mcp'])
const hourNs = 3_600_000_000_000
const maxMs = maxReachS * 1000

interface Rows {
	count: number
	column: Column
	/** The trace of each row, by index. */
	traces: Int32Array
}

class ArrivedTraces {
	readonly #numbers = new Map<string, number>()
	/** Four values for each trace, as in `ArrivedSpans`. */
	readonly #times: number[] = []
	readonly #spans: number[] = []
	readonly #calls: number[] = []
	readonly #sides = new Map<string, RecordedSide>()
	readonly #rows: Rows[] = []

	add(count: number, column: Column): void {
		const traces = this.#group(count, column)
		this.#rows.push({ count, column, traces })
		const kinds = new Texts(column('kind'))
		let hasSides = false
		for (let row = 0; row < count; row++) {
			const kind = kinds.next()
			if (!joinable.has(kind)) continue
			const trace = traces[row] as number
			this.#calls[trace] = (this.#calls[trace] as number) + 1
			hasSides ||= kind !== 'mcp'
		}
		if (hasSides) this.#addSides(count, column)
	}

	#group(count: number, column: Column): Int32Array {
		const traces = new Int32Array(count)
		const ids = new Ids(column('trace_id'), 16)
		const [starts, durations] = [
			new Nanoseconds(column('started_at')),
			new Nanoseconds(column('duration_ns')),
		]
		let trace = -1
		for (let row = 0; row < count; row++) {
			if (!ids.repeats(row)) trace = this.#numberOf(ids.at(row))
			traces[row] = trace
			this.#spans[trace] = (this.#spans[trace] as number) + 1
			this.#note(4 * trace, starts.msAt(row), durations.at(row))
		}
		return traces
	}

	#numberOf(id: string): number {
		const known = this.#numbers.get(id)
		if (known !== undefined) return known
		const number = this.#numbers.size
		this.#numbers.set(id, number)
		this.#times.push(Number.POSITIVE_INFINITY, 0, 0, 0)
		this.#spans.push(0)
		this.#calls.push(0)
		return number
	}

	#note(at: number, startMs: number, durationNs: number): void {
		const times = this.#times
		const reachMs = durationNs > hourNs ? Math.min(Math.floor(durationNs / 1e9), maxReachS) * 1000 : 0
		const lengthMs = Math.min(Math.floor(durationNs / 1e6), maxMs)
		if (startMs < (times[at] as number)) times[at] = startMs
		if (startMs > (times[at + 1] as number)) times[at + 1] = startMs
		if (startMs + reachMs > (times[at + 2] as number)) times[at + 2] = startMs + reachMs
		if (lengthMs > (times[at + 3] as number)) times[at + 3] = lengthMs
	}

	#addSides(count: number, column: Column): void {
		const [kinds, sources, scopes] = [column('kind'), column('source'), column('scope_name')].map(
			(texts) => new Texts(texts),
		) as [Texts, Texts, Texts]
		const otlpKinds = new Ids(column('otlp_kind'), 1)
		let last = ''
		for (let row = 0; row < count; row++) {
			const [kind, source, scope] = [kinds.next(), sources.next(), scopes.next()]
			if (kind !== 'tool_call' && kind !== 'model_call') continue
			const rank = source !== 'otlp' ? 3 : otlpKinds.at(row) === '\u0002' ? 2 : 1
			const side = `${kind} ${source} ${rank} ${scope}`
			if (side !== last) this.#sides.set(side, { kind, source, scope, rank })
			last = side
		}
	}

	take(): Omit<ArrivedSpans, 'workspace'> {
		return {
			ids: Buffer.from([...this.#numbers.keys()].join(''), 'latin1'),
			times: Float64Array.from(this.#times),
			mixed: this.#mixed(),
			sides: [...this.#sides.values()],
		}
	}

	#mixed(): Uint8Array {
		const mixed = new Uint8Array(this.#spans.length)
		const open = this.#spans.map((spans, trace) =>
			spans > 1 && (this.#calls[trace] as number) > 0 ? new SeveralSpans() : null,
		)
		for (const { count, column, traces } of this.#rows)
			if (traces.some((trace) => open[trace])) scanRows(count, column, (row) => open[traces[row] as number])
		for (const [trace, spans] of open.entries()) mixed[trace] = spans?.isMixed() ? 1 : 0
		return mixed
	}
}

interface SpanView {
	isCall: boolean
	source: string
	scope: string
	id: string
	parent: string
	/** Set for model calls only. */
	keys: Buffer | null
	/** Whether it has a session, a user and an agent. */
	names: readonly [boolean, boolean, boolean]
	hasTags: boolean
}

function scanRows(
	count: number,
	column: Column,
	traceOf: (row: number) => SeveralSpans | null | undefined,
): void {
	const texts = (name: SpanColumn) => new Texts(column(name))
	const [kinds, sources, scopes] = [texts('kind'), texts('source'), texts('scope_name')]
	const [sessions, users, agents, agentNames] = [
		...[texts('session_id'), texts('user_id')],
		...[texts('agent_id'), texts('agent_name')],
	] as [Texts, Texts, Texts, Texts]
	const [ids, parents] = [new Ids(column('span_id'), 8), new Ids(column('parent_span_id'), 8)]
	const lists = new Lists(column('view_keys'))
	const tags = new NamedRows(column('attributes'), isTagName)
	for (let row = 0; row < count; row++) {
		const [kind, source, scope] = [kinds.next(), sources.next(), scopes.next()]
		const [session, user, agent, agentName] = [
			...[sessions.next(), users.next()],
			...[agents.next(), agentNames.next()],
		] as [string, string, string, string]
		const keys = lists.next(row)
		const hasTags = tags.next()
		traceOf(row)?.add({
			...{ isCall: joinable.has(kind), source, scope, id: ids.at(row), parent: parents.at(row), hasTags },
			keys: kind === 'model_call' ? keys : null,
			names: [
				session !== '' && !session.startsWith('inferred:'),
				user !== '',
				agent !== '' || agentName !== '',
			],
		})
	}
}

/** The spans of a trace that has several, including calls. */
class SeveralSpans {
	#first: SpanView | null = null
	#differs = false
	#hasOtlp = false
	#repeats = false
	#hasTags = false
	readonly #calls = new Set<string>()
	readonly #parents = new Set<string>()
	readonly #keys = new Set<string>()
	readonly #hasNames = [false, false, false]
	readonly #lacking = [false, false, false]
	#count = 0

	add(span: SpanView): void {
		this.#parents.add(span.parent)
		this.#hasTags ||= span.hasTags
		for (const [i, isPresent] of span.names.entries()) {
			if (isPresent) this.#hasNames[i] = true
			else if (span.isCall) this.#lacking[i] = true
		}
		if (span.keys) this.#addKeys(span.keys)
		if (!span.isCall) return
		this.#count++
		this.#calls.add(span.id)
		this.#hasOtlp ||= span.source === 'otlp'
		this.#first ??= span
		this.#differs ||= span.source !== this.#first.source || span.scope !== this.#first.scope
	}

	#addKeys(keys: Buffer): void {
		for (let at = 0; at < keys.length; at += 8) {
			if (((keys[at] as number) & 3) !== keyStrengths.exact) continue
			const before = this.#keys.size
			this.#repeats ||= this.#keys.add(keys.toString('latin1', at, at + 8)).size === before
		}
	}

	/** Calls recorded by the same library are separate calls, unless one is the parent of another span or two share an id. */
	isMixed(): boolean {
		const mayBeViews = this.#differs || this.#repeats || [...this.#calls].some((id) => this.#parents.has(id))
		return (
			(this.#count > 1 && this.#hasOtlp && mayBeViews) ||
			this.#hasNames.some((isPresent, i) => isPresent && this.#lacking[i] === true) ||
			this.#hasTags
		)
	}
}

/** Readers ask within seconds. */
const keptForMs = 120_000
const maxTraces = 200_000

interface Arrival {
	rows: number
	traces: number
	arrived: readonly ArrivedSpans[]
}

/** What this process's inserts brought, by `stored_at`, for readers that follow the store. */
export class RecentArrivals {
	/** In order of time. */
	readonly #kept = new Map<number, Arrival>()
	#traces = 0
	/** Nothing is kept until the first reader asks. */
	isWanted = false

	keep(storedMs: number, rows: number, arrived: readonly ArrivedSpans[]): void {
		const traces = arrived.reduce((sum, { mixed }) => sum + mixed.length, 0)
		this.#kept.set(storedMs, { rows, traces, arrived })
		this.#traces += traces
		for (const keptMs of this.#kept.keys()) {
			if (keptMs > storedMs - keptForMs && this.#traces <= maxTraces) break
			this.#forget(keptMs)
		}
	}

	/** The arrivals of the insert that stored this many rows at this time; null if unknown or already taken. */
	take(storedMs: number, rows: number): readonly ArrivedSpans[] | null {
		this.isWanted = true
		const arrival = this.#kept.get(storedMs)
		if (arrival?.rows !== rows) return null
		this.#forget(storedMs)
		return arrival.arrived
	}

	#forget(storedMs: number): void {
		this.#traces -= this.#kept.get(storedMs)?.traces ?? 0
		this.#kept.delete(storedMs)
	}
}
