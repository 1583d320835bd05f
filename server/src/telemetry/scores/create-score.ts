import { hash } from 'node:crypto'
import type { BodyOf, scoreOperations } from '@signalbox/contract'
import { type Clock, toIso } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import { logRowFormat } from '../logs/log-columns.ts'
import { transcodeLogsJson } from '../logs/transcode-logs.ts'
import type { Recorder } from '../recorder/recorder.ts'
import type { RedactionView } from '../redaction/rules/redaction-view.ts'
import type { RetentionView } from '../retention/retention-view.ts'
import { type ScoreView, toLogRecord } from './evaluation.ts'

/** A score that is asked for; where the sender names it, the same one sent again is not recorded again. */
export type Wanted = BodyOf<(typeof scoreOperations)['create']> & { id?: string; atMs?: number }

export interface ScoreContext {
	recorder: Pick<Recorder, 'append'>
	retention: RetentionView
	redaction: RedactionView
	clock: Clock
}

/** Records a score; resolves when it is on disk. Throws Problem 400 for one of nothing, or without anything said. */
export async function createScore(
	{ recorder, retention, redaction, clock }: ScoreContext,
	principal: Principal,
	wanted: Wanted,
): Promise<ScoreView> {
	refuseEmpty(wanted)
	const { workspaceId } = principal
	const nowMs = clock.nowMs()
	const keptMs = retention.daysOf(workspaceId, 'logs') * 86_400_000
	// What would be gone at once, or is not yet, is said now.
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
		throw refused('/trace_id', 'or session_id says what is judged')
	if (span_id !== undefined && trace_id === undefined) throw refused('/span_id', 'needs trace_id')
	if (value === null && comment === '') throw refused('/value', 'or comment says something')
}

function refused(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'score', detail }],
	})
}
