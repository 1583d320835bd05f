import { createHash } from 'node:crypto'
import type { OutputOf, telemetryQueryOperations } from '@signalbox/contract'
import { notFound } from '../../platform/errors.ts'
import type { QueryStore } from '../reads/span-repository.ts'
import { findExchange, findTexts } from './exchange-repository.ts'
import { findMessagesOfSpan, findToolContent } from './message-repository.ts'

type Carried = OutputOf<(typeof telemetryQueryOperations)['messages']>
type CarriedMessage = Carried['messages'][number]

const maxCharacters = 256 * 1024

/**
 * The content of a call: for a model call, its prompt in order and then the answer; for a tool call, its arguments and result. What
 * the proxy recorded takes precedence over the span's attributes.
 */
export async function getMessages(
	{ telemetry }: { telemetry: QueryStore },
	workspaceId: string,
	{ trace_id, span_id }: { trace_id: string; span_id: string },
): Promise<Carried> {
	const areIds = /^[0-9a-f]{32}$/i.test(trace_id) && /^[0-9a-f]{16}$/i.test(span_id)
	const exchange = areIds ? await findExchange(telemetry, workspaceId, trace_id, span_id) : null
	if (!exchange) {
		const messages = areIds ? await messagesInSpan(telemetry, workspaceId, trace_id, span_id) : []
		if (messages.length === 0) throw notFound('call with recorded messages')
		return { trace_id: trace_id.toLowerCase(), span_id: span_id.toLowerCase(), session_id: null, messages }
	}
	const texts = await findTexts(telemetry, workspaceId, exchange)
	return {
		trace_id: exchange.traceId,
		span_id: exchange.spanId,
		session_id: exchange.sessionId || null,
		messages: exchange.parts.map(({ kind, name, hash, bytes }) => ({
			kind,
			name: name || null,
			hash,
			bytes,
			text: texts.get(hash) ?? null,
		})),
	}
}

async function messagesInSpan(
	store: QueryStore,
	workspaceId: string,
	traceId: string,
	spanId: string,
): Promise<CarriedMessage[]> {
	const call = { traceId, spanId }
	const [span, [tool]] = await Promise.all([
		findMessagesOfSpan(store, workspaceId, call),
		findToolContent(store, workspaceId, [{ traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase() }]),
	])
	return [
		...(span?.messages ?? []).map(({ kind, role, value }) =>
			toMessage(kind, role, JSON.stringify(value) ?? ''),
		),
		...(tool?.content ?? []).map(({ kind, text }) => toMessage(kind, '', text)),
	]
}

function toMessage(kind: CarriedMessage['kind'], name: string, text: string): CarriedMessage {
	return {
		kind,
		name: name || null,
		hash: createHash('md5').update(`${name}\n${text}`).digest('hex'),
		bytes: Buffer.byteLength(text),
		text: text.slice(0, maxCharacters).toWellFormed(),
	}
}
