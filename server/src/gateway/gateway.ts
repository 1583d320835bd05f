import type { ServerResponse } from 'node:http'
import type { ApprovalGate } from '../access/approvals/approvals.ts'
import type { JsonObject, RawRequest, RpcFailure } from '../mcp-client/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Problem } from '../platform/errors.ts'
import type { LiveRequests, Principal } from '../platform/http/index.ts'
import type { Limiter } from '../platform/limits/limiter.ts'
import type { Log } from '../platform/log.ts'
import type { ServerEntry } from '../servers/servers.ts'
import type { CallLog } from '../telemetry/index.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Enforcement } from './enforce.ts'
import type { LegacyInputRequests } from './eras/legacy/legacy-input-requests.ts'
import type { ClientSession, SessionStore } from './eras/legacy/session-store.ts'
import type { Limits } from './limits.ts'
import type { KeptResults } from './long-results/kept-results.ts'
import type { McpHttpRequest } from './mcp-http-request.ts'
import type { Caller, ClientProgram, Operation, Retry, Viewer } from './operation.ts'
import type { PeerMessage, PeerMessages } from './peer-messages.ts'
import type { KeptLists, Position } from './perform/parts/kept-lists.ts'
import type { Plan, PlanResult } from './perform/plan.ts'
import type { RefusalLinks } from './refusals/refusals.ts'
import type { Reply } from './reply.ts'
import type { RequestStates } from './request-states.ts'
import type { RunningOperations } from './running-operations.ts'
import type { Task } from './tasks/task.ts'
import type { TaskStore } from './tasks/task-store.ts'
import type { Upstreams } from './upstreams/upstreams.ts'

/** The calls of tools with nothing in their way: see `plain-calls/`. */
export interface PlainCallsOfGateway {
	/** Runs a call. False: it is not of that kind, and nothing of it has happened. */
	begin(httpRequest: McpHttpRequest, request: RawRequest): boolean
	/** The caller by its credential and the endpoint: the same object until something changes. */
	callerOf(principal: Principal, endpoint: string, identify: () => Caller): Caller
	/** Something has changed that permissions rest on. */
	changed(): void
	/** Each second: those that run may have to go on as operations. */
	check(): void
}

/** An operation that waits for its client, and how it goes on. */
export interface HeldOperation {
	readonly operation: Operation
	readonly plan: Plan
}

/** Operations of modern clients that wait, or may come to wait, for an answer: see `eras/modern/dialogues.ts`. */
export interface DialoguesOfGateway {
	around(operation: Operation, plan: Plan, retry: Retry | null): Plan
	find(id: string): HeldOperation | undefined
	resume(held: HeldOperation, operation: Operation, responses: JsonObject): Promise<PlanResult>
	recheck(refusalOf: (held: HeldOperation) => RpcFailure | null): void
	tick(): void
	closeAll(): void
}

/** What one client is notified of: see `listening/`. */
export interface HeardResources {
	/** The URIs that it is subscribed to, in its own words. */
	readonly uris: string[]
	subscribe(asked: string, choice: { server: ServerEntry; uri: string }): Promise<void>
	unsubscribe(asked: string): Promise<void>
}

export type ListName = 'tools' | 'prompts' | 'resources'

/** The client to whom a subscription belongs, and how it is notified. */
export interface Subscriber {
	caller: Viewer
	readonly client: ClientProgram
	lists: ReadonlySet<ListName>
	tell(method: string, params: JsonObject): void
}

export interface StreamsOfGateway {
	earOf(session: ClientSession): HeardResources
	has(sessionId: string): boolean
	open(
		session: ClientSession,
		response: ServerResponse,
		options: { lastEventId?: string; greeting?: string },
	): void
	send(sessionId: string, message: string): boolean
	responseOf(sessionId: string): ServerResponse | null
	close(sessionId: string): void
	listen(hearer: Subscriber, response: ServerResponse, end: () => void): HeardResources
	recheck(): void
	heartbeat(): void
	tick(): void
	closeAll(): void
}

/** The tasks that run in this program: see `tasks/tasks.ts`. */
export interface TasksOfGateway {
	readonly store: TaskStore
	start(task: Task, call: string, release?: () => void): void
	/** What the task says before its result goes to this answer too, if it runs here. */
	attach(taskId: string, reply: Reply): () => void
	/** Calls back when a task may have changed. */
	watch(taskId: string, tell: () => void): () => void
}

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
	cursors: {
		write(operation: Operation, position: Position): string
		read(operation: Operation): Position | null
	}
	/** Lists of tools as they were written last. */
	lists: KeptLists
	/** What was too long for one piece. */
	keptResults: KeptResults
	/** Calls that go on without their clients. */
	tasks: TasksOfGateway
	calls: CallLog
	plainCalls: PlainCallsOfGateway
	/** Whether arguments and results of a workspace's tool calls are recorded, where a server does not say otherwise. */
	recordsToolContent(workspaceId: string): boolean
	running: RunningOperations
	sessions: SessionStore
	/** Calls whose requests were answered before they ran, so that the ingress does not watch over them. */
	posted: LiveRequests
	/** Input requests to legacy clients. */
	inputRequests: LegacyInputRequests
	/** To and from the other programs on the store. */
	peerMessages: PeerMessages
	/** Retries whose operation another program holds. */
	forwarded: { take(gateway: Gateway, peerMessage: PeerMessage): void }
	/** Operations of modern clients that wait for their client. */
	dialogues: DialoguesOfGateway
	states: RequestStates
	streams: StreamsOfGateway
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
