import type { Audit } from '../../accounts/audit/index.ts'
import type { Identity } from '../../accounts/identity/index.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { RecorderStats } from '../../telemetry/index.ts'
import type { Ingress } from './ingress-client.ts'
import type { ReplayedTimes } from './replayed-times.ts'

export interface DemoContext {
	store: ControlStore
	mutate: Mutate
	clock: Clock
	log: Log
	jobs: Jobs
	audit: Pick<Audit, 'record'>
	identity: Pick<Identity, 'workspaces' | 'createCredential'>
	telemetry: Pick<TelemetryStore, 'query' | 'command'>
	/** Of all processes. */
	recorder: { stats(): RecorderStats | Promise<RecorderStats> }
	times: ReplayedTimes
	/** Ends when the program does. */
	ending: AbortSignal
	/** Our own ingress; asked only once requests come. */
	ingress: Ingress
	/** Where people reach the instance. */
	publicAddress(): string
}
