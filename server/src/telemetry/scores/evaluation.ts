import type { OutputOf, scoreOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { StoredLog } from '../logs/log-repository.ts'
import { orNull } from '../present-span.ts'

export type ScoreView = OutputOf<(typeof scoreOperations)['create']>

/** The event of the GenAI conventions as which a score is stored. */
export const evaluationEvent = 'gen_ai.evaluation.result'

/** Attributes of such an event: those of the conventions, and our own for what they do not define. */
export const keys = {
	name: 'gen_ai.evaluation.name',
	value: 'gen_ai.evaluation.score.value',
	label: 'gen_ai.evaluation.score.label',
	comment: 'gen_ai.evaluation.explanation',
	session: 'session.id',
	conversation: 'gen_ai.conversation.id',
	id: 'signalbox.score.id',
	type: 'signalbox.score.type',
	source: 'signalbox.score.source',
} as const

/** A score as an OTLP log record. */
export function toLogRecord(score: ScoreView, timeNs: string): object {
	const attributes = [
		text(keys.name, score.name),
		...(typeof score.value === 'number' ? [number(keys.value, score.value)] : []),
		...(typeof score.value === 'boolean' ? [number(keys.value, score.value ? 1 : 0)] : []),
		...(typeof score.value === 'string' ? [text(keys.label, score.value)] : []),
		...(typeof score.value === 'boolean' ? [text(keys.label, String(score.value))] : []),
		...(score.comment === '' ? [] : [text(keys.comment, score.comment)]),
		...(score.session_id === null ? [] : [text(keys.session, score.session_id)]),
		text(keys.id, score.id),
		text(keys.type, score.type),
		...(score.source === null ? [] : [text(keys.source, score.source)]),
	]
	return {
		timeUnixNano: timeNs,
		eventName: evaluationEvent,
		traceId: score.trace_id ?? '',
		spanId: score.span_id ?? '',
		attributes,
	}
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const number = (key: string, doubleValue: number) => ({ key, value: { doubleValue } })

/** An event as a score: one of ours, or one that an evaluation library sent. */
export function presentScore(log: StoredLog): ScoreView {
	const attribute = (key: string) => log.attributes[key] ?? ''
	const { type, value } = readValue(attribute(keys.type), attribute(keys.value), attribute(keys.label))
	return {
		id: attribute(keys.id) || log.hash,
		name: attribute(keys.name),
		type,
		value,
		comment: attribute(keys.comment),
		source: (attribute(keys.source) || null) as ScoreView['source'],
		trace_id: orNull(log.trace.replace(/^0+$/, '')),
		span_id: orNull(log.span.replace(/^0+$/, '')),
		session_id: orNull(attribute(keys.session) || attribute(keys.conversation)),
		created_at: toIso(Number(BigInt(log.recorded_ns) / 1_000_000n)),
	}
}

function readValue(type: string, value: string, label: string): Pick<ScoreView, 'type' | 'value'> {
	const number = value === '' ? Number.NaN : Number(value)
	if (type === 'boolean') return { type, value: number === 1 }
	if (Number.isFinite(number)) return { type: 'numeric', value: number }
	return label === '' ? { type: 'comment', value: null } : { type: 'category', value: label }
}
