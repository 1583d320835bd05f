import { agentKeyScopes, type Scope } from '@signalbox/contract'
import type { Actor } from '../../audit/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/index.ts'
import type { CredentialKindName } from './repository.ts'

/** The scopes that a credential of this kind gets; `wanted` absent: an agent key's whole set, nothing otherwise. */
export function scopesFor(kind: CredentialKindName, wanted: readonly Scope[] | undefined): readonly Scope[] {
	if (kind === 'ingest') return []
	if (kind === 'platform') return wanted ?? []
	const beyond = wanted?.filter((scope) => !agentKeyScopes.includes(scope)) ?? []
	if (beyond.length > 0)
		throw fieldProblem('/scopes', 'scope', `an agent key cannot have ${beyond.join(', ')}`)
	return wanted ?? agentKeyScopes
}

/** A key gives no scope that it lacks, be it to a new key or by a new secret of another one. */
export function refuseScopesBeyond(by: Principal | Actor, scopes: readonly Scope[]): void {
	if (!('scopes' in by)) return
	const lacking = scopes.filter((scope) => !by.scopes.has(scope))
	if (lacking.length > 0)
		throw new Problem('forbidden', `A key cannot give what it lacks: ${lacking.join(', ')}.`)
}

/** The time of an `expires_at` that was given, which must be to come; null: never. */
export function expiryOf(text: string | null | undefined, nowMs: number): number | null {
	if (text === null || text === undefined) return null
	const atMs = Date.parse(text)
	refusePast(atMs, nowMs)
	return atMs
}

export function refusePast(atMs: number | null | undefined, nowMs: number): void {
	if (typeof atMs === 'number' && atMs <= nowMs)
		throw fieldProblem('/expires_at', 'past', 'must be in the future')
}

export function fieldProblem(pointer: string, code: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, { errors: [{ pointer, code, detail }] })
}
