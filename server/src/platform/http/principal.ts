import type { OnDisconnect, ProblemCode, Role, Scope } from '@signalbox/contract'
import { Problem } from '../errors.ts'

/** Which secret of a rotated credential was sent; absent if none was. */
interface Presented {
	fingerprint?: string
}

/** The caller as identified by `authenticate`. Always within one workspace. */
export type Principal = UserPrincipal | KeyPrincipal | AgentPrincipal | IngestPrincipal

export interface UserPrincipal {
	kind: 'user'
	userId: string
	email: string
	workspaceId: string
	role: Role
	operator: boolean
	sessionId: string
}

export interface KeyPrincipal extends Presented {
	kind: 'platform_key'
	keyId: string
	name: string
	workspaceId: string
	scopes: ReadonlySet<Scope>
	/** What happens to model calls whose client disconnects; by default they are aborted. */
	onDisconnect?: OnDisconnect
}

export interface AgentPrincipal extends Presented {
	kind: 'agent_key'
	keyId: string
	name: string
	workspaceId: string
	agentId: string
	scopes: ReadonlySet<Scope>
	/** What happens to model calls whose client disconnects; by default they are aborted. */
	onDisconnect?: OnDisconnect
	/** The person whose client this is if the credential is an OAuth access token; `name` is the client's. */
	delegatedBy?: { userId: string; email: string }
}

export interface IngestPrincipal extends Presented {
	kind: 'ingest_token'
	keyId: string
	name: string
	workspaceId: string
}

/** A refusal of a known caller, thrown by `authenticate`; the audit log names the caller. */
export class CallerRefused extends Problem {
	readonly principal: Principal

	constructor(principal: Principal, code: ProblemCode, detail: string) {
		super(code, detail)
		this.principal = principal
	}
}
