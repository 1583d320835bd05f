import type { Asked, OutputOf, spotlightOperations } from '@signalbox/contract'
import type { Audit } from '../../accounts/audit/audit.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { SmtpTransport } from '../../platform/mail/mailer.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { TimeRange } from '../../platform/time-range.ts'

type Overview = OutputOf<(typeof spotlightOperations)['overview']>
/** The figures of a range, as in an overview. */
export type CallFigures = Omit<Overview, 'start' | 'end' | 'ambiguous_calls' | 'previous' | 'groups'>

/** Spotlight's figures of some calls. Each function throws `store_unavailable` while the store does not answer. */
export interface ReadFigures {
	/** `visitors`: whether sessions and users are counted, too. */
	readFigures(
		workspaceId: string,
		range: TimeRange,
		filter?: Asked['filter'],
		visitors?: boolean,
	): Promise<CallFigures>
	/** The figures of ranges of equal length, each an interval after the previous one. */
	readWindows(
		workspaceId: string,
		windows: { firstEndMs: number; intervalMs: number; lengthMs: number; count: number },
		filter?: Asked['filter'],
		visitors?: boolean,
	): Promise<CallFigures[]>
}

/** Shared dependencies of this area. */
export interface AlertContext extends ReadFigures {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	jobs: Jobs
	clock: Clock
	log: Log
	telemetry: Pick<TelemetryStore, 'query'>
	/** The address of a screen of a workspace, from its path below `/ui/w/{workspace}`. */
	urlOf(workspaceId: string, path: string): string
	/** Null without a mail server. */
	mail: SmtpTransport | null
}
