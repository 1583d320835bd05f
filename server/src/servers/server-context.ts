import type { IncomingMessage } from 'node:http'
import {
	type accessGrantOperations,
	type OutputOf,
	roleHas,
	type serverOperations,
} from '@signalbox/contract'
import type { Dispatcher } from 'undici'
import { type Actor, type Audit, actorOf } from '../accounts/audit/audit.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../platform/database/database.ts'
import { notFound } from '../platform/errors.ts'
import type { Principal } from '../platform/http/principal.ts'
import { principalIn, type RequestContext } from '../platform/http/route.ts'
import type { Jobs } from '../platform/jobs/job.ts'
import type { Log } from '../platform/log.ts'
import type { Mutate } from '../platform/mutation.ts'
import type { SafeFetch } from '../platform/safe-fetch.ts'
import type { Programs } from './programs/index.ts'
import type { ServerEntry } from './server-entry.ts'
import { findServer, type ServerRow } from './server-repository.ts'

export type AccessGrantList = OutputOf<(typeof accessGrantOperations)['list']>['access']

/** A tool call of the playground, for the gateway. */
export interface ToolCall {
	principal: Principal
	serverId: string
	tool: string
	arguments: Record<string, unknown>
	/** The agent whose grants apply; null: the manager's own call. */
	agentId: string | null
	/** Its trace is continued, if it has one. */
	request: IncomingMessage
	guard: RequestContext['guard']
}

export type ToolCallOutcome = OutputOf<(typeof serverOperations)['callTool']>

/** The parts of a server on which its token depends. */
export type OauthServer = Pick<ServerEntry, 'id' | 'name' | 'url'>

/** The context of all operations on servers. */
export interface ServerContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	sealer: Sealer
	clock: Clock
	log: Log
	safeFetch: SafeFetch
	/** Runs the programs of stdio servers. */
	programs: Programs
	/** Reaches programs for health checks. */
	probes: Dispatcher
	/** The grants on a server. The access area provides them, since it imports this area. */
	accessOf(workspaceId: string, serverId: string): Promise<AccessGrantList>
	/** An OAuth token of the platform, for checks of health and tools; rejects if a person has to consent first. */
	credentialForChecks?(server: OauthServer): Promise<Readonly<Record<string, string>> | null>
	jobs: Jobs
	/** Whether an operator allows the workspace to register programs. */
	mayRunPrograms(workspaceId: string): boolean
	agents: { get(agentId: string): { workspaceId: string } | undefined }
	/** Calls a tool through the gateway, which imports this area. */
	callTool(call: ToolCall): Promise<ToolCallOutcome>
	/** The URL under which clients reach us, without a trailing slash. */
	publicAddress(): string
	/** Time between two checks of one server. */
	checkIntervalMs: number
	/** Aborted when the program stops; ends running checks. */
	ending: AbortSignal
}

/** The caller, and the id of the request. */
export interface Caller {
	workspaceId: string
	actor: Actor
	requestId: string
	/** A person whose role may accept a program that runs without a sandbox. */
	isOwner: boolean
	/** True for people who may change servers; for a key only with a special scope, which no key has by default. */
	mayChangePrograms: boolean
}

export function callerOf(request: RequestContext): Caller {
	const principal = principalIn(request)
	const { workspaceId, kind } = principal
	return {
		...{ workspaceId, actor: actorOf(principal), requestId: request.requestId },
		isOwner: kind === 'user' && roleHas(principal.role, 'programs:run-without-sandbox'),
		mayChangePrograms:
			(kind === 'user' && roleHas(principal.role, 'programs:write')) ||
			(kind === 'platform_key' && principal.scopes.has('programs:write')),
	}
}

/** A server of the workspace; 404 for unknown and malformed ids and for other workspaces. */
export async function serverOrNotFound(
	db: Parameters<typeof findServer>[0],
	workspaceId: string,
	id: string,
): Promise<ServerRow> {
	const row = await findServer(db, workspaceId, id)
	if (!row) throw notFound('MCP server')
	return row
}

export function recordChange(
	tx: DatabaseTransaction,
	{ audit }: ServerContext,
	caller: Caller,
	action: string,
	{ id, name }: { id: string; name: string },
	detail: Record<string, unknown>,
): Promise<void> {
	const { workspaceId, actor, requestId } = caller
	return audit.record(tx, {
		workspaceId,
		actor,
		requestId,
		action,
		target: { kind: 'mcp_server', id, name },
		detail,
	})
}
