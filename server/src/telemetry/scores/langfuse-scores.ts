import type { BodyOf, langfuseOperations, OutputOf } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/index.ts'
import { createScore, type ScoreContext, type Wanted } from './create-score.ts'

type Operations = typeof langfuseOperations
type Given = Record<string, unknown>

/** The workspace of the token, as `auth_check` of Langfuse's SDKs reads it. */
export function langfuseProjects({ workspaceId }: Principal): OutputOf<Operations['projects']> {
	const organization = { id: workspaceId, name: 'Signalbox' }
	return { data: [{ id: workspaceId, name: 'Signalbox', organization, metadata: {} }] }
}

/** Each event is taken or refused by itself. Throws what is not the sender's fault. */
export async function takeLangfuseEvents(
	context: ScoreContext,
	principal: Principal,
	{ batch }: BodyOf<Operations['ingestion']>,
): Promise<OutputOf<Operations['ingestion']>> {
	const answer: OutputOf<Operations['ingestion']> = { successes: [], errors: [] }
	for (const { id, type, timestamp, body } of batch)
		try {
			if (type !== 'score-create') throw refused('type', notTaken(type))
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

/** One score or several: all or, with a Problem 400 that names the first bad one, none. */
export async function takeLangfuseScores(
	context: ScoreContext,
	principal: Principal,
	body: BodyOf<Operations['scores']>,
): Promise<OutputOf<Operations['scores']>> {
	const scores = (Array.isArray(body) ? body : [body]) as Given[]
	const wanted = scores.map((score, at) => toWanted(score, Array.isArray(body) ? `body/${at}/` : 'body/'))
	const [first] = await Promise.all(wanted.map((one) => createScore(context, principal, one)))
	return { id: first?.id ?? '' }
}

function toWanted(given: Given, place: string): Wanted {
	const text = (field: string, most: number): string | undefined => {
		const value = given[field]
		if (value === undefined || value === null || value === '') return undefined
		if (typeof value !== 'string') throw refused(place + field, 'must be a text')
		if (value.length > most) throw refused(place + field, `may have ${most} characters`)
		return value
	}
	const hex = (field: string, length: number): string | undefined => {
		// Older SDKs make UUIDs.
		const id = text(field, 64)?.replaceAll('-', '')
		if (id !== undefined && (id.length !== length || !/^[0-9a-f]+$/i.test(id)))
			throw refused(
				place + field,
				`must be ${length} hex digits, the id of a ${length === 32 ? 'trace' : 'span'}`,
			)
		return id
	}
	const name = text('name', 100)
	if (name === undefined) throw refused(`${place}name`, 'says what is judged and must not be empty')
	const fields = {
		id: text('id', 256),
		trace_id: hex('traceId', 32),
		span_id: hex('observationId', 16),
		session_id: text('sessionId', 256),
		comment: text('comment', 4000),
		atMs: timeOf(text('timestamp', 64), place),
	}
	const present = Object.entries(fields).filter(([, value]) => value !== undefined)
	return { name, value: judgedValue(given, place), ...Object.fromEntries(present) }
}

function judgedValue({ value, dataType }: Given, place: string): string | number | boolean | null {
	if (value === undefined || value === null) return null
	if (dataType === 'BOOLEAN' && (value === 1 || value === 0)) return value === 1
	if (typeof value === 'number' || typeof value === 'boolean') return value
	if (typeof value !== 'string' || value === '') throw refused(`${place}value`, 'must be a number or a text')
	if (value.length > 256)
		throw refused(`${place}value`, 'may have 256 characters as a text; a comment may have more')
	return value
}

function timeOf(timestamp: string | undefined, place: string): number | undefined {
	const atMs = timestamp === undefined ? undefined : Date.parse(timestamp)
	if (Number.isNaN(atMs)) throw refused(`${place}timestamp`, 'must be a time as in 2026-11-22T10:00:00Z')
	return atMs
}

const refused = (place: string, detail: string) =>
	new Problem('invalid_request', `${place}: ${detail}.`, {
		errors: [{ pointer: `/${place}`, code: 'score', detail }],
	})
