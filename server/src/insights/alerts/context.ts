import type { Asked, OutputOf, spotlightOperations } from '@signalbox/contract'
import type { Audit } from '../../accounts/audit/index.ts'
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

/** Spotlight's figures of some calls in a range of time. Throws `store_unavailable` while the store does not answer. */
export type ReadFigures = (
	workspaceId: string,
	range: TimeRange,
	filter?: Asked['filter'],
	visitors?: boolean,
) => Promise<CallFigures>

/** What everything of this area works with. */
export interface AlertContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	jobs: Jobs
	clock: Clock
	log: Log
	telemetry: Pick<TelemetryStore, 'query'>
	readFigures: ReadFigures
	/** The address of a screen of a workspace, by its path below `/ui/w/{workspace}`. */
	urlOf(workspaceId: string, path: string): string
	/** Null without a mail server. */
	mail: SmtpTransport | null
}
