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
import type { ControlStore, DatabaseTransaction } from '../platform/database/index.ts'
import { notFound } from '../platform/errors.ts'
import { type Principal, principalIn, type RequestContext } from '../platform/http/index.ts'
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
	/** Whose grants judge it; null: the manager's own call. */
	agentId: string | null
	/** Continues a trace, if it names one. */
	request: IncomingMessage
	guard: RequestContext['guard']
}

export type ToolCallOutcome = OutputOf<(typeof serverOperations)['callTool']>

/** What of a server its token depends on. */
export type OauthServer = Pick<ServerEntry, 'id' | 'name' | 'url'>

/** What every verb of servers works with. */
export interface ServerContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	sealer: Sealer
	clock: Clock
	log: Log
	safeFetch: SafeFetch
	/** Where the programs of stdio servers run. */
	programs: Programs
	/** Leads to programs for checks of their health. */
	probes: Dispatcher
	/** The grants on a server; access-grants knows them, and imports this area. */
	accessOf(workspaceId: string, serverId: string): Promise<AccessGrantList>
	/** A token that the platform got by OAuth, for checks of health and tools; rejects when a person has to agree first. */
	credentialForChecks?(server: OauthServer): Promise<Readonly<Record<string, string>> | null>
	jobs: Jobs
	/** Whether an operator lets the workspace register programs. */
	mayRunPrograms(workspaceId: string): boolean
	agents: { get(agentId: string): { workspaceId: string } | undefined }
	/** The gateway's way of a call, which imports this area. */
	callTool(call: ToolCall): Promise<ToolCallOutcome>
	/** The address under which clients reach us, without a slash at the end. */
	publicAddress(): string
	/** Between two checks of one server. */
	checkIntervalMs: number
	/** Ends checks that run when the program stops. */
	ending: AbortSignal
}

/** Who asks, and in which request. */
export interface Caller {
	workspaceId: string
	actor: Actor
	requestId: string
	/** A person whose role may accept a program without a sandbox. */
	isOwner: boolean
	/** People who may change servers; a key only with a scope of its own, which no key has by default. */
	mayChangePrograms: boolean
}

export function callerOf(request: RequestContext): Caller {
	const principal = principalIn(request)
	const { workspaceId, kind } = principal
	return {
		...{ workspaceId, actor: actorOf(principal), requestId: request.requestId },
		isOwner: kind === 'user' && roleHas(principal.role, 'programs:run-without-sandbox'),
		mayChangePrograms: kind === 'user' || (kind === 'platform_key' && principal.scopes.has('programs:write')),
	}
}

/** A server of the workspace, or the 404 that also stands for malformed ids and other workspaces. */
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
