import type { IncomingMessage } from 'node:http'
import type { Role } from '@signalbox/contract'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { MasterKeyRotation } from '../../platform/crypto/master-key-rotation.ts'
import type { PasswordHasher } from '../../platform/crypto/password-hasher.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import type { Log } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { Actor, Audit } from '../audit/audit.ts'
import type { Throttle } from './accounts/throttle/throttle.ts'
import type { SecretActivation } from './credentials/activate-secret.ts'
import type { IdentityConfig, Instance } from './instance/instance-view.ts'
import type { AccessTokens } from './sessions/access-tokens.ts'
import type { SessionCookies } from './sessions/cookies.ts'
import type { SigningKeys } from './sessions/signing-keys.ts'
import type { IdentityView } from './view.ts'

/** The dependencies of the identity area. */
export interface IdentityDependencies {
	store: ControlStore
	feed: ChangeFeed
	mutate: Mutate
	audit: Audit
	sealer: Sealer
	masterKey: MasterKeyRotation
	/** The instance's settings and the rights of workspaces. */
	instance: Instance
	/** For requests to sign-in providers. */
	safeFetch: SafeFetch
	clock: Clock
	log: Log
	config: IdentityConfig
	/** Base URL of links; its port is known once the main listener has one. */
	publicAddress(): string
	/** Memory for a password's hash; the recommended 46 MiB, unless a test that is not about hashing uses less. */
	passwordMemoryKib?: number | undefined
}

/** A membership has changed or ended. Passed on within its transaction, which began with `lockGroups`. */
export interface MembershipChange {
	workspaceId: string
	userId: string
	email: string
	/** The role that the person has now; null: they are no member any more. */
	role: Role | null
	/** The groups of agents that a sign-in provider gives to the person's own agent. */
	groups: { before: readonly string[]; after: readonly string[] }
	by: Actor
	requestId: string
}

export type OnMembership = (tx: DatabaseTransaction, change: MembershipChange) => Promise<void>

/** The context of all identity operations. */
export interface IdentityContext extends IdentityDependencies {
	view: IdentityView
	/** Listeners for changes of memberships. */
	onMembership: OnMembership[]
	hasher: PasswordHasher
	mailer: Mailer
	/** Work that continues after a response. */
	background: BackgroundWork
	throttle: Throttle
	signingKeys: SigningKeys
	accessTokens: AccessTokens
	activation: SecretActivation
	cookies: SessionCookies
}

/** Work that continues after a response. Failures are logged; `close` waits for running work. */
export class BackgroundWork {
	readonly #log: Log
	readonly #running = new Set<Promise<void>>()

	constructor(log: Log) {
		this.#log = log
	}

	/** Starts after `delayMs`, so that its duration does not affect the response time. */
	run(name: string, work: () => Promise<void>, delayMs = 0): void {
		const running: Promise<void> = new Promise((resolve) => setTimeout(resolve, delayMs))
			.then(work)
			.catch((error: unknown) => this.#log.error({ err: error }, `identity: ${name} failed`))
			.finally(() => this.#running.delete(running))
		this.#running.add(running)
	}

	async close(): Promise<void> {
		while (this.#running.size > 0) await Promise.all(this.#running)
	}
}

/** The origin of a sign-in. */
export interface Caller {
	address: string
	userAgent: string
	requestId: string
}

export function callerOf(request: IncomingMessage, context: RequestContext): Caller {
	return {
		address: context.clientAddress,
		userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
		requestId: context.requestId,
	}
}
