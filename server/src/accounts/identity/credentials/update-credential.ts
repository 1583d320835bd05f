import { isDeepStrictEqual } from 'node:util'
import type { OnDisconnect, Scope } from '@signalbox/contract'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { toIso } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import type { IdentityContext } from '../identity-context.ts'
import { type CredentialChange, changeCredential, type Decision } from './change-credential.ts'
import type { CredentialKindName, CredentialRow } from './credential-repository.ts'
import {
	type Bounds,
	boundsIn,
	boundsOf,
	expiryOf,
	plainNetworks,
	refuseBeyond,
	refuseToSpend,
	scopesFor,
} from './credential-rules.ts'
import { presentAsRead, presentKey } from './present-credential.ts'

export interface CredentialUpdate {
	name?: string
	scopes?: readonly Scope[]
	expires_at?: string | null
	allowed_addresses?: readonly string[] | null
	on_disconnect?: OnDisconnect
}

const readOnly = ['id', 'prefix', 'last4', 'status', 'created_at', 'last_used_at', 'rotation', 'agent_uuid']

/** Changes what a credential may do and from where. A key changes none that may do more than itself. */
export function updateCredential(
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
		refuseBeyond(own, boundsIn(before))
		refuseBeyond(own, after)
		await refuseToSpend(tx, change.by, { id: before.id, scopes })
		return { columns, verb: 'update', detail: toDetail(columns) }
	})
}

/** Whoever has only the key was given these bounds by somebody else. */
function refuseOwnBounds(before: Bounds, after: Bounds): void {
	const sorted = ({ scopes, ...rest }: Bounds) => ({ ...rest, scopes: [...scopes].sort() })
	if (!isDeepStrictEqual(sorted(before), sorted(after)))
		throw new Problem('forbidden', 'No key changes its own expiry, addresses or scopes: ask whoever made it.')
}

/** A past time may be sent back as it was read; a new one must be to come. */
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
