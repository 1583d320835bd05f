import { createHash } from 'node:crypto'
import type { OutputOf, spotlightSessionOperations } from '@signalbox/contract'
import type { Principal } from '../../../platform/http/principal.ts'
import {
	type Exchange,
	type ExchangePart,
	findExchangesBefore,
	findExchangesOf,
	findMessagesBefore,
	findMessagesByKeys,
	findMessagesOfTraces,
	findTextStarts,
	findToolContent,
	type SpanWithMessages,
} from '../../../telemetry/index.ts'
import type { QueryStore } from '../counted-calls.ts'
import type { StoredCall } from './session-repository.ts'

/** Reading figures and reading messages are separate rights. */
export function mayReadMessages(principal: Principal): boolean {
	return principal.kind === 'user' || ('scopes' in principal && principal.scopes.has('telemetry:read'))
}

/** Nobody reads more parts of one call on a screen. */
const maxParts = 20

/**
 * What is new in a call compared with all earlier calls, because requests repeat the whole conversation. The next request contains the
 * previous answer as the model's own message, which was already shown as that answer.
 */
function newParts(
	{ parts }: Pick<Exchange, 'parts'>,
	earlier: readonly Pick<Exchange, 'parts'>[],
): ExchangePart[] {
	const own = spoken(parts)
	const known = Math.max(0, ...earlier.map((other) => commonLength(own, spoken(other.parts))))
	const rest = own.slice(known)
	const isOwnAnswer = known > 0 && rest[0] !== undefined && isOfModel(rest[0])
	const answers = parts.filter(({ kind }) => kind === 'answer')
	return [...(isOwnAnswer ? rest.slice(1) : rest), ...answers].slice(-maxParts)
}

const spoken = (parts: readonly ExchangePart[]) =>
	parts.filter(({ kind }) => kind === 'system' || kind === 'message')

const isOfModel = ({ name }: ExchangePart) => name === 'assistant' || name === 'model'

function commonLength(one: readonly ExchangePart[], other: readonly ExchangePart[]): number {
	const different = one.findIndex(({ hash }, at) => hash !== other[at]?.hash)
	return different < 0 ? one.length : different
}

/** The content of a call, to be compared with others. */
type Carried = Pick<Exchange, 'traceId' | 'spanId' | 'startNs' | 'parts'>
type Place = Pick<Exchange, 'traceId' | 'spanId' | 'startNs'>

/** Messages and their texts, by the same hashes. */
interface PartsOfSpans {
	carried: Carried[]
	texts: Map<string, string>
}

/**
 * The messages in spans of these calls, where the model proxy recorded none. They need not be in the counted span: a library's span
 * around or within it is used as well, and one in another trace that is known to be of the same call.
 */
async function readSpans(
	store: QueryStore,
	workspaceId: string,
	calls: readonly Place[],
): Promise<PartsOfSpans> {
	const [first] = calls
	const last = calls.at(-1)
	if (!first || !last) return { carried: [], texts: new Map() }
	const spans = await findMessagesOfTraces(
		store,
		workspaceId,
		calls.map(({ traceId }) => traceId),
	)
	const bySpan = new Map(spans.map((span) => [keyOf(span), span]))
	const nearestTo = (place: Place) => nearestWithMessages(place, bySpan, spans)
	const silent = calls.filter((call) => !nearestTo(call)).flatMap((call) => bySpan.get(keyOf(call)) ?? [])
	const elsewhere = await findMessagesByKeys(store, workspaceId, {
		viewKeys: silent.flatMap(({ viewKeys }) => viewKeys),
		fromNs: first.startNs,
		toNs: last.startNs,
	})
	const byViewKey = ({ viewKeys }: SpanWithMessages) =>
		elsewhere.find(
			({ messages, viewKeys: other }) => messages.length > 0 && viewKeys.some((key) => other.includes(key)),
		)
	const pairs = calls.flatMap((call) => {
		const span = bySpan.get(keyOf(call))
		const withMessages = nearestTo(call) ?? (span && byViewKey(span))
		return withMessages ? [{ call, span: withMessages }] : []
	})
	return toParts(pairs)
}

/** The same for the last calls of a session before a time. */
async function readSpansBefore(
	store: QueryStore,
	workspaceId: string,
	wanted: { sessionId: string; beforeNs: bigint; limit: number },
): Promise<Carried[]> {
	const spans = await findMessagesBefore(store, workspaceId, wanted)
	return toParts(spans.map((span) => ({ call: span, span }))).carried
}

const keyOf = ({ traceId, spanId }: Pick<Place, 'traceId' | 'spanId'>) => `${traceId} ${spanId}`
const maxLevels = 3

/** The span itself if it has messages, otherwise the nearest model call above or beneath it that has. */
function nearestWithMessages(
	{ traceId, spanId }: Place,
	bySpan: ReadonlyMap<string, SpanWithMessages>,
	all: readonly SpanWithMessages[],
): SpanWithMessages | undefined {
	const hasMessages = (span: SpanWithMessages | undefined) => span !== undefined && span.messages.length > 0
	let above = bySpan.get(keyOf({ traceId, spanId }))
	for (let level = 0; above && level <= maxLevels; level++) {
		if (hasMessages(above)) return above
		above = bySpan.get(keyOf({ traceId, spanId: above.parentSpanId }))
	}
	let beneath = [spanId]
	for (let level = 0; beneath.length > 0 && level < maxLevels; level++) {
		const children = all.filter((span) => span.traceId === traceId && beneath.includes(span.parentSpanId))
		const found = children.find(hasMessages)
		if (found) return found
		beneath = children.map((child) => child.spanId)
	}
	return undefined
}

function toParts(pairs: readonly { call: Place; span: SpanWithMessages }[]): PartsOfSpans {
	const texts = new Map<string, string>()
	const carried = pairs.map(({ call, span }) => {
		const parts = span.messages.map(({ kind, role, value }): ExchangePart => {
			const text = JSON.stringify(value) ?? ''
			const hash = createHash('md5').update(`${role}\n${text}`).digest('hex')
			texts.set(hash, text)
			return { kind, name: kind === 'system' ? '' : role, hash, bytes: text.length }
		})
		return { traceId: call.traceId, spanId: call.spanId, startNs: call.startNs, parts }
	})
	return { carried, texts }
}

type Call = OutputOf<(typeof spotlightSessionOperations)['session']>['calls'][number]
export type SessionMessages = NonNullable<Call['messages']>

/** Conversations of a session may run in parallel, so the previous call is not always the one that is continued. */
const comparedCalls = 8
const maxCharacters = 20_000

export const keyOfSpan = (traceId: string, spanId: string) => `${traceId} ${spanId}`

/** The new messages of each call in a page, by `keyOfSpan`; calls without recorded messages are absent. */
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
	const [earlier, spansEarlier, found] = await Promise.all([
		findExchangesBefore(store, workspaceId, before),
		readSpansBefore(store, workspaceId, before),
		findExchangesOf(store, workspaceId, spans),
	])
	const recorded = new Set(found.map(({ traceId, spanId }) => keyOfSpan(traceId, spanId)))
	const ofSpans = await readSpans(
		store,
		workspaceId,
		spans.filter(({ traceId, spanId }) => !recorded.has(keyOfSpan(traceId, spanId))),
	)
	return new Map([
		...(await withTexts(store, workspaceId, newIn(found, earlier))),
		...withTextsOfSpans(newIn(ofSpans.carried, spansEarlier), ofSpans.texts),
	])
}

interface Shown {
	exchange: Carried
	parts: readonly ExchangePart[]
}

/** For each call, the parts that earlier calls do not have. */
function newIn(found: readonly Carried[], earlier: readonly Carried[]): Shown[] {
	const own = found.toSorted((a, b) => (a.startNs < b.startNs ? -1 : 1))
	const all = [...earlier, ...own]
	return own.map((exchange, at) => {
		const end = earlier.length + at
		return { exchange, parts: newParts(exchange, all.slice(Math.max(0, end - comparedCalls), end)) }
	})
}

function withTextsOfSpans(
	shown: readonly Shown[],
	texts: ReadonlyMap<string, string>,
): [string, SessionMessages][] {
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
	const cut = text.length > maxCharacters
	return { text: cut ? text.slice(0, maxCharacters).toWellFormed() : text, cut }
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
		characters: maxCharacters,
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
