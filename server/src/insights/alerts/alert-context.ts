import type { Asked, OutputOf, spotlightOperations } from '@signalbox/contract'
import type { Audit } from '../../accounts/audit/audit.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { SmtpTransport } from '../../platform/mail/mailer.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { TimeRange } from '../../platform/time-range.ts'

type Overview = OutputOf<(typeof spotlightOperations)['overview']>
/** Those of a range, as an overview has them. */
export type CallFigures = Omit<Overview, 'start' | 'end' | 'ambiguous_calls' | 'previous' | 'groups'>

/** Spotlight's figures of some calls. Each throws `store_unavailable` while the store does not answer. */
export interface ReadFigures {
	/** `visitors`: whether sessions and users are counted, too. */
	readFigures(
		workspaceId: string,
		range: TimeRange,
		filter?: Asked['filter'],
		visitors?: boolean,
	): Promise<CallFigures>
	/** Of ranges of one length, each an interval after the one before. */
	readWindows(
		workspaceId: string,
		windows: { firstEndMs: number; intervalMs: number; lengthMs: number; count: number },
		filter?: Asked['filter'],
		visitors?: boolean,
	): Promise<CallFigures[]>
}

/** What everything of this area works with. */
export interface AlertContext extends ReadFigures {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	jobs: Jobs
	clock: Clock
	log: Log
	telemetry: Pick<TelemetryStore, 'query'>
	/** The address of a screen of a workspace, by its path below `/ui/w/{workspace}`. */
	urlOf(workspaceId: string, path: string): string
	/** Null without a mail server. */
	mail: SmtpTransport | null
}
