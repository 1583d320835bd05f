import type { Asked, OutputOf, questionOperations } from '@signalbox/contract'
import type { Audit } from '../../accounts/audit/index.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlSchema, ControlStore } from '../../platform/database/index.ts'
import type { Mutate } from '../../platform/mutation.ts'

export type QuestionRow = ControlSchema['saved_questions']
export type QuestionDocument = OutputOf<(typeof questionOperations)['get']>

/** Asks Spotlight now. Throws `store_unavailable` while the telemetry store does not answer. */
export type AskSpotlight = (
	workspaceId: string,
	asked: Asked,
) => Promise<OutputOf<(typeof questionOperations)['answer']>['answer']>

export interface QuestionContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	ask: AskSpotlight
}

/** What a saved question asks of Spotlight. */
export function askedOf(row: QuestionRow): Asked {
	return {
		read: row.read as Asked['read'],
		range: row.time_range as Asked['range'],
		filter: JSON.parse(row.filter) as Asked['filter'],
		compare: row.compare === 1,
		sort: row.sort as Asked['sort'],
	}
}

/** A saved question as the API shows it. */
export function presentQuestion(row: QuestionRow): QuestionDocument {
	return {
		id: row.id,
		name: row.name,
		...askedOf(row),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
