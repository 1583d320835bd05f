import type { DemoState, demoOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { UserPrincipal } from '../../platform/http/principal.ts'
import type { DemoRow } from './demo-repository.ts'

export type DemoDocument = OutputOf<(typeof demoOperations)['get']>
export type Highlight = DemoDocument['highlights'][number]

/** After this time, creation counts as failed, because a process that ended during it does not resume. */
const maxMs = 15 * 60_000

/** Outside of its workspace only operators may see it. */
export function presentDemo(row: DemoRow | undefined, user: UserPrincipal, nowMs: number): DemoDocument {
	if (!row || !(user.operator || user.workspaceId === row.id))
		return { state: 'none', workspace_id: null, created_at: null, highlights: [] }
	const isStuck = row.state === 'making' && Math.abs(nowMs - row.created_at) > maxMs
	return {
		state: isStuck ? 'failed' : (row.state as DemoState),
		workspace_id: row.id,
		created_at: toIso(row.created_at),
		highlights: JSON.parse(row.highlights) as Highlight[],
	}
}
