import type { OnDisconnect, ProblemCode, Role, Scope } from '@signalbox/contract'
import { Problem } from '../errors.ts'

/** Which of a rotated credential's secrets was sent; absent where nothing was sent. */
interface Presented {
	fingerprint?: string
}

/** Who is calling, as `authenticate` found it. Always inside one workspace. */
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
	/** What becomes of model calls whose client leaves; absent: they are aborted. */
	onDisconnect?: OnDisconnect
}

export interface AgentPrincipal extends Presented {
	kind: 'agent_key'
	keyId: string
	name: string
	workspaceId: string
	agentId: string
	scopes: ReadonlySet<Scope>
	/** What becomes of model calls whose client leaves; absent: they are aborted. */
	onDisconnect?: OnDisconnect
	/** The person whose client this is, where the credential is an OAuth access token; `name` names the client. */
	delegatedBy?: { userId: string; email: string }
}

export interface IngestPrincipal extends Presented {
	kind: 'ingest_token'
	keyId: string
	name: string
	workspaceId: string
}

/** A refusal of somebody who is known, thrown by `authenticate`: the audit log names them. */
export class CallerRefused extends Problem {
	readonly principal: Principal

	constructor(principal: Principal, code: ProblemCode, detail: string) {
		super(code, detail)
		this.principal = principal
	}
}
