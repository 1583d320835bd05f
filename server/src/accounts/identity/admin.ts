import { defaultKeyScopes, type Scope, scopes } from '@signalbox/contract'
import { appendChange, lockNumbering } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import { PasswordHasher } from '../../platform/crypto/password-hasher.ts'
import { type ControlStore, transact } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { type Actor, type Audit, systemActor } from '../audit/audit.ts'
import {
	findUserByEmail,
	findWorkspace,
	listMemberships,
	setPassword,
} from './accounts/account-repository.ts'
import { normaliseEmail } from './accounts/new-account.ts'
import { refuseWeakPassword } from './accounts/password-rules.ts'
import { endTokens } from './accounts/tokens/account-tokens.ts'
import { type CreatedCredential, createCredential } from './credentials/create-credential.ts'
import { familyOf } from './credentials/credential-entry.ts'
import { findCredentialForView } from './credentials/credential-repository.ts'
import { endCredential } from './credentials/credential-routes.ts'
import { countOperators, listOperators, setOperator } from './instance/instance-repository.ts'
import { endAllSessions } from './sessions/end-session.ts'
import { addSetupToken, setupUrl } from './setup/headless-start.ts'

export interface NewKey {
	/** Name or id; `default` if absent. */
	workspace: string | undefined
	name: string
	/** Scopes, or `all`; the default ones if absent. */
	scopes: readonly string[] | undefined
	agentId: string | undefined
	ingest: boolean
	expiresAtMs: number | null
}

/** Actions for people with access to the machine, without signing in; each is recorded in the audit log. */
export interface IdentityAdmin {
	/** Sets a password and signs the person out everywhere. Throws `not_found`, `weak_password`. */
	resetPassword(email: string, password: string): Promise<void>
	/** A single-use link that creates an operator, valid for 15 minutes. */
	createLink(baseUrl: string): Promise<string>
	/** Grants or revokes the operator role; false if nothing changed. Throws `not_found`, `last_operator`. */
	changeOperator(email: string, operator: boolean): Promise<boolean>
	listOperators(): Promise<{ id: string; email: string; name: string }[]>
	createKey(wanted: NewKey): Promise<CreatedCredential>
	/** Revokes a key or ingest token of any workspace. */
	revokeKey(id: string): Promise<void>
}

interface AdminContext {
	store: ControlStore
	audit: Audit
	clock: Clock
	mutate: Mutate
	actor: Actor
}

export function openIdentityAdmin(dependencies: {
	store: ControlStore
	audit: Audit
	clock: Clock
}): IdentityAdmin {
	// Running programs detect the change by watching the store; the command line has no views.
	const mutate: Mutate = (work) => transact(dependencies.store.db, work)
	const context: AdminContext = { ...dependencies, mutate, actor: systemActor('command line') }
	return {
		resetPassword: (email, password) => resetPassword(context, email, password),
		createLink: async (baseUrl) => setupUrl(baseUrl, await addSetupToken(context)),
		changeOperator: (email, operator) => changeOperator(context, email, operator),
		listOperators: () => listOperators(dependencies.store.db, { page: 1, limit: 1000, order: 'asc' }),
		createKey: (wanted) => createKey(context, wanted),
		revokeKey: (id) => revokeKey(context, id),
	}
}

async function resetPassword(context: AdminContext, email: string, password: string): Promise<void> {
	const { store, mutate, audit, clock, actor } = context
	const address = normaliseEmail(email)
	const user = await findUserByEmail(store.db, address)
	if (!user) throw notFound(`person as ${address}`)
	refuseWeakPassword(password, address)
	const hash = await hashOnce(password)
	const [first] = await listMemberships(store.db, user.id)
	const target = { kind: 'user', id: user.id, name: user.email }
	await mutate(async (tx) => {
		await setPassword(tx, user.id, hash, clock.nowMs())
		await endTokens(context, tx, user.id, 'reset')
		const entry = {
			workspaceId: first?.id ?? '',
			actor,
			action: 'auth.reset_password',
			target,
			requestId: null,
		}
		await audit.record(tx, entry)
		await endAllSessions(context, tx, user.id, { ...entry, action: 'auth.revoke_session' })
		await appendChange(tx, 'user', user.id, clock)
	})
}

async function hashOnce(password: string): Promise<string> {
	const hasher = new PasswordHasher()
	try {
		return await hasher.hash(password)
	} finally {
		await hasher.close()
	}
}

async function createKey(context: AdminContext, wanted: NewKey): Promise<CreatedCredential> {
	const workspace = await findWorkspace(context.store.db, wanted.workspace ?? 'default')
	if (!workspace) throw notFound(`workspace as ${wanted.workspace ?? 'default'}`)
	const { name, expiresAtMs, agentId } = wanted
	const given = { ...(wanted.scopes && { scopes: toScopes(wanted.scopes) }) }
	const owner = { workspaceId: workspace.id, name, expiresAtMs, by: context.actor, requestId: null }
	return context.mutate((tx) => {
		if (wanted.ingest) return createCredential(context, tx, { ...owner, kind: 'ingest' })
		if (agentId) return createCredential(context, tx, { ...owner, ...given, kind: 'agent', agentId })
		return createCredential(context, tx, { ...owner, kind: 'platform', scopes: defaultKeyScopes, ...given })
	})
}

function toScopes(names: readonly string[]): readonly Scope[] {
	if (names.includes('all')) return scopes
	const unknown = names.filter((name) => !scopes.includes(name as Scope))
	if (unknown.length > 0)
		throw new Problem(
			'invalid_request',
			`There is no scope ${unknown.join(', ')}; there are ${scopes.join(', ')}.`,
		)
	return names as Scope[]
}

async function revokeKey(context: AdminContext, id: string): Promise<void> {
	const row = await findCredentialForView(context.store.db, id)
	if (!row) throw notFound('key')
	await endCredential(context, {
		workspaceId: row.workspace_id,
		id,
		family: familyOf(row.kind),
		by: context.actor,
		requestId: null,
	})
}

interface OperatorContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
	actor: Actor
}

/** Grants or revokes the operator role; false if nothing changed. Throws `not_found`, `last_operator`. */
async function changeOperator(
	{ mutate, audit, clock, actor }: OperatorContext,
	email: string,
	operator: boolean,
): Promise<boolean> {
	const address = normaliseEmail(email)
	return mutate(async (tx) => {
		await lockNumbering(tx)
		const user = await findUserByEmail(tx, address)
		if (!user) throw notFound(`person as ${address}`)
		if ((user.operator === 1) === operator) return false
		if (!operator && (await countOperators(tx)) === 1) throw new Problem('last_operator')
		await setOperator(tx, user.id, operator, clock.nowMs())
		const [first] = await listMemberships(tx, user.id)
		await audit.record(tx, {
			workspaceId: first?.id ?? '',
			actor,
			action: operator ? 'instance.grant_operator' : 'instance.revoke_operator',
			target: { kind: 'user', id: user.id, name: user.email },
			detail: { operator: { before: !operator, after: operator } },
			requestId: null,
		})
		await appendChange(tx, 'user', user.id, clock)
		return true
	})
}
