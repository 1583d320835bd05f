import { type OnDisconnect, type Scope, tokenPrefixes } from '@signalbox/contract'
import { appendChange } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import { hashToken, newToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { notFound } from '../../../platform/errors.ts'
import type { Principal } from '../../../platform/http/principal.ts'
import { newId } from '../../../platform/ids.ts'
import { type Actor, actorOf } from '../../audit/audit.ts'
import type { IdentityContext } from '../identity-context.ts'
import {
	type CredentialKindName,
	type CredentialRow,
	hasAgent,
	insertCredential,
	neverRotated,
} from './credential-repository.ts'
import {
	boundsOf,
	plainNetworks,
	refuseToSpend,
	requireFuture,
	requireWithin,
	scopesFor,
} from './credential-rules.ts'
import { presentKey } from './present-credential.ts'

export interface NewCredential {
	workspaceId: string
	kind: CredentialKindName
	name: string
	/** Ignored for ingest tokens. For agent keys the default is all scopes that they can have. */
	scopes?: readonly Scope[]
	/** The agent that an agent key acts as; it must belong to the workspace. */
	agentId?: string | null
	/** Null: does not expire. Absent: as the creating key, or never. */
	expiresAtMs?: number | null | undefined
	/** Addresses and networks from which calls may come; null: from anywhere. Absent: as the creating key, or from anywhere. */
	allowedAddresses?: readonly string[] | null | undefined
	/** What happens to model calls whose client disconnects; `abort` by default. */
	onDisconnect?: OnDisconnect
	/** Who creates it; a key cannot create anything less limited than itself. */
	by: Principal | Actor
	requestId: string | null
	/** A secret in the right format that was generated elsewhere (headless first start). */
	secret?: string
}

export interface CreatedCredential {
	id: string
	/** The only copy; only its hash is stored. */
	secret: string
	/** The API representation, without the secret. */
	fields: ReturnType<typeof presentKey>
}

/** Creates a credential and its audit record, in the caller's transaction. Throws `forbidden`, `not_found`, `invalid_request`. */
export async function createCredential(
	{ clock, audit }: Pick<IdentityContext, 'clock' | 'audit'>,
	tx: DatabaseTransaction,
	wanted: NewCredential,
): Promise<CreatedCredential> {
	const scopes = scopesFor(wanted.kind, wanted.scopes)
	const own = await boundsOf(tx, wanted.by)
	// Limits that are not given are inherited from the creating key.
	const { expiresAtMs = own?.expiresAtMs ?? null } = wanted
	const addresses =
		wanted.allowedAddresses === undefined
			? (own?.addresses ?? null)
			: wanted.allowedAddresses && plainNetworks(wanted.allowedAddresses)
	requireWithin(own, { scopes, expiresAtMs, addresses })
	await refuseToSpend(tx, wanted.by, { id: null, scopes })
	if (wanted.kind === 'agent' && !(await hasAgent(tx, wanted.workspaceId, wanted.agentId ?? '')))
		throw notFound('agent')
	const nowMs = clock.nowMs()
	requireFuture(expiresAtMs, nowMs)
	const secret = wanted.secret ?? newSecretOf(wanted.kind)
	const allowed_addresses = addresses && JSON.stringify(addresses)
	const row = { ...toRow(wanted, scopes, secret, nowMs), expires_at: expiresAtMs, allowed_addresses }
	await insertCredential(tx, row)
	await audit.record(tx, {
		workspaceId: wanted.workspaceId,
		actor: toActor(wanted.by),
		action: wanted.kind === 'ingest' ? 'ingest-tokens.create' : 'keys.create',
		target: { kind: wanted.kind === 'ingest' ? 'ingest_token' : 'key', id: row.id, name: row.name },
		detail: {
			scopes,
			agent_uuid: row.agent_id,
			expires_at: row.expires_at === null ? null : toIso(row.expires_at),
			allowed_addresses: addresses,
			...(row.on_disconnect && { on_disconnect: row.on_disconnect }),
		},
		requestId: wanted.requestId,
	})
	await appendChange(tx, 'credential', row.id, clock)
	return { id: row.id, secret, fields: presentKey(row, nowMs) }
}

/** The columns stored for a secret. */
export function storedSecret(secret: string) {
	return { hash: hashToken(secret), prefix: secret.slice(0, 15), last4: secret.slice(-4) }
}

export function newSecretOf(kind: CredentialKindName): string {
	return newToken(kind === 'ingest' ? tokenPrefixes.ingestToken : tokenPrefixes.key)
}

function toRow(
	wanted: NewCredential,
	scopes: readonly Scope[],
	secret: string,
	nowMs: number,
): CredentialRow {
	return {
		id: newId(nowMs),
		workspace_id: wanted.workspaceId,
		kind: wanted.kind,
		name: wanted.name,
		...storedSecret(secret),
		scopes: JSON.stringify(scopes),
		agent_id: wanted.kind === 'agent' ? (wanted.agentId ?? null) : null,
		created_by: toActor(wanted.by).id,
		created_at: nowMs,
		last_used_at: null,
		expires_at: null,
		revoked_at: null,
		allowed_addresses: null,
		audience: null,
		on_disconnect: wanted.onDisconnect ?? null,
		...neverRotated,
	}
}

/** The actor in the audit log. */
export function toActor(by: Principal | Actor): Actor {
	return 'workspaceId' in by ? actorOf(by) : by
}
