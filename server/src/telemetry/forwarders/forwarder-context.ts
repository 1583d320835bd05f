import type { ForwardedSignal } from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/index.ts'
import type { Principal } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { ForwarderRow } from './forwarder-repository.ts'

/** What everything of this area works with. */
export interface ForwarderContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	jobs: Jobs
	sealer: Sealer
	clock: Clock
	/** Judges addresses when a forwarder is made and at each connection, HTTP or not. */
	safeFetch: Pick<SafeFetch, 'assertUrl' | 'fetch' | 'connect'>
	telemetry: Pick<TelemetryStore, 'query'>
	/** What this process has done since its start, for `/metrics`. */
	counts: ForwardCounts
}

export interface ForwardCounts {
	sent: number
	refused: number
	failed: number
	/** Seconds behind, by forwarder and signal, and when that was seen: another process may have it by now. */
	lag: Map<string, { seconds: number; atMs: number }>
}

/** Who changes something, and in which request. */
export interface Change {
	principal: Principal
	requestId: string
}

/** Records a change of a forwarder. Of its address only the origin: a path may be a secret of the receiver. */
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

/** What a key must be able to read itself before it may have it sent elsewhere. */
export function scopeOf(signal: ForwardedSignal): 'audit:read' | 'telemetry:read' {
	return signal === 'audit' ? 'audit:read' : 'telemetry:read'
}
