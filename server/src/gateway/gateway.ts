import type { ApprovalGate } from '../access/approvals/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Problem } from '../platform/errors.ts'
import type { LiveRequests, Principal } from '../platform/http/index.ts'
import type { Limiter } from '../platform/limits/limiter.ts'
import type { Log } from '../platform/log.ts'
import type { CallLog } from '../telemetry/index.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Enforcement } from './enforce.ts'
import type { ClientQuestions } from './eras/legacy/client-questions.ts'
import type { SessionStore } from './eras/legacy/session-store.ts'
import type { Dialogues } from './eras/modern/dialogues.ts'
import type { ForwardedRetries } from './eras/modern/forwarded-retries.ts'
import type { Limits } from './limits.ts'
import type { ClientStreams } from './listening/client-streams.ts'
import type { KeptResults } from './long-results/kept-results.ts'
import type { PeerMessages } from './peer-messages.ts'
import type { KeptLists } from './perform/parts/kept-lists.ts'
import type { Cursors } from './perform/parts/list-parts.ts'
import type { RefusalLinks } from './refusals/refusals.ts'
import type { RequestStates } from './request-states.ts'
import type { RunningOperations } from './running-operations.ts'
import type { Tasks } from './tasks/tasks.ts'
import type { Upstreams } from './upstreams/upstreams.ts'

/** What every part of the gateway works with. */
export interface Gateway {
	enforcement: Enforcement
	/** Between calls that need the approval of a person and their servers. */
	approvals: ApprovalGate
	links: RefusalLinks
	limiter: Limiter
	upstreams: Upstreams
	/** What servers offer beside tools. */
	catalog: Catalog
	cursors: Cursors
	/** Lists of tools as they were written last. */
	lists: KeptLists
	/** What was too long for one piece. */
	keptResults: KeptResults
	/** Calls that go on without their clients. */
	tasks: Tasks
	calls: Pick<CallLog, 'announce' | 'conclude'>
	/** Whether arguments and results of a workspace's tool calls are recorded, where a server does not say otherwise. */
	recordsToolContent(workspaceId: string): boolean
	running: RunningOperations
	sessions: SessionStore
	/** Calls whose requests were answered before they ran, so that the ingress does not watch over them. */
	posted: LiveRequests
	/** Questions to legacy clients. */
	questions: ClientQuestions
	/** To and from the other programs on the store. */
	peerMessages: PeerMessages
	forwarded: ForwardedRetries
	/** Operations of modern clients that wait for their client. */
	dialogues: Dialogues
	states: RequestStates
	streams: ClientStreams
	limits: Limits
	clock: Clock
	log: Log
	/** The path of our public address, without a slash at its end. */
	basePath(): string
	/** Ours, for introductions and telemetry. */
	version: string
	/** Whether the credential may still be used. */
	stillValid(principal: Principal): Problem | null
	noteSeen(agentId: string): void
	/** Whether permissions are too old to judge by. */
	isStale(): boolean
}
