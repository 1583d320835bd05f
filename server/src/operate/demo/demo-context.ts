import type { Audit } from '../../accounts/audit/audit.ts'
import type { Identity } from '../../accounts/identity/identity.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { LogRecorder, RecorderStats } from '../../telemetry/index.ts'
import type { Ingress } from './ingress-client.ts'
import type { FactsInTime } from './replay.ts'

export interface ReplayProgram {
	handle: Ingress
	/** Resolves when it has applied all changes committed by now. */
	catchUp(): Promise<void>
	close(): Promise<void>
}

export interface DemoContext {
	store: ControlStore
	mutate: Mutate
	clock: Clock
	log: Log
	jobs: Jobs
	audit: Pick<Audit, 'record'>
	identity: Pick<Identity, 'workspaces' | 'createCredential'>
	telemetry: Pick<TelemetryStore, 'query' | 'command'>
	/** The recorders of all processes. */
	recorder: { stats(): RecorderStats | Promise<RecorderStats> }
	/** The recorder of this process. */
	calls: LogRecorder
	factsInTime: FactsInTime
	/** Starts a second program on the same stores, which records with this recorder. */
	openReplay(recorder: LogRecorder): Promise<ReplayProgram>
	/** Aborted when the program stops. */
	ending: AbortSignal
	/** Our own ingress; called only after startup. */
	ingress: Ingress
	/** The URL at which people reach the instance. */
	publicAddress(): string
}
