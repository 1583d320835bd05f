import { isDeepStrictEqual } from 'node:util'
import {
	defaultKeyScopes,
	ingestTokenOperations,
	keyOperations,
	type OnDisconnect,
	type Scope,
} from '@signalbox/contract'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import type { Principal } from '../../../platform/http/principal.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { paginate } from '../../../platform/paging.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import { type Actor, actorOf } from '../../audit/audit.ts'
import type { IdentityContext } from '../identity-context.ts'
import { createCredential, newSecretOf, storedSecret, toActor } from './create-credential.ts'
import { type CredentialFamily, keyFamily, tokenFamily } from './credential-entry.ts'
import {
	type CredentialKindName,
	type CredentialRow,
	findCredential,
	listCredentials,
	revokeCredential,
	updateCredential,
} from './credential-repository.ts'
import {
	type Bounds,
	boundsIn,
	boundsOf,
	expiryOf,
	plainNetworks,
	refuseToSpend,
	requireWithin,
	scopesFor,
} from './credential-rules.ts'
import { listKeys, presentAsRead, presentCredential, presentKey, statusOf } from './present-credential.ts'

interface CredentialUpdate {
	name?: string
	scopes?: readonly Scope[]
	expires_at?: string | null
	allowed_addresses?: readonly string[] | null
	on_disconnect?: OnDisconnect
}

const readOnly = ['id', 'prefix', 'last4', 'status', 'created_at', 'last_used_at', 'rotation', 'agent_uuid']

/** Changes the rights and allowed addresses of a credential. A key cannot change one with more rights than itself. */
function editCredential(
	context: Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>,
	change: CredentialChange,
	body: CredentialUpdate,
): Promise<CredentialRow> {
	return changeCredential(context, change, async (before, nowMs, tx): Promise<Decision> => {
		const current = presentKey(before, nowMs)
		requireUnchanged(presentAsRead(before, nowMs))
		refuseChanged(body, current, readOnly, ['last_used_at'])
		const scopes = body.scopes ? scopesFor(before.kind as CredentialKindName, body.scopes) : current.scopes
		const columns = {
			name: body.name ?? before.name,
			scopes: JSON.stringify(scopes),
			expires_at: newExpiry(before, body.expires_at, nowMs),
			allowed_addresses: newAddresses(before, body.allowed_addresses),
			on_disconnect: body.on_disconnect ?? before.on_disconnect,
		}
		const own = await boundsOf(tx, change.by)
		const after = boundsIn({ ...before, ...columns })
		if (own && 'keyId' in change.by && change.by.keyId === before.id) refuseOwnBounds(boundsIn(before), after)
		requireWithin(own, boundsIn(before))
		requireWithin(own, after)
		await refuseToSpend(tx, change.by, { id: before.id, scopes })
		return { columns, verb: 'update', detail: toDetail(columns) }
	})
}

/** Somebody else chose these limits for the holder of the key, so the key cannot change its own. */
function refuseOwnBounds(before: Bounds, after: Bounds): void {
	const sorted = ({ scopes, ...rest }: Bounds) => ({ ...rest, scopes: [...scopes].sort() })
	if (!isDeepStrictEqual(sorted(before), sorted(after)))
		throw new Problem('forbidden', 'No key changes its own expiry, addresses or scopes: ask whoever made it.')
}

/** A past time may be sent back unchanged; a new one must be in the future. */
function newExpiry(before: CredentialRow, given: string | null | undefined, nowMs: number): number | null {
	if (given === undefined) return before.expires_at
	if (given !== null && Date.parse(given) === before.expires_at) return before.expires_at
	return expiryOf(given, nowMs)
}

function newAddresses(before: CredentialRow, given: readonly string[] | null | undefined): string | null {
	if (given === undefined) return before.allowed_addresses
	return given === null ? null : JSON.stringify(plainNetworks(given))
}

function toDetail(
	row: Pick<CredentialRow, 'name' | 'scopes' | 'expires_at' | 'allowed_addresses' | 'on_disconnect'>,
) {
	return {
		...(row.on_disconnect && { on_disconnect: row.on_disconnect }),
		name: row.name,
		scopes: JSON.parse(row.scopes) as string[],
		expires_at: row.expires_at === null ? null : toIso(row.expires_at),
		allowed_addresses:
			row.allowed_addresses === null ? null : (JSON.parse(row.allowed_addresses) as string[]),
	}
}

type Context = Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>

const defaultGraceS = 86_400

/**
 * Gives a credential a second secret, replacing one that is still waiting. Both are valid until the first use of the new one starts
 * the grace period of the old one; see `activate-secret.ts`.
 */
async function rotateCredential(
	context: Context,
	change: CredentialChange,
	graceS: number,
): Promise<{ row: CredentialRow; secret: string }> {
	let secret = ''
	const row = await changeCredential(context, change, async (before, nowMs, tx) => {
		refuseEnded(change.family, before, nowMs)
		const bounds = boundsIn(before)
		requireWithin(await boundsOf(tx, change.by), bounds)
		await refuseToSpend(tx, change.by, { id: before.id, scopes: bounds.scopes })
		secret = newSecretOf(before.kind as CredentialKindName)
		const { hash, prefix, last4 } = storedSecret(secret)
		const columns = {
			next_hash: hash,
			next_prefix: prefix,
			next_last4: last4,
			next_created_at: nowMs,
			next_grace_ms: graceS * 1000,
		}
		const detail = { grace_s: graceS, last4, replaced_pending: before.next_hash !== null }
		return { columns, verb: 'rotate', detail }
	})
	return { row, secret }
}

/** Withdraws a new secret that has not been used. Throws `conflict` if there is none. */
async function cancelRotation(context: Context, change: CredentialChange): Promise<void> {
	await changeCredential(context, change, (before) => {
		if (before.next_hash === null)
			throw new Problem('conflict', 'There is no new secret that waits for its first use.')
		const columns = {
			next_hash: null,
			next_prefix: null,
			next_last4: null,
			next_created_at: null,
			next_grace_ms: null,
		}
		return { columns, verb: 'cancel-rotation', detail: { last4: before.next_last4 } }
	})
}

export function credentialRoutes(context: IdentityContext): BoundOperation[] {
	return [
		...bind(keyOperations, keyHandlers(context)),
		...bind(ingestTokenOperations, tokenHandlers(context)),
	]
}

type KeyHandlers = Parameters<typeof bind<typeof keyOperations>>[1]
type TokenHandlers = Parameters<typeof bind<typeof ingestTokenOperations>>[1]

function keyHandlers(context: IdentityContext): KeyHandlers {
	const { store, clock, mutate } = context
	const shown = (row: Parameters<typeof presentKey>[0]) => presentKey(row, clock.nowMs())
	return {
		list: ({ query, context: request }) => listKeys(context, principalIn(request).workspaceId, query),
		create: async ({ body, context: request }) => {
			const owner =
				body.agent_uuid === undefined
					? { kind: 'platform' as const, scopes: body.scopes ?? defaultKeyScopes }
					: { kind: 'agent' as const, agentId: body.agent_uuid, ...(body.scopes && { scopes: body.scopes }) }
			const policy = body.on_disconnect && { onDisconnect: body.on_disconnect }
			const wanted = { ...owner, ...policy, ...wantedBy(body, request) }
			const created = await mutate((tx) => createCredential(context, tx, wanted))
			return { ...created.fields, key: created.secret }
		},
		get: async ({ params, context: request }) =>
			shown(await credentialOrNotFound(store.db, principalIn(request).workspaceId, keyFamily, params.id)),
		update: async ({ params, body, context: request }) =>
			shown(await editCredential(context, changeOf(keyFamily, params.id, request), body)),
		rotate: async ({ params, body, context: request }) => {
			const change = changeOf(keyFamily, params.id, request)
			const { row, secret } = await rotateCredential(context, change, body?.grace_s ?? defaultGraceS)
			return { ...shown(row), key: secret }
		},
		...endingHandlers(context, keyFamily),
	}
}

function tokenHandlers(context: IdentityContext): TokenHandlers {
	const { store, clock, mutate } = context
	const shown = (row: Parameters<typeof presentCredential>[0]) => presentCredential(row, clock.nowMs())
	return {
		list: async ({ query, context: request }) => {
			const filter = { kinds: tokenFamily.kinds, agentId: null, status: query.status }
			const { workspaceId } = principalIn(request)
			const { rows, total } = await listCredentials(store.db, workspaceId, filter, query, clock.nowMs())
			return { ingest_tokens: rows.map(shown), pagination: paginate(query, total) }
		},
		create: async ({ body, context: request }) => {
			const wanted = { kind: 'ingest' as const, ...wantedBy(body, request) }
			const { fields, secret } = await mutate((tx) => createCredential(context, tx, wanted))
			const { scopes: _none, agent_uuid: _nobody, ...token } = fields
			return { ...token, token: secret }
		},
		get: async ({ params, context: request }) =>
			shown(await credentialOrNotFound(store.db, principalIn(request).workspaceId, tokenFamily, params.id)),
		update: async ({ params, body, context: request }) =>
			shown(await editCredential(context, changeOf(tokenFamily, params.id, request), body)),
		rotate: async ({ params, body, context: request }) => {
			const change = changeOf(tokenFamily, params.id, request)
			const { row, secret } = await rotateCredential(context, change, body?.grace_s ?? defaultGraceS)
			return { ...shown(row), token: secret }
		},
		...endingHandlers(context, tokenFamily),
	}
}

/** Handlers of both families that return no secret. */
function endingHandlers(context: IdentityContext, family: CredentialFamily) {
	type Ending = (input: { params: { id: string }; context: RequestContext }) => Promise<undefined>
	const cancel: Ending = async ({ params, context: request }) => {
		await cancelRotation(context, changeOf(family, params.id, request))
		return undefined
	}
	const revoke: Ending = async ({ params, context: request }) => {
		const { workspaceId } = principalIn(request)
		await endCredential(context, { workspaceId, ...changeOf(family, params.id, request) })
		return undefined
	}
	return { cancelRotation: cancel, revoke }
}

function changeOf(family: CredentialFamily, id: string, request: RequestContext): CredentialChange {
	return { family, id, by: principalIn(request), requestId: request.requestId }
}

interface CommonInput {
	name: string
	expires_at?: string | null
	allowed_addresses?: string[] | null
}

function wantedBy({ name, expires_at, allowed_addresses }: CommonInput, request: RequestContext) {
	const by = principalIn(request)
	return {
		name,
		expiresAtMs: typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at,
		allowedAddresses: allowed_addresses,
		workspaceId: by.workspaceId,
		by,
		requestId: request.requestId,
	}
}

/** Who changes which credential, and the id of the request. */
interface CredentialChange {
	family: CredentialFamily
	id: string
	by: Principal
	requestId: string
}

/** The outcome of a change: the new columns, and the action and detail for the audit log. */
interface Decision {
	columns: Partial<CredentialRow>
	verb: string
	detail: Record<string, unknown>
}

/**
 * Changes an active credential in one transaction: rows, audit record, change-feed line. Returns its new state. Throws `not_found`,
 * and `conflict` if it was revoked.
 */
function changeCredential(
	{ mutate, audit, clock }: Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>,
	{ family, id, by, requestId }: CredentialChange,
	decide: (before: CredentialRow, nowMs: number, tx: DatabaseTransaction) => Decision | Promise<Decision>,
): Promise<CredentialRow> {
	const { workspaceId } = by
	return mutate(async (tx) => {
		const before = await credentialOrNotFound(tx, workspaceId, family, id)
		const nowMs = clock.nowMs()
		if (before.revoked_at !== null) throw endedAlready(family, 'revoked')
		const { columns, verb, detail } = await decide(before, nowMs, tx)
		if (!(await updateCredential(tx, workspaceId, id, columns))) throw endedAlready(family, 'revoked')
		const row = { ...before, ...columns }
		const target = { kind: family.target, id, name: row.name }
		const entry = { workspaceId, actor: actorOf(by), action: `${family.area}.${verb}`, target, detail }
		await audit.record(tx, { ...entry, requestId })
		await appendChange(tx, 'credential', id, clock)
		return row
	})
}

async function credentialOrNotFound(
	tx: DatabaseTransaction | IdentityContext['store']['db'],
	workspaceId: string,
	family: CredentialFamily,
	id: string,
): Promise<CredentialRow> {
	const row = await findCredential(tx, workspaceId, family.kinds, id)
	if (!row) throw notFound(family.noun)
	return row
}

/** A new secret for an invalid credential would be useless. */
function refuseEnded(family: CredentialFamily, row: CredentialRow, nowMs: number): void {
	const status = statusOf(row, nowMs)
	if (status !== 'active') throw endedAlready(family, status)
}

function endedAlready(family: CredentialFamily, status: 'revoked' | 'expired'): Problem {
	const remedy = status === 'expired' ? 'Give it a later expires_at first.' : 'Create a new one.'
	return new Problem('conflict', `The ${family.noun} is ${status}. ${remedy}`)
}

interface Revocation {
	workspaceId: string
	id: string
	family: CredentialFamily
	by: Principal | Actor
	requestId: string | null
}

/** Revokes a credential permanently; idempotent. 404 if the workspace has none with this id and kind. */
export async function endCredential(
	{ mutate, audit, clock }: Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>,
	{ workspaceId, id, family, by, requestId }: Revocation,
): Promise<void> {
	const { kinds, area, target, noun } = family
	await mutate(async (tx) => {
		const before = await findCredential(tx, workspaceId, kinds, id)
		if (!before) throw notFound(noun)
		requireUnchanged(presentAsRead(before, clock.nowMs()))
		const revoked = await revokeCredential(tx, workspaceId, kinds, id, clock.nowMs())
		if (!revoked) return
		const named = { kind: target, id, name: revoked.name }
		const entry = { workspaceId, actor: toActor(by), action: `${area}.revoke`, target: named, requestId }
		await audit.record(tx, entry)
		await appendChange(tx, 'credential', id, clock)
	})
}
