import { BlockList, isIP } from 'node:net'
import { agentKeyScopes, type Scope } from '@signalbox/contract'
import { plainAddress } from '../../../platform/address-rules.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { Principal } from '../../../platform/http/principal.ts'
import type { Actor } from '../../audit/audit.ts'
import {
	type CredentialKindName,
	type CredentialRow,
	findCredentialForView,
	hasOwnLimits,
} from './credential-repository.ts'

/** The scopes for a credential of this kind. By default an agent key gets all that it can have, others get none. */
export function scopesFor(kind: CredentialKindName, wanted: readonly Scope[] | undefined): readonly Scope[] {
	if (kind === 'ingest') return []
	if (kind === 'platform') return wanted ?? []
	const beyond = wanted?.filter((scope) => !agentKeyScopes.includes(scope)) ?? []
	if (beyond.length > 0)
		throw fieldProblem('/scopes', 'scope', `an agent key cannot have ${beyond.join(', ')}`)
	return wanted ?? agentKeyScopes
}

/** The limits of a credential; null: unlimited in that respect. */
export interface Bounds {
	scopes: readonly Scope[]
	expiresAtMs: number | null
	/** Addresses and networks from which calls may come. */
	addresses: readonly string[] | null
}

/** The limits of the requesting key as they are stored now; null for a person, whose role decides. */
export async function boundsOf(tx: Queryable, by: Principal | Actor): Promise<Bounds | null> {
	if (!('keyId' in by)) return null
	const row = await findCredentialForView(tx, by.keyId)
	if (!row) throw new Problem('forbidden', 'The requesting key no longer exists.')
	return boundsIn(row)
}

export function boundsIn({ scopes, expires_at, allowed_addresses }: CredentialRow): Bounds {
	return {
		scopes: JSON.parse(scopes) as Scope[],
		expiresAtMs: expires_at,
		addresses: allowed_addresses === null ? null : (JSON.parse(allowed_addresses) as string[]),
	}
}

/** A key cannot create, change or rotate anything less limited than itself, in any respect; `own` null: a person. */
export function requireWithin(own: Bounds | null, wanted: Bounds): void {
	if (own === null) return
	const lacking = wanted.scopes.filter((scope) => !own.scopes.includes(scope))
	if (lacking.length > 0)
		throw new Problem('forbidden', `A key cannot give what it lacks: ${lacking.join(', ')}.`)
	const { expiresAtMs, addresses } = own
	if (expiresAtMs !== null && (wanted.expiresAtMs === null || wanted.expiresAtMs > expiresAtMs))
		throw new Problem('forbidden', `A key cannot give a later expiry than its own: ${toIso(expiresAtMs)}.`)
	const isInside = (network: string) => addresses?.some((of) => containsNetwork(of, network))
	if (addresses !== null && !wanted.addresses?.every(isInside))
		throw new Problem(
			'forbidden',
			`A key cannot allow other addresses than its own: ${addresses.join(', ')}.`,
		)
}

/** A budget or limit of a key is meant for its holder, but would not apply to a second key that the holder creates. */
export async function refuseToSpend(
	tx: Queryable,
	by: Principal | Actor,
	target: { id: string | null; scopes: readonly Scope[] },
): Promise<void> {
	if (!('keyId' in by) || by.keyId === target.id) return
	const calls = target.scopes.some((scope) => agentKeyScopes.includes(scope))
	if (calls && (await hasOwnLimits(tx, by.workspaceId, by.keyId)))
		throw new Problem('forbidden', 'A key with a budget or limits of its own gives no other key for calls.')
}

/** Parses an `expires_at`, which must be in the future; null: never. */
export function expiryOf(text: string | null | undefined, nowMs: number): number | null {
	if (text === null || text === undefined) return null
	const atMs = Date.parse(text)
	requireFuture(atMs, nowMs)
	return atMs
}

export function requireFuture(atMs: number | null | undefined, nowMs: number): void {
	if (typeof atMs === 'number' && atMs <= nowMs)
		throw fieldProblem('/expires_at', 'past', 'must be in the future')
}

function fieldProblem(pointer: string, code: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, { errors: [{ pointer, code, detail }] })
}

/** Checks the address of a call, in any notation. */
export type AddressCheck = (address: string) => boolean

/** The stored form of a given list, with IPv4-mapped IPv6 as IPv4. Throws `invalid_request`, naming the entry. */
export function plainNetworks(texts: readonly string[]): string[] {
	return texts.map((text, index) => plainNetwork(text) ?? refuse(text, index))
}

/** Compiled once per credential, so that calls do not parse the list. */
export function addressCheckOf(stored: string | null): AddressCheck | null {
	if (stored === null) return null
	const list = new BlockList()
	for (const network of JSON.parse(stored) as string[]) {
		const [address = '', bits] = network.split('/')
		const family = familyOf(address)
		if (bits === undefined) list.addAddress(address, family)
		else list.addSubnet(address, Number(bits), family)
	}
	return (given) => {
		const address = plainAddress(given)
		return address !== null && list.check(address, familyOf(address))
	}
}

/** Whether one network contains another; both in stored form. */
function containsNetwork(outer: string, inner: string): boolean {
	const [address = '', bits] = inner.split('/')
	const width = isIP(address) === 6 ? 128 : 32
	const outerBits = Number(outer.split('/')[1] ?? (outer.includes(':') ? 128 : 32))
	const isIn = addressCheckOf(JSON.stringify([outer]))
	return Number(bits ?? width) >= outerBits && isIn?.(address) === true
}

function plainNetwork(text: string): string | null {
	const [, given = '', bitsText] = text.match(/^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/) ?? []
	const address = plainAddress(given)
	if (address === null) return null
	const width = isIP(given) === 6 ? 128 : 32
	if (bitsText === undefined) return address
	const bits = Number(bitsText) - (width === 128 && isIP(address) === 4 ? 96 : 0)
	return bits >= 0 && Number(bitsText) <= width ? `${address}/${bits}` : null
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
	return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

function refuse(text: string, index: number): never {
	const detail = `"${text.slice(0, 50)}" is not an address or a network like 10.0.0.0/8 or 2001:db8::/32`
	throw fieldProblem(`/allowed_addresses/${index}`, 'address', detail)
}
