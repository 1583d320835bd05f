import type { Clock } from '../platform/clock.ts'
import type { Problem } from '../platform/errors.ts'
import type { Principal } from '../platform/http/index.ts'
import type { Log } from '../platform/log.ts'
import type { Recorder } from '../telemetry/index.ts'
import type { Enforcement } from './enforce.ts'
import type { ClientQuestions } from './eras/legacy/client-questions.ts'
import type { SessionStore } from './eras/legacy/session-store.ts'
import type { ListChangeStreams } from './eras/legacy/streams.ts'
import type { Dialogues } from './eras/modern/dialogues.ts'
import type { Limits } from './limits.ts'
import type { RequestStates } from './request-states.ts'
import type { RunningOperations } from './running-operations.ts'
import type { Upstreams } from './upstreams/upstreams.ts'

/** What every part of the gateway works with. */
export interface Gateway {
	enforcement: Enforcement
	upstreams: Upstreams
	recorder: Recorder
	running: RunningOperations
	sessions: SessionStore
	/** Questions to legacy clients. */
	questions: ClientQuestions
	/** Operations of modern clients that wait for their client. */
	dialogues: Dialogues
	states: RequestStates
	streams: ListChangeStreams
	limits: Limits
	clock: Clock
	log: Log
	/** Ours, for introductions and telemetry. */
	version: string
	/** Whether the credential may still be used. */
	stillValid(principal: Principal): Problem | null
	noteSeen(agentId: string): void
	/** Whether permissions are too old to judge by. */
	isStale(): boolean
}
