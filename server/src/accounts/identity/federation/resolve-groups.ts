import { type Role, roles } from '@signalbox/contract'
import type { SignInProvider } from '../../../config/config.ts'
import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { newId } from '../../../platform/ids.ts'
import { findWorkspace, insertWorkspace } from '../accounts/account-repository.ts'
import type { FederationContext } from './federation-context.ts'

/** What the groups of a person give in one workspace. */
export interface MappedPlace {
	role: Role
	agentGroups: string[]
}

/** Workspace id → what a person's groups give there: of several roles the last in the contract's order, of groups of agents all. */
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
