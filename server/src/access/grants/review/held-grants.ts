import type { Queryable } from '../../../platform/database/index.ts'
import { type GrantRow, listManualGrantsIn, oldestDerivedBy } from '../repository.ts'
import { listAllToolsets, listToolsIn, type ToolsetRow, type ToolsOfServer } from '../toolsets/repository.ts'

/** The grants of a workspace with what is needed to ask whether they are needed. */
export interface HeldGrants {
	/** Made by hand. */
	manual: GrantRow[]
	toolsets: HeldToolset[]
	/** Agents with derived grants: when the oldest was made, in milliseconds since 1970. */
	derivedSinceMs: Map<string, number>
}

export interface HeldToolset extends ToolsetRow {
	tools: ToolsOfServer[]
	/** When the oldest grant derived from it was made; null: there is none. */
	givenSinceMs: number | null
}

export async function listHeld(db: Queryable, workspaceId: string): Promise<HeldGrants> {
	const rows = await listAllToolsets(db, workspaceId)
	const tools = await listToolsIn(
		db,
		workspaceId,
		rows.map(({ id }) => id),
	)
	const givenSince = await oldestDerivedBy(db, workspaceId, 'source')
	return {
		manual: await listManualGrantsIn(db, workspaceId),
		toolsets: rows.map((row) => ({
			...row,
			tools: tools.get(row.id) ?? [],
			givenSinceMs: givenSince.get(row.id) ?? null,
		})),
		derivedSinceMs: await oldestDerivedBy(db, workspaceId, 'agent_id'),
	}
}
