import type { Asked, OutputOf, savedViewOperations } from '@signalbox/contract'
import type { Audit } from '../../accounts/audit/audit.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import type { Mutate } from '../../platform/mutation.ts'

export type SavedViewRow = ControlSchema['saved_questions']
export type SavedViewDocument = OutputOf<(typeof savedViewOperations)['get']>

/** Runs a Spotlight query now. Throws `store_unavailable` while the telemetry store does not answer. */
export type AskSpotlight = (
	workspaceId: string,
	asked: Asked,
) => Promise<OutputOf<(typeof savedViewOperations)['answer']>['answer']>

export interface SavedViewContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	ask: AskSpotlight
}

/** The Spotlight query of a saved view. */
export function askedOf(row: SavedViewRow): Asked {
	return {
		read: row.read as Asked['read'],
		range: row.time_range as Asked['range'],
		filter: JSON.parse(row.filter) as Asked['filter'],
		compare: row.compare === 1,
		sort: row.sort as Asked['sort'],
	}
}

/** A saved view in the form of the API. */
export function presentSavedView(row: SavedViewRow): SavedViewDocument {
	return {
		id: row.id,
		name: row.name,
		...askedOf(row),
		address: row.address,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
