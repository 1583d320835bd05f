import { createHash } from 'node:crypto'
import {
	type Exchange,
	type ExchangePart,
	findSaidBefore,
	findSaidByKeys,
	findSaidOfTraces,
	type SaidSpan,
} from '../../../telemetry/index.ts'
import type { QueryStore } from '../repository.ts'

/** What a call carried, to be compared with others. */
export type Carried = Pick<Exchange, 'traceId' | 'spanId' | 'startNs' | 'parts'>
type Place = Pick<Exchange, 'traceId' | 'spanId' | 'startNs'>

/** A message and its text by the same hash. */
export interface SaidParts {
	carried: Carried[]
	texts: Map<string, string>
}

/**
 * What spans of these calls say of their messages, where the model proxy recorded none. The counted span need not be the one that
 * says it: a library's span around it or within it does as well, and one in another trace that is known to be of the same call.
 */
export async function readSaid(
	store: QueryStore,
	workspaceId: string,
	calls: readonly Place[],
): Promise<SaidParts> {
	const [first] = calls
	const last = calls.at(-1)
	if (!first || !last) return { carried: [], texts: new Map() }
	const spans = await findSaidOfTraces(
		store,
		workspaceId,
		calls.map(({ traceId }) => traceId),
	)
	const bySpan = new Map(spans.map((span) => [keyOf(span), span]))
	const saidOf = (place: Place) => nearestSaid(place, bySpan, spans)
	const silent = calls.filter((call) => !saidOf(call)).flatMap((call) => bySpan.get(keyOf(call)) ?? [])
	const elsewhere = await findSaidByKeys(store, workspaceId, {
		viewKeys: silent.flatMap(({ viewKeys }) => viewKeys),
		fromNs: first.startNs,
		toNs: last.startNs,
	})
	const saidByKey = ({ viewKeys }: SaidSpan) =>
		elsewhere.find(
			({ messages, viewKeys: other }) => messages.length > 0 && viewKeys.some((key) => other.includes(key)),
		)
	const pairs = calls.flatMap((call) => {
		const span = bySpan.get(keyOf(call))
		const said = saidOf(call) ?? (span && saidByKey(span))
		return said ? [{ call, said }] : []
	})
	return toParts(pairs)
}

/** The same of the last calls of a session before a moment. */
export async function readSaidBefore(
	store: QueryStore,
	workspaceId: string,
	wanted: { sessionId: string; beforeNs: bigint; limit: number },
): Promise<Carried[]> {
	const spans = await findSaidBefore(store, workspaceId, wanted)
	return toParts(spans.map((said) => ({ call: said, said }))).carried
}

const keyOf = ({ traceId, spanId }: Pick<Place, 'traceId' | 'spanId'>) => `${traceId} ${spanId}`
const mostLevels = 3

/** The span itself, else the nearest model call above or beneath it, that says something. */
function nearestSaid(
	{ traceId, spanId }: Place,
	bySpan: ReadonlyMap<string, SaidSpan>,
	all: readonly SaidSpan[],
): SaidSpan | undefined {
	const says = (span: SaidSpan | undefined) => span !== undefined && span.messages.length > 0
	let above = bySpan.get(keyOf({ traceId, spanId }))
	for (let level = 0; above && level <= mostLevels; level++) {
		if (says(above)) return above
		above = bySpan.get(keyOf({ traceId, spanId: above.parentSpanId }))
	}
	let beneath = [spanId]
	for (let level = 0; beneath.length > 0 && level < mostLevels; level++) {
		const children = all.filter((span) => span.traceId === traceId && beneath.includes(span.parentSpanId))
		const found = children.find(says)
		if (found) return found
		beneath = children.map((child) => child.spanId)
	}
	return undefined
}

function toParts(pairs: readonly { call: Place; said: SaidSpan }[]): SaidParts {
	const texts = new Map<string, string>()
	const carried = pairs.map(({ call, said }) => {
		const parts = said.messages.map(({ kind, role, value }): ExchangePart => {
			const text = JSON.stringify(value) ?? ''
			const hash = createHash('md5').update(`${role}\n${text}`).digest('hex')
			texts.set(hash, text)
			return { kind, name: kind === 'system' ? '' : role, hash, bytes: text.length }
		})
		return { traceId: call.traceId, spanId: call.spanId, startNs: call.startNs, parts }
	})
	return { carried, texts }
}
