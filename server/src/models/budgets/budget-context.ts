import type { Audit } from '../../accounts/audit/audit.ts'
import type { PriceCall } from '../../ledger/ledger.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Principal } from '../../platform/http/index.ts'
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
	/** Forgets old counters, where it is given. */
	jobs?: Jobs
}

/** What everything of this area works with. */
export interface BudgetContext extends BudgetDependencies {
	/** This process, as leases name it. */
	holder: string
}

/** Who changes something, and in which request. */
export interface Change {
	principal: Principal
	requestId: string
}
