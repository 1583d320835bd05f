import { hash } from 'node:crypto'
import type { BodyOf, langfuseOperations, OutputOf, QueryOf, scoreOperations } from '@signalbox/contract'
import { type Clock, toIso } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { newId } from '../../platform/ids.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { logRowFormat } from '../logs/log-columns.ts'
import { findLogs, type LogFilter, type StoredLog } from '../logs/log-repository.ts'
import { transcodeLogsJson } from '../logs/transcode-logs.ts'
import { orNull } from '../present-span.ts'
import { openPlace, type ReadDependencies, sealPlace } from '../reads/cursor.ts'
import type { Recorder } from '../recorder/recorder.ts'
import type { RedactionView } from '../redaction/rules/redaction-rules.ts'
import type { RetentionView } from '../retention/retention.ts'

/** A requested score. If the sender gives it an id, sending it again is idempotent. */
type Wanted = BodyOf<(typeof scoreOperations)['create']> & { id?: string; atMs?: number }

interface ScoreContext {
	recorder: Pick<Recorder, 'append'>
	retention: RetentionView
	redaction: RedactionView
	clock: Clock
}

/** Records a score; resolves when it is on disk. Throws Problem 400 if it has no target or no value. */
export async function createScore(
	{ recorder, retention, redaction, clock }: ScoreContext,
	principal: Principal,
	wanted: Wanted,
): Promise<ScoreView> {
	refuseEmpty(wanted)
	const { workspaceId } = principal
	const nowMs = clock.nowMs()
	const keptMs = retention.daysOf(workspaceId, 'logs') * 86_400_000
	// A time that would expire at once, or is in the future, is refused here.
	const { atMs = nowMs } = wanted
	const isTimely = atMs <= nowMs && atMs > nowMs - keptMs
	const score = toScore(wanted, principal, isTimely ? atMs : nowMs)
	const nowNs = BigInt(isTimely ? atMs : nowMs) * 1_000_000n
	const rules = redaction.rulesOf(workspaceId)
	const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [toLogRecord(score, String(nowNs))] }] }] }
	const { rows, count } = transcodeLogsJson(Buffer.from(JSON.stringify(body)), {
		workspaceId,
		retentionDays: retention.daysOf(workspaceId, 'logs'),
		oldestNs: nowNs,
		newestNs: nowNs,
		nowNs,
		maxRowsBytes: 1024 * 1024,
		...(rules && { rules }),
	})
	const key = wanted.id === undefined ? {} : { key: keyOf(workspaceId, score) }
	await recorder.append({ workspaceId, rowFormat: logRowFormat, count, bytes: rows, ...key })
	return score
}

function keyOf(workspaceId: string, { created_at: _, ...score }: ScoreView): string {
	return hash('sha256', `${workspaceId} score ${JSON.stringify(score)}`).slice(0, 32)
}

function toScore(wanted: Wanted, principal: Principal, nowMs: number): ScoreView {
	const { name, value = null, comment = '', trace_id, span_id, session_id } = wanted
	return {
		id: wanted.id ?? newId(nowMs),
		name,
		type: typeOf(value),
		value,
		comment,
		source: wanted.source ?? (principal.kind === 'user' ? 'person' : 'code'),
		trace_id: trace_id?.toLowerCase() ?? null,
		span_id: span_id?.toLowerCase() ?? null,
		session_id: session_id ?? null,
		created_at: toIso(nowMs),
	}
}

function typeOf(value: ScoreView['value']): ScoreView['type'] {
	if (value === null) return 'comment'
	if (typeof value === 'boolean') return 'boolean'
	return typeof value === 'number' ? 'numeric' : 'category'
}

function refuseEmpty({ trace_id, span_id, session_id, value = null, comment = '' }: Wanted): void {
	if (trace_id === undefined && session_id === undefined)
		throw refused('/trace_id', 'or session_id says what is scored')
	if (span_id !== undefined && trace_id === undefined) throw refused('/span_id', 'needs trace_id')
	if (value === null && comment === '') throw refused('/value', 'or comment says something')
}

function refused(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'score', detail }],
	})
}

type ListOperation = (typeof scoreOperations)['list']

interface ScoreCursor {
	startMs: number
	endMs: number
	afterNs: string
	afterHash: string
}

/** Scores of a time range, newest first. */
export async function listScores(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...wanted }: QueryOf<ListOperation>,
): Promise<OutputOf<ListOperation>> {
	const list = { workspaceId, kind: 'score_cursor' }
	const after = cursor === undefined ? null : openPlace<ScoreCursor>(sealer, list, cursor)
	const range =
		after ??
		readTimeRange({ ...(start !== undefined && { start }), ...(end !== undefined && { end }) }, clock.nowMs())
	const rows = await findLogs(telemetry, workspaceId, { range, filter: toFilter(wanted), after, limit })
	const last = rows.length >= limit ? rows.at(-1) : undefined
	const { startMs, endMs } = range
	return {
		scores: rows.map(presentScore),
		next_cursor: last
			? sealPlace(sealer, list, { startMs, endMs, afterNs: last.recorded_ns, afterHash: last.hash })
			: null,
	}
}

/** Nobody reads more scores of one trace, and a trace must stay quick to show. */
const maxOfTrace = 1000

/** The scores of a trace and of its calls, newest first. */
export async function scoresOfTrace(
	{ telemetry, clock }: Pick<ReadDependencies, 'telemetry' | 'clock'>,
	workspaceId: string,
	traceId: string,
): Promise<ScoreView[]> {
	const range = { startMs: 0, endMs: clock.nowMs() + 86_400_000 }
	const filter = toFilter({ trace_id: traceId })
	const rows = await findLogs(telemetry, workspaceId, { range, filter, after: null, limit: maxOfTrace })
	return rows.map(presentScore)
}

type WantedScores = Omit<QueryOf<ListOperation>, 'start' | 'end' | 'limit' | 'cursor'>

function toFilter({ name, source, session_id, trace_id, span_id }: WantedScores): LogFilter {
	const attribute = [
		...(name === undefined ? [] : [`${keys.name}=${name}`]),
		...(source === undefined ? [] : [`${keys.source}=${source}`]),
	]
	return {
		event_name: evaluationEvent,
		...(trace_id !== undefined && { trace_id }),
		...(span_id !== undefined && { span_id }),
		...(session_id !== undefined && { session: session_id }),
		attribute,
	}
}

type ScoreView = OutputOf<(typeof scoreOperations)['create']>

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
function toLogRecord(score: ScoreView, timeNs: string): object {
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
function presentScore(log: StoredLog): ScoreView {
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

type LangfuseOperations = typeof langfuseOperations
type Given = Record<string, unknown>

/** The workspace of the token, in the form that `auth_check` of Langfuse's SDKs reads. */
export function langfuseProjects({ workspaceId }: Principal): OutputOf<LangfuseOperations['projects']> {
	const organization = { id: workspaceId, name: 'Signalbox' }
	return { data: [{ id: workspaceId, name: 'Signalbox', organization, metadata: {} }] }
}

/** Each event is accepted or refused independently. Throws only errors that are not the sender's fault. */
export async function takeLangfuseEvents(
	context: ScoreContext,
	principal: Principal,
	{ batch }: BodyOf<LangfuseOperations['ingestion']>,
): Promise<OutputOf<LangfuseOperations['ingestion']>> {
	const answer: OutputOf<LangfuseOperations['ingestion']> = { successes: [], errors: [] }
	for (const { id, type, timestamp, body } of batch)
		try {
			if (type !== 'score-create') throw notTakenAt('type', notTaken(type))
			const given = (typeof body === 'object' && body !== null ? body : {}) as Given
			await createScore(context, principal, toWanted({ timestamp, ...given }, 'body/'))
			answer.successes.push({ id, status: 201 })
		} catch (error) {
			if (!(error instanceof Problem) || error.status >= 500) throw error
			answer.errors.push({ id, status: error.status, message: error.message, error: error.code })
		}
	return answer
}

const notTaken = (type: string) =>
	`"${type}" is not taken here, only "score-create". Send spans by OpenTelemetry: Langfuse's SDKs from 3 (Python) and 4 (JavaScript) on do`

/** Records one score or several: all of them or, with a Problem 400 that names the first invalid one, none. */
export async function takeLangfuseScores(
	context: ScoreContext,
	principal: Principal,
	body: BodyOf<LangfuseOperations['scores']>,
): Promise<OutputOf<LangfuseOperations['scores']>> {
	const scores = (Array.isArray(body) ? body : [body]) as Given[]
	const wanted = scores.map((score, at) => toWanted(score, Array.isArray(body) ? `body/${at}/` : 'body/'))
	const [first] = await Promise.all(wanted.map((one) => createScore(context, principal, one)))
	return { id: first?.id ?? '' }
}

function toWanted(given: Given, place: string): Wanted {
	const text = (field: string, max: number): string | undefined => {
		const value = given[field]
		if (value === undefined || value === null || value === '') return undefined
		if (typeof value !== 'string') throw notTakenAt(place + field, 'must be a text')
		if (value.length > max) throw notTakenAt(place + field, `may have ${max} characters`)
		return value
	}
	const hex = (field: string, length: number): string | undefined => {
		// Older SDKs send UUIDs.
		const id = text(field, 64)?.replaceAll('-', '')
		if (id !== undefined && (id.length !== length || !/^[0-9a-f]+$/i.test(id)))
			throw notTakenAt(
				place + field,
				`must be ${length} hex digits, the id of a ${length === 32 ? 'trace' : 'span'}`,
			)
		return id
	}
	const name = text('name', 100)
	if (name === undefined) throw notTakenAt(`${place}name`, 'says what is scored and must not be empty')
	const fields = {
		id: text('id', 256),
		trace_id: hex('traceId', 32),
		span_id: hex('observationId', 16),
		session_id: text('sessionId', 256),
		comment: text('comment', 4000),
		atMs: timeOf(text('timestamp', 64), place),
	}
	const present = Object.entries(fields).filter(([, value]) => value !== undefined)
	return { name, value: scoredValue(given, place), ...Object.fromEntries(present) }
}

function scoredValue({ value, dataType }: Given, place: string): string | number | boolean | null {
	if (value === undefined || value === null) return null
	if (dataType === 'BOOLEAN' && (value === 1 || value === 0)) return value === 1
	if (typeof value === 'number' || typeof value === 'boolean') return value
	if (typeof value !== 'string' || value === '')
		throw notTakenAt(`${place}value`, 'must be a number or a text')
	if (value.length > 256)
		throw notTakenAt(`${place}value`, 'may have 256 characters as a text; a comment may have more')
	return value
}

function timeOf(timestamp: string | undefined, place: string): number | undefined {
	const atMs = timestamp === undefined ? undefined : Date.parse(timestamp)
	if (Number.isNaN(atMs)) throw notTakenAt(`${place}timestamp`, 'must be a time as in 2026-11-22T10:00:00Z')
	return atMs
}

const notTakenAt = (place: string, detail: string) =>
	new Problem('invalid_request', `${place}: ${detail}.`, {
		errors: [{ pointer: `/${place}`, code: 'score', detail }],
	})
