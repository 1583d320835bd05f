import type { ServerResponse } from 'node:http'
import type { ApprovalGate } from '../access/approvals/approvals.ts'
import type { JsonObject, RawRequest, RpcFailure, RpcNotification } from '../mcp-client/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Problem } from '../platform/errors.ts'
import type { LiveRequests } from '../platform/http/live-requests.ts'
import type { Principal } from '../platform/http/principal.ts'
import type { RequestContext } from '../platform/http/route.ts'
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

/** The fast path of tool calls: see `plain-calls/`. */
export interface PlainCallsOfGateway {
	/** Runs a call. Returns false, without any effect, if it cannot be handled as a plain call. */
	begin(httpRequest: McpHttpRequest, request: RawRequest): boolean
	/** The caller for a credential and an endpoint. The same object is returned until something changes. */
	callerOf(context: Pick<RequestContext, 'principal' | 'params'>, identify: () => Caller): Caller
	/** Called when anything that permissions depend on has changed. */
	changed(): void
	/** Called each second: running calls may have to continue as operations. */
	check(): void
}

/** An operation that waits for its client, and how it continues. */
export interface HeldOperation {
	readonly operation: Operation
	readonly plan: Plan
}

/** Operations of modern clients that wait, or may wait, for an answer: see `eras/modern/dialogues.ts`. */
export interface DialoguesOfGateway {
	around(operation: Operation, plan: Plan, retry: Retry | null): Plan
	find(id: string): HeldOperation | undefined
	resume(held: HeldOperation, operation: Operation, responses: JsonObject): Promise<PlanResult>
	recheck(refusalOf: (held: HeldOperation) => RpcFailure | null): void
	tick(): void
	closeAll(): void
}

/** What one client is notified of: see `listening/`. */
export interface ResourceSubscriptions {
	/** The URIs that it is subscribed to, as the client wrote them. */
	readonly uris: string[]
	subscribe(asked: string, choice: { server: ServerEntry; uri: string }): Promise<void>
	restore(asked: string, choice: { server: ServerEntry; uri: string }): Promise<void>
	unsubscribe(asked: string): Promise<void>
}

export type ListName = 'tools' | 'prompts' | 'resources'

/** The client to whom a subscription belongs, and how it is notified. */
export interface Subscriber {
	caller: Viewer
	readonly client: ClientProgram
	lists: ReadonlySet<ListName>
	notify(method: string, params: JsonObject): void
}

export interface StreamsOfGateway {
	subscriptionOf(session: ClientSession): ResourceSubscriptions
	has(sessionId: string): boolean
	open(
		session: ClientSession,
		response: ServerResponse,
		options: { lastEventId?: string; greeting?: string },
	): void
	send(sessionId: string, message: string): boolean
	responseOf(sessionId: string): ServerResponse | null
	connected(): Iterable<string>
	forward(serverId: string, sessionId: string | undefined, notification: RpcNotification): void
	announceList(serverId: string, name: 'prompts' | 'resources'): void
	close(sessionId: string): void
	listen(hearer: Subscriber, response: ServerResponse, end: () => void): ResourceSubscriptions
	recheck(): void
	heartbeat(): void
	tick(): void
	closeAll(): void
}

/** The tasks that run in this program: see `tasks/tasks.ts`. */
export interface TasksOfGateway {
	readonly store: TaskStore
	start(task: Task, call: string, release?: () => void): void
	/** Also sends the task's messages before its result to this answer, if the task runs here. */
	attach(taskId: string, reply: Reply): () => void
	/** Calls `notify` whenever the task may have changed. */
	watch(taskId: string, notify: () => void): () => void
}

/** What every part of the gateway depends on. */
export interface Gateway {
	enforcement: Enforcement
	/** Holds calls that need a person's approval. */
	approvals: ApprovalGate
	links: RefusalLinks
	limiter: Limiter
	upstreams: Upstreams
	/** Prompts, resources and templates of servers. */
	catalog: Catalog
	cursors: {
		write(operation: Operation, position: Position): string
		read(operation: Operation): Position | null
	}
	/** Serialized tool lists. */
	lists: KeptLists
	/** Rest of results that were too long for one answer. */
	keptResults: KeptResults
	/** Calls that continue without their clients. */
	tasks: TasksOfGateway
	calls: CallLog
	plainCalls: PlainCallsOfGateway
	/** Whether arguments and results of a workspace's tool calls are recorded, where a server does not say otherwise. */
	recordsToolContent(workspaceId: string): boolean
	running: RunningOperations
	sessions: SessionStore
	/** Calls whose HTTP requests were answered before they ran, so that the ingress no longer watches them. */
	posted: LiveRequests
	/** Input requests to legacy clients. */
	inputRequests: LegacyInputRequests
	/** Messages to and from other processes on the same store. */
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
	/** The path of Signalbox's public address, without a trailing slash. */
	basePath(): string
	/** Signalbox's version, for introductions and telemetry. */
	version: string
	/** Why the credential may no longer be used, or null. */
	stillValid(principal: Principal): Problem | null
	/** Why a call that has begun must end with its credential, or null. */
	mayFinish(principal: Principal): Problem | null
	noteSeen(agentId: string): void
	/** Whether the in-memory permissions are too old to be used. */
	isStale(): boolean
}
