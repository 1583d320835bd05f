import type { DemoState, demoOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { UserPrincipal } from '../../platform/http/index.ts'
import type { DemoRow } from './demo-repository.ts'

export type DemoDocument = OutputOf<(typeof demoOperations)['get']>
export type Highlight = DemoDocument['highlights'][number]

/** A process that ended while it made the demo does not go on with it. */
const longestMs = 15 * 60_000

/** Outside of its workspace it is nobody's business but the operators'. */
export function presentDemo(row: DemoRow | undefined, user: UserPrincipal, nowMs: number): DemoDocument {
	if (!row || !(user.operator || user.workspaceId === row.id))
		return { state: 'none', workspace_id: null, created_at: null, highlights: [] }
	const isStuck = row.state === 'making' && nowMs - row.created_at > longestMs
	return {
		state: isStuck ? 'failed' : (row.state as DemoState),
		workspace_id: row.id,
		created_at: toIso(row.created_at),
		highlights: JSON.parse(row.highlights) as Highlight[],
	}
}
