import type { Audit } from '../../../accounts/audit/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import type { RedactContent } from '../../../telemetry/index.ts'
import type { SessionReads } from '../sessions/read-session.ts'

export interface SharingContext extends SessionReads {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	/** The text as the rules of the workspace leave it now. */
	redactContent: RedactContent
	/** Where people reach this instance. */
	publicAddress(): string
}
