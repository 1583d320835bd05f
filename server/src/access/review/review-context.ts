import { setImmediate } from 'node:timers/promises'
import type { Audit } from '../../accounts/audit/audit.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { ServerView } from '../../servers/servers.ts'
import type { AgentView } from '../agents/agents.ts'
import type { AccessGrants } from '../grants/index.ts'

/** What access reviews need. */
export interface ReviewContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	clock: Clock
	telemetry: Pick<TelemetryStore, 'query'>
	agents: AgentView
	servers: ServerView
	grants: Pick<AccessGrants, 'propose' | 'held' | 'rewrite' | 'view'>
	/** Retention of telemetry in days. Earlier calls are unknown, which is not the same as none. */
	retentionDays: number
}

const perTurn = 500

/** Yields the same items and lets other work run in between: a large company's grants must not delay calls. */
export async function* inTurns<T>(items: readonly T[]): AsyncGenerator<T> {
	for (const [index, item] of items.entries()) {
		if (index % perTurn === perTurn - 1) await setImmediate()
		yield item
	}
}
