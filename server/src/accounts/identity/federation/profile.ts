import { type Role, roles } from '@signalbox/contract'
import type { SignInProvider } from '../../../config/config.ts'
import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/ids.ts'
import { findWorkspace, insertWorkspace } from '../accounts/account-repository.ts'
import type { FederationContext } from './federation-context.ts'

/** Who has signed in, according to a provider. Issuer and subject are the identity; the rest describes it. */
export interface Profile {
	issuer: string
	subject: string
	/** Lower case. */
	email: string | null
	/** Whether the issuer says that it has verified the address. */
	emailVerified: boolean
	name: string
	groups: string[]
}

/** The secrets of one sign-in at a provider; each is used once. */
export interface FlowSecrets {
	state: string
	nonce: string
	/** PKCE code verifier. */
	verifier: string
	redirectUri: string
}

type Claims = Record<string, unknown>

/** Reads the claims of an ID token and of userinfo. */
export function toProfile(
	claims: Claims,
	{ groupsClaim, trustEmail }: { groupsClaim: string; trustEmail: boolean },
): Profile {
	const email = textOf(claims.email)
	return {
		issuer: String(claims.iss),
		subject: String(claims.sub),
		email:
			email === null || !/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 254 ? null : email.toLowerCase(),
		// Some providers send booleans as text.
		emailVerified: trustEmail || claims.email_verified === true || claims.email_verified === 'true',
		name: (textOf(claims.name) ?? '').slice(0, 100),
		groups: groupsIn(claims, groupsClaim),
	}
}

/** An array or a single string; a nested claim is named with dots, as in `realm_access.roles`. No groups if it is missing. */
function groupsIn(claims: Claims, name: string): string[] {
	const value = Object.hasOwn(claims, name)
		? claims[name]
		: name.split('.').reduce<unknown>((inner, key) => memberOf(inner, key), claims)
	if (typeof value === 'string') return [value]
	return Array.isArray(value) ? value.filter((group) => typeof group === 'string') : []
}

function memberOf(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
		? (value as Claims)[key]
		: undefined
}

function textOf(value: unknown): string | null {
	return typeof value === 'string' && value.isWellFormed() && !value.includes('\0') ? value.trim() : null
}

/** What a person's groups grant in one workspace. */
export interface MappedPlace {
	role: Role
	agentGroups: string[]
}

/**
 * Workspace id → what a person's groups grant there: of several roles the last in the contract's order, and all groups of agents.
 */
export async function resolveGroups(
	context: FederationContext,
	tx: DatabaseTransaction,
	provider: SignInProvider,
	groups: readonly string[],
): Promise<Map<string, MappedPlace>> {
	const places = new Map<string, MappedPlace>()
	for (const rule of provider.groups.filter(({ group }) => groups.includes(group))) {
		const workspaceId = await workspaceOf(context, tx, rule)
		if (workspaceId === null) continue
		const place = places.get(workspaceId)
		places.set(workspaceId, {
			role: place ? later(place.role, rule.role) : rule.role,
			agentGroups: [...new Set([...(place?.agentGroups ?? []), ...rule.agentGroups])].sort(),
		})
	}
	return places
}

async function workspaceOf(
	{ log, clock, instance }: FederationContext,
	tx: DatabaseTransaction,
	rule: SignInProvider['groups'][number],
): Promise<string | null> {
	const found = await findWorkspace(tx, rule.workspace)
	if (found) return found.id
	if (!rule.create) {
		log.warn(
			{ group: rule.group, workspace: rule.workspace },
			'sign-in: a group is mapped to a workspace that does not exist',
		)
		return null
	}
	const id = newId(clock.nowMs())
	const stdio = instance.value('stdio_programs_default')
	await insertWorkspace(tx, { id, name: rule.workspace, stdio }, clock.nowMs())
	await appendChange(tx, 'workspace', id, clock)
	return id
}

function later(a: Role, b: Role): Role {
	return roles.indexOf(a) > roles.indexOf(b) ? a : b
}
