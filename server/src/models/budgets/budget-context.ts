import type { Audit } from '../../accounts/audit/audit.ts'
import type { PriceCall } from '../../ledger/ledger.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'

export interface BudgetDependencies {
	store: ControlStore
	feed: ChangeFeed
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	log: Log
	priceCall: PriceCall
	/** If given, runs a job that deletes old counters. */
	jobs?: Jobs
}

/** What everything in this area needs. */
export interface BudgetContext extends BudgetDependencies {
	/** The name of this process in leases. */
	holder: string
}
