import type { Audit } from '../../accounts/audit/audit.ts'
import type { Identity } from '../../accounts/identity/identity.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { LogRecorder, RecorderStats } from '../../telemetry/index.ts'
import type { Ingress } from './ingress-client.ts'
import type { FactsInTime } from './replay.ts'

export interface ReplayProgram {
	handle: Ingress
	/** Resolves when it knows every change that is committed by now. */
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
	/** Of all processes. */
	recorder: { stats(): RecorderStats | Promise<RecorderStats> }
	/** The log of this process. */
	calls: LogRecorder
	factsInTime: FactsInTime
	/** Starts a second program over the same stores, which records by this recorder. */
	openReplay(recorder: LogRecorder): Promise<ReplayProgram>
	/** Ends when the program does. */
	ending: AbortSignal
	/** Our own ingress; asked only once requests come. */
	ingress: Ingress
	/** Where people reach the instance. */
	publicAddress(): string
}
