import { hash } from 'node:crypto'
import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { findExchangesOf, findMessagesOfTraces, findTextStarts } from '../../../telemetry/index.ts'
import { aboveStretches, inStretches, stretchParameters } from '../counted-calls.ts'
import type { KnownCall } from './calls-of-traces.ts'
import { outcomesOf } from './join-calls.ts'
import { type TraceLink, writeLinks } from './join-repository.ts'
import {
	emptyRowOf,
	findJoins,
	findMixedTraces,
	findSpansOfTraces,
	findTracesWithSharedKeys,
	findTracesWithUses,
	type JoinRow,
	type JoinWindow,
	joinRowOf,
	type StoredSeenSpan,
	writeJoins,
} from './seen-spans-repository.ts'
import { placeOf } from './view.ts'

type QueryStore = Pick<TelemetryStore, 'query'>

/** Maximum number of calls whose answers are read. */
const maxAnswers = 200
const maxCharacters = 100_000

/** The same spans with a hash of what the models of these calls answered, if that is recorded. */
async function withAnswers(
	store: QueryStore,
	workspaceId: string,
	spans: ReadonlyMap<string, StoredSeenSpan>,
	calls: ReadonlySet<KnownCall>,
): Promise<ReadonlyMap<string, StoredSeenSpan>> {
	const wanted = [...calls].slice(0, maxAnswers)
	const [proxied, others] = [true, false].map((isOf) => wanted.filter(({ rank }) => (rank === 3) === isOf))
	const answers = new Map(await findRecordedAnswers(store, workspaceId, proxied ?? []))
	// Without answers on both sides there is nothing to compare.
	if (![...answers.values()].some((hash) => hash !== '')) return spans
	const starts = wanted.map(({ startUs }) => startUs)
	const withMessages = await findMessagesOfTraces(
		store,
		workspaceId,
		(others ?? []).map(({ trace }) => trace),
		{ fromNs: nanoseconds(Math.min(...starts)), toNs: nanoseconds(Math.max(...starts)) },
	)
	for (const { traceId, spanId, messages } of withMessages) {
		const values = messages.filter(({ kind }) => kind === 'answer').map(({ value }) => value)
		answers.set(placeOf({ trace: traceId, span: spanId }), hashOfAnswer(values, workspaceId))
	}
	const known = [...spans].flatMap(([place, span]) => {
		const contentHash = answers.get(place)
		return contentHash && span.contentHash === '' ? [[place, { ...span, contentHash }] as const] : []
	})
	return known.length > 0 ? new Map([...spans, ...known]) : spans
}

const nanoseconds = (us: number) => BigInt(Math.round(us)) * 1000n

/** The answers that the model proxy recorded, by `placeOf`. */
async function findRecordedAnswers(
	store: QueryStore,
	workspaceId: string,
	calls: readonly KnownCall[],
): Promise<[string, string][]> {
	const asked = calls.map(({ trace, leader, startUs }) => ({
		...{ traceId: trace, spanId: leader, startNs: nanoseconds(startUs) },
	}))
	const exchanges = await findExchangesOf(store, workspaceId, asked)
	const moments = exchanges.map(({ startNs }) => startNs).sort((a, b) => (a < b ? -1 : 1))
	const answersOf = (parts: (typeof exchanges)[number]['parts']) =>
		parts.filter(({ kind }) => kind === 'answer').map((part) => part.hash)
	const texts = await findTextStarts(store, workspaceId, {
		...{ hashes: exchanges.flatMap(({ parts }) => answersOf(parts)), characters: maxCharacters },
		...{ fromNs: moments[0] ?? 0n, toNs: moments.at(-1) ?? 0n },
	})
	return exchanges.map(({ traceId, spanId, parts }) => {
		const values = answersOf(parts).map((part) => jsonOrText(texts.get(part)?.text ?? ''))
		return [placeOf({ trace: traceId, span: spanId }), hashOfAnswer(values, workspaceId)]
	})
}

function jsonOrText(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return text
	}
}

/** A hash of the text of an answer, in whatever form a provider or a library represents it; '' if there is none. */
function hashOfAnswer(values: readonly unknown[], salt: string): string {
	const words = values
		.flatMap((value) => textsIn(value))
		.join(' ')
		.replace(/\s+/g, ' ')
		.trim()
	return words === '' ? '' : hash('sha256', `${salt}\0answer\0${words}`, 'hex').slice(0, 32)
}

const textFields = ['content', 'text', 'parts', 'message', 'output_text', 'output', 'refusal']
const maxLevels = 8

/** Without reasoning, which only some report. */
function textsIn(value: unknown, level = 0): string[] {
	if (typeof value === 'string') return [value]
	if (level > maxLevels || typeof value !== 'object' || value === null) return []
	if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, level + 1))
	const fields = value as Record<string, unknown>
	if (/reason|think/.test(String(fields.type ?? ''))) return []
	return textFields.flatMap((name) => textsIn(fields[name], level + 1))
}

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>

const hourS = 3600
/** Maximum number of calls whose views are searched at once. */
const maxCalls = 20_000

/** Joins all calls that began in a period again. Returns how many joins changed. */
export async function joinStretch(store: Store, workspaceId: string, range: TimeRange): Promise<number> {
	const [found] = await store.query<{ calls: string }>(
		`SELECT count() AS calls FROM spans WHERE ${inStretches(1)} AND kind != 'other'`,
		stretchParameters(workspaceId, [range]),
	)
	const slices = Math.max(1, Math.ceil(Number(found?.calls) / maxCalls))
	const sliceMs = Math.ceil((range.endMs - range.startMs) / slices)
	let changed = 0
	for (let startMs = range.startMs; startMs < range.endMs; startMs += sliceMs)
		changed += await joinSlice(store, workspaceId, {
			startMs,
			endMs: Math.min(startMs + sliceMs, range.endMs),
		})
	return changed
}

async function joinSlice(store: Store, workspaceId: string, range: TimeRange): Promise<number> {
	const look = {
		core: inStretches(1),
		...aboveStretches(1),
		parameters: stretchParameters(workspaceId, [range]),
	}
	const spans = (await findRelated(store, workspaceId, look)).spans
	const isIn = (startUs: number) => startUs >= range.startMs * 1000 && startUs < range.endMs * 1000
	const hours = { first: hourOf(range.startMs * 1000), last: hourOf(range.endMs * 1000 - 1) }
	const known = await findJoins(store, workspaceId, hours)
	return writeChanges(store, workspaceId, {
		known: known.filter((row) => isIn(Number(row[2]))),
		rows: await rowsOf(store, workspaceId, spans, ({ startUs }) => isIn(startUs)),
	})
}

/** The views related to the calls of a run, and the traces whose calls are decided by it. */
async function findRelated(
	store: Store,
	workspaceId: string,
	look: JoinWindow,
): Promise<{ spans: Map<string, StoredSeenSpan>; decided: Set<string> }> {
	const [mixed, sharing, requested] = await Promise.all([
		findMixedTraces(store, look),
		findTracesWithSharedKeys(store, look),
		findTracesWithUses(store, look),
	])
	const decided = new Set([...mixed, ...sharing, ...requested])
	if (decided.size === 0) return { spans: new Map(), decided }
	// Other calls that could claim the shared views.
	const rivals = sharing.length > 0 ? await findTracesWithSharedKeys(store, look, sharing) : []
	const traces = new Set([...decided, ...rivals])
	return { spans: await findSpansOfTraces(store, workspaceId, look, [...traces]), decided }
}

/** The rows for the calls among these spans for which `isWanted` holds. */
export async function rowsOf(
	store: Pick<Store, 'query'>,
	workspaceId: string,
	spans: ReadonlyMap<string, StoredSeenSpan>,
	isWanted: (span: StoredSeenSpan) => boolean,
): Promise<JoinRow[]> {
	const unread = new Set<KnownCall>()
	let outcomes = outcomesOf(spans, unread)
	if (unread.size > 0) outcomes = outcomesOf(await withAnswers(store, workspaceId, spans, unread))
	return [...outcomes].flatMap(([place, outcome]) => {
		const span = spans.get(place) as StoredSeenSpan
		const row = isWanted(span) ? joinRowOf(outcome, span.retentionDays) : null
		return row ? [row] : []
	})
}

/** Writes the rows that differ, and returns how many. `known`: the current rows of the same calls. */
export async function writeChanges(
	store: Store,
	workspaceId: string,
	{ known, rows }: { known: readonly JoinRow[]; rows: readonly JoinRow[] },
): Promise<number> {
	const knownRows = new Map(known.map((row) => [placeIn(row), row]))
	const changed = rows.filter((row) => textOf(knownRows.get(placeIn(row))) !== textOf(row))
	const kept = new Set(rows.map(placeIn))
	const gone = known
		.filter((row) => !kept.has(placeIn(row)))
		.map((row) => [row, emptyRowOf(row)] as const)
		.flatMap(([row, empty]) => (textOf(row) === textOf(empty) ? [] : [empty]))
	await writeJoins(store, workspaceId, [...changed, ...gone])
	await writeLinks(store, workspaceId, changed.flatMap(linkOf))
	return changed.length + gone.length
}

/** Links the traces of a call and of its other view, which belong together. */
function linkOf([days, , start, trace = '', , hidden, counted = '']: JoinRow): TraceLink[] {
	if (hidden !== '1' || counted === trace) return []
	return [{ retentionDays: Number(days), startS: Math.floor(Number(start) / 1e6), traces: [counted, trace] }]
}

const placeIn = (row: JoinRow) => `${row[3]} ${row[4]}`
const textOf = (row: JoinRow | undefined) => row && JSON.stringify(row.slice(5))
export const hourOf = (us: number) => Math.floor(us / (hourS * 1e6)) * hourS
