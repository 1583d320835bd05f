import type { Role } from '@signalbox/contract'
import type { ChangeKind, View } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { findUser, listRoles, listUsers, type UserRow } from './accounts/account-repository.ts'
import { type CredentialEntry, type KnownSecret, toCredentialEntry } from './credentials/credential-entry.ts'
import { findCredentialForView, listUsableCredentials } from './credentials/credential-repository.ts'
import { findSession, listLiveSessions, type SessionRow } from './sessions/session-repository.ts'

interface UserEntry {
	id: string
	email: string
	operator: boolean
	/** Workspace id → role. */
	roles: ReadonlyMap<string, Role>
}

interface SessionEntry {
	userId: string
	expiresAtMs: number
	revoked: boolean
}

/** All callers, in memory, so that the data plane needs no read of a store for a known credential. */
export class IdentityView implements View {
	readonly kinds: readonly ChangeKind[] = ['credential', 'session', 'user', 'agent']
	readonly #store: ControlStore
	readonly #clock: Clock
	#byHash = new Map<string, KnownSecret>()
	#byId = new Map<string, CredentialEntry>()
	#sessions = new Map<string, SessionEntry>()
	#users = new Map<string, UserEntry>()

	constructor(store: ControlStore, clock: Clock) {
		this.#store = store
		this.#clock = clock
	}

	secretByHash(hash: string): KnownSecret | undefined {
		return this.#byHash.get(hash)
	}

	credential(id: string): CredentialEntry | undefined {
		return this.#byId.get(id)
	}

	session(id: string): SessionEntry | undefined {
		return this.#sessions.get(id)
	}

	user(id: string): UserEntry | undefined {
		return this.#users.get(id)
	}

	/** A member of a workspace with their role, by id or e-mail address. */
	member(workspaceId: string, who: { userId: string } | { email: string }) {
		const user =
			'userId' in who
				? this.#users.get(who.userId)
				: [...this.#users.values()].find(({ email }) => email.toLowerCase() === who.email.toLowerCase())
		const role = user?.roles.get(workspaceId)
		return user && role ? { userId: user.id, email: user.email, workspaceId, role } : null
	}

	async load(): Promise<void> {
		const { db } = this.#store
		// What has expired only by a doubted clock is valid again when the clock is set right.
		const beforeMs = this.#clock.deletionMs()
		const [credentials, sessions, users, roles] = await Promise.all([
			listUsableCredentials(db, beforeMs),
			listLiveSessions(db, null, beforeMs),
			listUsers(db),
			listRoles(db, null),
		])
		const entries = credentials.map(toCredentialEntry)
		const rolesOf = Map.groupBy(roles, (role) => role.user_id)
		this.#byHash = new Map(entries.flatMap(({ secrets }) => secrets.map((secret) => [secret.hash, secret])))
		this.#byId = new Map(entries.map((entry) => [entry.id, entry]))
		this.#sessions = new Map(sessions.map((row) => [row.id, toSessionEntry(row)]))
		this.#users = new Map(users.map((row) => [row.id, toUserEntry(row, rolesOf.get(row.id) ?? [])]))
	}

	async apply(kind: ChangeKind, id: string): Promise<void> {
		if (kind === 'credential') await this.#readCredential(id)
		if (kind === 'session') await this.#readSession(id)
		if (kind === 'user') await this.#readUser(id)
		if (kind === 'agent') await this.#readKeysOf(id)
	}

	/** A revoked credential is kept, so that its owner is told so without a read. */
	async #readCredential(id: string): Promise<void> {
		const row = await findCredentialForView(this.#store.db, id)
		for (const { hash } of this.#byId.get(id)?.secrets ?? []) this.#byHash.delete(hash)
		this.#byId.delete(id)
		if (!row) return
		const entry = toCredentialEntry(row)
		for (const secret of entry.secrets) this.#byHash.set(secret.hash, secret)
		this.#byId.set(id, entry)
	}

	/** The keys of a removed agent were deleted with it, without change-feed entries of their own. */
	async #readKeysOf(agentId: string): Promise<void> {
		const keys = [...this.#byId.values()].filter((entry) => entry.agentId === agentId)
		for (const key of keys) await this.#readCredential(key.id)
	}

	async #readSession(id: string): Promise<void> {
		const row = await findSession(this.#store.db, id)
		if (row) this.#sessions.set(id, toSessionEntry(row))
		else this.#sessions.delete(id)
	}

	async #readUser(id: string): Promise<void> {
		const row = await findUser(this.#store.db, id)
		if (row) this.#users.set(id, toUserEntry(row, await listRoles(this.#store.db, id)))
		else this.#users.delete(id)
	}
}

function toSessionEntry(row: SessionRow): SessionEntry {
	return { userId: row.user_id, expiresAtMs: row.expires_at, revoked: row.revoked_at !== null }
}

function toUserEntry(
	row: Pick<UserRow, 'id' | 'email' | 'operator'>,
	roles: { workspace_id: string; role: string }[],
): UserEntry {
	return {
		id: row.id,
		email: row.email,
		operator: row.operator === 1,
		roles: new Map(roles.map(({ workspace_id, role }) => [workspace_id, role as Role])),
	}
}
