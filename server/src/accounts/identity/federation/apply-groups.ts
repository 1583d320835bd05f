import { type Role, roles } from '@signalbox/contract'
import type { SignInProvider } from '../../../config/sign-in-providers.ts'
import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/ids.ts'
import { type Actor, systemActor } from '../../audit/audit.ts'
import { findWorkspace, insertWorkspace } from '../accounts/account-repository.ts'
import type { MembershipChange } from '../identity-context.ts'
import { withdrawInvitationsBeyond } from '../invitations/change-invitations.ts'
import type { MemberRequest } from '../workspaces/workspace-context.ts'
import { countOwners } from '../workspaces/workspace-repository.ts'
import { endMembership } from '../workspaces/workspaces.ts'
import type { FederationContext } from './federation-context.ts'
import {
	insertMappedMember,
	listMembers,
	type MappedMember,
	updateMappedMember,
} from './federation-repository.ts'

export interface MappedPerson {
	id: string
	email: string
	/** The issuer whose groups are applied. */
	issuer: string
	requestId: string
}

type Place = [workspaceId: string, place: MappedPlace]

/**
 * Updates the memberships that come from an issuer's groups to match the current groups. Memberships granted manually or by another
 * issuer are not changed.
 */
export async function applyGroups(
	context: FederationContext,
	tx: DatabaseTransaction,
	person: MappedPerson,
	places: ReadonlyMap<string, MappedPlace>,
): Promise<void> {
	const members = await listMembers(tx, person.id)
	const present = new Map(members.map((member) => [member.workspace_id, member]))
	for (const place of places) {
		const member = present.get(place[0])
		if (!member) await join(context, tx, person, place)
		else if (member.source === person.issuer) await adjust(context, tx, person, member, place)
	}
	for (const member of members)
		if (member.source === person.issuer && !places.has(member.workspace_id))
			await leave(context, tx, person, member)
	await appendChange(tx, 'user', person.id, context.clock)
}

async function join(
	context: FederationContext,
	tx: DatabaseTransaction,
	person: MappedPerson,
	[workspaceId, { role, agentGroups }]: Place,
): Promise<void> {
	await insertMappedMember(tx, workspaceId, {
		user_id: person.id,
		role,
		source: person.issuer,
		agent_groups: JSON.stringify(agentGroups),
		created_at: context.clock.nowMs(),
	})
	await record(context, tx, person, workspaceId, 'members.add', { before: null, after: role })
	await notify(context, tx, person, { workspaceId, role, groups: { before: [], after: agentGroups } })
}

async function adjust(
	context: FederationContext,
	tx: DatabaseTransaction,
	person: MappedPerson,
	member: MappedMember,
	[workspaceId, { role, agentGroups }]: Place,
): Promise<void> {
	const groups = JSON.stringify(agentGroups)
	if (member.role === role && member.agent_groups === groups) return
	if (member.role !== role && (await isLastOwner(context, tx, member))) return
	await updateMappedMember(tx, workspaceId, person.id, { role, agent_groups: groups })
	const before = JSON.parse(member.agent_groups) as string[]
	await notify(context, tx, person, { workspaceId, role, groups: { before, after: agentGroups } })
	await withdrawInvitationsBeyond(context, tx, askingAs(person, member), person.id, role)
	if (member.role !== role)
		await record(context, tx, person, workspaceId, 'members.update', { before: member.role, after: role })
}

async function leave(
	context: FederationContext,
	tx: DatabaseTransaction,
	person: MappedPerson,
	member: MappedMember,
): Promise<void> {
	if (await isLastOwner(context, tx, member)) return
	const left = { user_id: person.id, email: person.email, role: member.role as Role }
	const ending = { ...left, actor: actorOf(person), action: 'members.remove' }
	await endMembership(context, tx, askingAs(person, member), ending)
}

async function notify(
	{ onMembership }: FederationContext,
	tx: DatabaseTransaction,
	person: MappedPerson,
	change: Pick<MembershipChange, 'workspaceId' | 'role' | 'groups'>,
): Promise<void> {
	const { id: userId, email, requestId } = person
	for (const listener of onMembership)
		await listener(tx, { ...change, userId, email, by: actorOf(person), requestId })
}

/** Invitations that the person could no longer send are withdrawn in the person's own name. */
function askingAs(
	{ id, email, requestId }: MappedPerson,
	{ workspace_id: workspaceId, role }: MappedMember,
): MemberRequest {
	const held = { workspaceId, role: role as Role, operator: false, sessionId: '' }
	return { user: { kind: 'user', userId: id, email, ...held }, workspaceId, requestId }
}

/** A workspace keeps at least one owner, whatever the groups say. */
async function isLastOwner(
	{ log }: FederationContext,
	tx: DatabaseTransaction,
	{ role, workspace_id: workspaceId }: MappedMember,
): Promise<boolean> {
	if (role !== 'owner' || (await countOwners(tx, workspaceId)) > 1) return false
	log.warn(
		{ workspace: workspaceId },
		'sign-in: the groups of a provider would leave a workspace without an owner',
	)
	return true
}

function actorOf({ issuer }: Pick<MappedPerson, 'issuer'>): Actor {
	return systemActor(`groups of ${issuer}`)
}

async function record(
	{ audit }: FederationContext,
	tx: DatabaseTransaction,
	person: MappedPerson,
	workspaceId: string,
	action: string,
	role: { before: string | null; after: string | null },
): Promise<void> {
	const target = { kind: 'user', id: person.id, name: person.email }
	await audit.record(tx, {
		workspaceId,
		actor: actorOf(person),
		action,
		target,
		detail: { role },
		requestId: person.requestId,
	})
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
	person: { groups: readonly string[] } & Pick<MappedPerson, 'issuer' | 'requestId'>,
): Promise<Map<string, MappedPlace>> {
	const places = new Map<string, MappedPlace>()
	for (const rule of provider.groups.filter(({ group }) => person.groups.includes(group))) {
		const workspaceId = await workspaceOf(context, tx, rule, person)
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
	{ log, clock, instance, audit }: FederationContext,
	tx: DatabaseTransaction,
	rule: SignInProvider['groups'][number],
	person: Pick<MappedPerson, 'issuer' | 'requestId'>,
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
	await audit.record(tx, {
		workspaceId: id,
		actor: actorOf(person),
		action: 'workspaces.create',
		target: { kind: 'workspace', id, name: rule.workspace },
		detail: { group: rule.group },
		requestId: person.requestId,
	})
	await appendChange(tx, 'workspace', id, clock)
	return id
}

function later(a: Role, b: Role): Role {
	return roles.indexOf(a) > roles.indexOf(b) ? a : b
}
