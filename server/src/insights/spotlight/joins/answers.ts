import { hash } from 'node:crypto'
import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import { findExchangesOf, findSaidOfTraces, findTextStarts } from '../../../telemetry/index.ts'
import type { KnownCall } from './calls-of-traces.ts'
import type { StoredSeenSpan } from './seen-spans-repository.ts'
import { placeOf } from './view.ts'

type Store = Pick<TelemetryStore, 'query'>

/** So many calls at most are read for what they answered. */
const mostCalls = 200
const mostCharacters = 100_000

/** The same spans with a hash of what the models of these calls answered, as far as that is recorded. */
export async function withAnswers(
	store: Store,
	workspaceId: string,
	spans: ReadonlyMap<string, StoredSeenSpan>,
	calls: ReadonlySet<KnownCall>,
): Promise<ReadonlyMap<string, StoredSeenSpan>> {
	const wanted = [...calls].slice(0, mostCalls)
	const [recorded, said] = await Promise.all([
		findRecordedAnswers(
			store,
			workspaceId,
			wanted.filter(({ rank }) => rank === 3),
		),
		findSaidOfTraces(
			store,
			workspaceId,
			wanted.filter(({ rank }) => rank < 3).map(({ trace }) => trace),
		),
	])
	const answers = new Map(recorded)
	for (const { traceId, spanId, messages } of said) {
		const values = messages.filter(({ kind }) => kind === 'answer').map(({ value }) => value)
		answers.set(placeOf({ trace: traceId, span: spanId }), hashOfAnswer(values, workspaceId))
	}
	const known = [...spans].flatMap(([place, span]) => {
		const contentHash = answers.get(place)
		return contentHash && span.contentHash === '' ? [[place, { ...span, contentHash }] as const] : []
	})
	return known.length > 0 ? new Map([...spans, ...known]) : spans
}

/** What the model proxy has read, by `placeOf`. */
async function findRecordedAnswers(
	store: Store,
	workspaceId: string,
	calls: readonly KnownCall[],
): Promise<[string, string][]> {
	const asked = calls.map(({ trace, leader, startUs }) => ({
		...{ traceId: trace, spanId: leader, startNs: BigInt(Math.round(startUs)) * 1000n },
	}))
	const exchanges = await findExchangesOf(store, workspaceId, asked)
	const moments = exchanges.map(({ startNs }) => startNs).sort((a, b) => (a < b ? -1 : 1))
	const answersOf = (parts: (typeof exchanges)[number]['parts']) =>
		parts.filter(({ kind }) => kind === 'answer').map((part) => part.hash)
	const texts = await findTextStarts(store, workspaceId, {
		...{ hashes: exchanges.flatMap(({ parts }) => answersOf(parts)), characters: mostCharacters },
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

/** Of the words of an answer in whatever form a provider or a library has them; '' where there are none. */
function hashOfAnswer(values: readonly unknown[], salt: string): string {
	const words = values
		.flatMap((value) => textsIn(value))
		.join(' ')
		.replace(/\s+/g, ' ')
		.trim()
	return words === '' ? '' : hash('sha256', `${salt}\0answer\0${words}`, 'hex').slice(0, 32)
}

const textFields = ['content', 'text', 'parts', 'message', 'output_text', 'output', 'refusal']
const mostLevels = 8

/** What a model thinks before it answers is told by some alone. */
function textsIn(value: unknown, level = 0): string[] {
	if (typeof value === 'string') return [value]
	if (level > mostLevels || typeof value !== 'object' || value === null) return []
	if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, level + 1))
	const fields = value as Record<string, unknown>
	if (/reason|think/.test(String(fields.type ?? ''))) return []
	return textFields.flatMap((name) => textsIn(fields[name], level + 1))
}
