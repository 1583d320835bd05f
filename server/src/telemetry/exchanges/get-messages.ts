import type { OutputOf, telemetryQueryOperations } from '@signalbox/contract'
import { notFound } from '../../platform/errors.ts'
import type { QueryStore } from '../reads/repository.ts'
import { findExchange, findTexts } from './repository.ts'

/** What a model call carried, in the order of its prompt, the answer last. */
export async function getMessages(
	{ telemetry }: { telemetry: QueryStore },
	workspaceId: string,
	{ trace_id, span_id }: { trace_id: string; span_id: string },
): Promise<OutputOf<(typeof telemetryQueryOperations)['messages']>> {
	const areIds = /^[0-9a-f]{32}$/i.test(trace_id) && /^[0-9a-f]{16}$/i.test(span_id)
	const exchange = areIds ? await findExchange(telemetry, workspaceId, trace_id, span_id) : null
	if (!exchange) throw notFound('model call with recorded messages')
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
