import type { OutputOf, spotlightSessionOperations } from '@signalbox/contract'
import {
	type ExchangePart,
	findExchangesBefore,
	findExchangesOf,
	findTextStarts,
	findToolContent,
} from '../../../telemetry/index.ts'
import type { QueryStore } from '../repository.ts'
import { newParts } from './new-parts.ts'
import type { StoredCall } from './repository.ts'
import { type Carried, readSaid, readSaidBefore } from './said-in-spans.ts'

type Call = OutputOf<(typeof spotlightSessionOperations)['session']>['calls'][number]
export type SessionMessages = NonNullable<Call['messages']>

/** Conversations of a session may run beside each other, so the call before is not always the one that is gone on with. */
const comparedCalls = 8
const mostCharacters = 20_000

export const keyOfSpan = (traceId: string, spanId: string) => `${traceId} ${spanId}`

/** What was said in each call of a page, by `keyOfSpan`; calls without recorded messages are absent. */
export async function readMessages(
	store: QueryStore,
	workspaceId: string,
	sessionId: string,
	calls: readonly StoredCall[],
): Promise<Map<string, SessionMessages>> {
	const [ofModels, ofTools] = await Promise.all([
		readModelMessages(store, workspaceId, sessionId, calls),
		readToolMessages(store, workspaceId, calls),
	])
	return new Map([...ofModels, ...ofTools])
}

async function readToolMessages(
	store: QueryStore,
	workspaceId: string,
	calls: readonly StoredCall[],
): Promise<[string, SessionMessages][]> {
	const tools = calls
		.filter(({ kind }) => kind === 'tool_call')
		.map(({ trace, span }) => ({ traceId: trace, spanId: span }))
	const found = await findToolContent(store, workspaceId, tools)
	return found.map(({ traceId, spanId, content }) => [
		keyOfSpan(traceId, spanId),
		content.map(({ kind, text }) => ({ kind, role: null, ...startOf(text) })),
	])
}

/** What is new in each model call. */
async function readModelMessages(
	store: QueryStore,
	workspaceId: string,
	sessionId: string,
	calls: readonly StoredCall[],
): Promise<Map<string, SessionMessages>> {
	const spans = calls
		.filter(({ kind }) => kind === 'model_call')
		.map(({ trace, span, start_ns }) => ({ traceId: trace, spanId: span, startNs: BigInt(start_ns) }))
	const [first] = spans
	if (!first) return new Map()
	const before = { sessionId, beforeNs: first.startNs, limit: comparedCalls }
	const [earlier, saidEarlier, found] = await Promise.all([
		findExchangesBefore(store, workspaceId, before),
		readSaidBefore(store, workspaceId, before),
		findExchangesOf(store, workspaceId, spans),
	])
	const recorded = new Set(found.map(({ traceId, spanId }) => keyOfSpan(traceId, spanId)))
	const said = await readSaid(
		store,
		workspaceId,
		spans.filter(({ traceId, spanId }) => !recorded.has(keyOfSpan(traceId, spanId))),
	)
	return new Map([
		...(await withTexts(store, workspaceId, newIn(found, earlier))),
		...withSaid(newIn(said.carried, saidEarlier), said.texts),
	])
}

interface Shown {
	exchange: Carried
	parts: readonly ExchangePart[]
}

/** Of each call what those before it have not said. */
function newIn(found: readonly Carried[], earlier: readonly Carried[]): Shown[] {
	const own = found.toSorted((a, b) => (a.startNs < b.startNs ? -1 : 1))
	const all = [...earlier, ...own]
	return own.map((exchange, at) => {
		const end = earlier.length + at
		return { exchange, parts: newParts(exchange, all.slice(Math.max(0, end - comparedCalls), end)) }
	})
}

function withSaid(shown: readonly Shown[], texts: ReadonlyMap<string, string>): [string, SessionMessages][] {
	return shown.map(({ exchange, parts }) => [
		keyOfSpan(exchange.traceId, exchange.spanId),
		parts.map(({ kind, name, hash }) => ({
			kind: kind as 'message',
			role: name || null,
			...startOf(texts.get(hash) ?? ''),
		})),
	])
}

function startOf(text: string): { text: string; cut: boolean } {
	const cut = text.length > mostCharacters
	return { text: cut ? text.slice(0, mostCharacters).toWellFormed() : text, cut }
}

async function withTexts(
	store: QueryStore,
	workspaceId: string,
	shown: readonly Shown[],
): Promise<Map<string, SessionMessages>> {
	const moments = shown.map(({ exchange }) => exchange.startNs)
	const texts = await findTextStarts(store, workspaceId, {
		hashes: [...new Set(shown.flatMap(({ parts }) => parts.map(({ hash }) => hash)))],
		fromNs: moments[0] ?? 0n,
		toNs: moments.at(-1) ?? 0n,
		characters: mostCharacters,
	})
	const present = ({ kind, name, hash }: ExchangePart) => {
		const text = texts.get(hash)
		return text ? [{ kind: kind as 'message', role: name || null, ...text }] : []
	}
	return new Map(
		shown.map(({ exchange, parts }) => [
			keyOfSpan(exchange.traceId, exchange.spanId),
			parts.flatMap(present),
		]),
	)
}
