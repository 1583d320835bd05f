import type {
	BodyOf,
	OutputOf,
	UpstreamAuthMode,
	UpstreamOwner,
	upstreamCredentialOperations,
} from '@signalbox/contract'
import { recordChange } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange, lockNumbering } from '../../platform/changes.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { Problem } from '../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { callbackPath } from './authorization-servers/oauth-client.ts'
import { oauthAddress } from './authorization-servers/read-json.ts'
import { changeOf, serverIn, type UpstreamCredentialDependencies } from './upstream-credential-context.ts'
import { type AuthRow, findAuth, replaceAuth } from './upstream-credential-repository.ts'

type Document = OutputOf<(typeof upstreamCredentialOperations)['get']>
type Wanted = BodyOf<(typeof upstreamCredentialOperations)['replace']>

export async function showAuth(
	context: UpstreamCredentialDependencies,
	workspaceId: string,
	serverId: string,
	address: string,
): Promise<Document> {
	serverIn(context, workspaceId, serverId)
	return present(await findAuth(context.store.db, workspaceId, serverId), address)
}

/** Sets how a server's tokens are obtained. Existing tokens are deleted, because they belong to another client or issuer. */
export async function setAuth(
	context: UpstreamCredentialDependencies,
	request: RequestContext,
	serverId: string,
	wanted: Wanted,
	address: string,
): Promise<Document> {
	const { workspaceId } = principalIn(request)
	const server = serverIn(context, workspaceId, serverId)
	return context.mutate(async (tx) => {
		await lockNumbering(tx)
		const before = await findAuth(tx, workspaceId, serverId)
		const current = present(before, address)
		requireUnchanged(current)
		refuseChanged(wanted, current, ['has_client_secret', 'redirect_uri'])
		const row = wanted.mode === 'none' ? null : toRow(context, workspaceId, serverId, wanted, before)
		for (const id of await replaceAuth(tx, workspaceId, serverId, row))
			await appendChange(tx, 'upstream_token', id, context.clock)
		const { mode, owner, issuer, client_id, scope } = present(row ?? undefined, address)
		const change = changeOf('replace', server, { mode, owner, issuer, client_id, scope })
		await recordChange(tx, context, request, { ...change, viewKind: 'upstream_auth' })
		return present(row ?? undefined, address)
	})
}

/**
 * Call it first in the transaction that stores tokens. Throws when the settings by which they were requested were replaced meanwhile,
 * since the tokens of the old ones have been deleted.
 */
export async function requireSameAuth(tx: DatabaseTransaction, auth: AuthRow): Promise<void> {
	await lockNumbering(tx)
	const now = await findAuth(tx, auth.workspace_id, auth.server_id)
	if (now?.updated_at !== auth.updated_at)
		throw new Problem('authorization_invalid', 'The settings of the server were changed meanwhile.')
}

function toRow(
	{ sealer, clock }: UpstreamCredentialDependencies,
	workspaceId: string,
	serverId: string,
	wanted: Wanted,
	before: AuthRow | undefined,
): AuthRow {
	const { mode, owner = 'workspace', issuer = null, client_id = null, scope = null } = wanted
	const isSameClient = before?.issuer === issuer && before.client_id === client_id
	const row: AuthRow = {
		id: serverId,
		workspace_id: workspaceId,
		server_id: serverId,
		mode,
		owner,
		issuer,
		client_id,
		sealed_client_secret: isSameClient ? before.sealed_client_secret : null,
		scope,
		updated_at: clock.nowMs(),
	}
	const given = wanted.client_secret
	if (given !== undefined) row.sealed_client_secret = sealer.seal(given, secretContext(row))
	refuseHalf(row)
	return row
}

function refuseHalf({ mode, owner, issuer, client_id, sealed_client_secret }: AuthRow): void {
	if (issuer !== null && (!oauthAddress(issuer) || /[#?]/.test(issuer)))
		throw malformed(
			'issuer',
			'must be an https address (http only on this machine) without query and fragment',
		)
	if (sealed_client_secret !== null && (client_id === null || issuer === null))
		throw malformed('client_secret', 'needs client_id, and the issuer that alone may receive it')
	if (mode !== 'client_credentials') return
	if (sealed_client_secret === null) throw malformed('client_secret', 'is required for client_credentials')
	if (owner !== 'workspace') throw malformed('owner', 'must be workspace for client_credentials')
}

function malformed(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'upstream_auth', detail }],
	})
}

/** The secret of a client registered by hand, or null. */
export function clientSecretOf(sealer: Sealer, row: AuthRow): string | null {
	return row.sealed_client_secret === null ? null : sealer.open(row.sealed_client_secret, secretContext(row))
}

/** Sealed for the issuer, so that it is never sent to another one. */
function secretContext({ workspace_id: workspaceId, id, issuer }: AuthRow) {
	return { workspaceId, kind: 'upstream_client', origin: issuer ?? '', id }
}

function present(row: AuthRow | undefined, address: string): Document {
	return {
		mode: (row?.mode as UpstreamAuthMode | undefined) ?? 'none',
		owner: (row?.owner as UpstreamOwner | undefined) ?? 'workspace',
		issuer: row?.issuer ?? null,
		client_id: row?.client_id ?? null,
		scope: row?.scope ?? null,
		has_client_secret: row ? row.sealed_client_secret !== null : false,
		redirect_uri: `${address}${callbackPath}`,
	}
}
