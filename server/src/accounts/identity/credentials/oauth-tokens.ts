import type { IncomingMessage } from 'node:http'
import type { Scope } from '@signalbox/contract'
import { appendChange } from '../../../platform/changes.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { IdentityContext } from '../identity-context.ts'
import { storedSecret } from './create-credential.ts'
import {
	type CredentialRow,
	findCredential,
	findCredentialByHash,
	insertCredential,
	neverRotated,
	revokeCredential,
	updateCredential,
} from './credential-repository.ts'

/** An OAuth access token, as the authorization server passes it to the ingress. */
export interface OauthToken {
	/** Id of the grant, which stays the same while its tokens change. */
	id: string
	workspaceId: string
	agentId: string
	userId: string
	/** Name of the client program. */
	name: string
	/** The only URL for which the token is valid. */
	audience: string
	scopes: readonly Scope[]
	token: string
	expiresAtMs: number
}

type Context = Pick<IdentityContext, 'clock'>

/** Makes a token valid at the ingress; the previous one stays valid until it expires. */
export async function putOauthToken(
	{ clock }: Context,
	tx: DatabaseTransaction,
	wanted: OauthToken,
): Promise<void> {
	const { id, workspaceId, token, expiresAtMs } = wanted
	const before = await findCredential(tx, workspaceId, ['oauth'], id)
	if (!before) await insertCredential(tx, toRow(wanted, clock.nowMs()))
	else
		await updateCredential(tx, workspaceId, id, {
			...storedSecret(token),
			expires_at: expiresAtMs,
			previous_hash: before.hash,
			previous_prefix: before.prefix,
			previous_last4: before.last4,
			previous_expires_at: before.expires_at,
			rotated_at: clock.nowMs(),
		})
	await appendChange(tx, 'credential', id, clock)
}

/** Invalidates the token of a revoked grant, also for running streams. */
export async function endOauthToken(
	{ clock }: Context,
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
): Promise<void> {
	await revokeCredential(tx, workspaceId, ['oauth'], id, clock.nowMs())
	await appendChange(tx, 'credential', id, clock)
}

/** The grant of a current or previous access token, or null. */
export async function grantOfToken(db: Queryable, token: string): Promise<string | null> {
	const row = await findCredentialByHash(db, hashToken(token))
	return row?.kind === 'oauth' ? row.id : null
}

/** The URL of a request, in the form of an access token's audience. */
export function audienceOf(publicUrl: string | null, request: IncomingMessage): string {
	const base = publicUrl?.replace(/\/$/, '') ?? `http://${request.headers.host}`
	return base + (request.url ?? '/').replace(/[?].*$/, '').replace(/\/$/, '')
}

function toRow(wanted: OauthToken, nowMs: number): CredentialRow {
	return {
		id: wanted.id,
		workspace_id: wanted.workspaceId,
		kind: 'oauth',
		name: wanted.name,
		...storedSecret(wanted.token),
		scopes: JSON.stringify(wanted.scopes),
		agent_id: wanted.agentId,
		created_by: wanted.userId,
		created_at: nowMs,
		last_used_at: null,
		expires_at: wanted.expiresAtMs,
		revoked_at: null,
		allowed_addresses: null,
		audience: wanted.audience,
		on_disconnect: null,
		...neverRotated,
	}
}
