import type { ForwardedSignal } from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/database.ts'
import type { Principal } from '../../platform/http/principal.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { ForwarderRow } from './forwarder-repository.ts'

/** Shared dependencies of this area. */
export interface ForwarderContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	jobs: Jobs
	sealer: Sealer
	clock: Clock
	/** Checks addresses when a forwarder is created and at each connection, HTTP or not. */
	safeFetch: Pick<SafeFetch, 'assertUrl' | 'fetch' | 'connect'>
	telemetry: Pick<TelemetryStore, 'query'>
	/** Counts since this process started, for `/metrics`. */
	counts: ForwardCounts
}

export interface ForwardCounts {
	sent: number
	refused: number
	failed: number
	/** Seconds behind, by forwarder and signal, and when that was measured; another process may hold the forwarder by now. */
	lag: Map<string, { seconds: number; atMs: number }>
}

/** Who makes a change, and in which request. */
export interface Change {
	principal: Principal
	requestId: string
}

/**
 * Writes an audit record for a change of a forwarder. It has only the origin of its address, because a path may contain a secret of
 * the receiver.
 */
export function record(
	tx: DatabaseTransaction,
	{ audit }: Pick<ForwarderContext, 'audit'>,
	{ principal, requestId }: Change,
	verb: 'create' | 'update' | 'delete' | 'test',
	row: ForwarderRow,
	detail: Record<string, unknown> = {},
): Promise<void> {
	const { protocol, host } = new URL(row.url)
	return audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: actorOf(principal),
		action: `forwarders.${verb}`,
		target: { kind: 'forwarder', id: row.id, name: row.name },
		detail: { receiver: `${protocol}//${host}`, ...detail },
		requestId,
	})
}

/** The scope that a key must have to forward a signal: what it cannot read, it cannot forward. */
export function scopeOf(signal: ForwardedSignal): 'audit:read' | 'telemetry:read' {
	return signal === 'audit' ? 'audit:read' : 'telemetry:read'
}
