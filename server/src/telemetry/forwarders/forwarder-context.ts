import type { ForwardedSignal } from '@signalbox/contract'
import type { Audit, RequestedChange } from '../../accounts/audit/audit.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
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

/** A change of a forwarder, as it is recorded: with only the origin of its address, because a path may contain a secret of the receiver. */
export function changeOf(
	verb: 'create' | 'update' | 'delete' | 'test',
	{ id, name, url }: ForwarderRow,
	more: Record<string, unknown> = {},
): RequestedChange {
	const { protocol, host } = new URL(url)
	const detail = { receiver: `${protocol}//${host}`, ...more }
	return { action: `forwarders.${verb}`, target: { kind: 'forwarder', id, name }, detail }
}

/** The scope that a key must have to forward a signal: what it cannot read, it cannot forward. */
export function scopeOf(signal: ForwardedSignal): 'audit:read' | 'telemetry:read' {
	return signal === 'audit' ? 'audit:read' : 'telemetry:read'
}
