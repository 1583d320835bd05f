import type { Audit } from '../../accounts/audit/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'

/** The context of all operations on tool definitions. */
export interface DefinitionContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	clock: Clock
	jobs: Jobs
	log: Log
}
