import {
	type BodyOf,
	memberOperations,
	type OutputOf,
	type Role,
	roleHas,
	workspaceOperations,
} from '@signalbox/contract'
import { lockWorkspace, requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange, appendReload, lockNumbering } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import { type DatabaseTransaction, lockCount, lockGroups } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { userIn } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import { mutateGivingWay } from '../../../platform/mutation.ts'
import { paginate } from '../../../platform/paging.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import { type Actor, actorOf } from '../../audit/audit.ts'
import { insertMember, insertWorkspace } from '../accounts/account-repository.ts'
import type { IdentityContext } from '../identity-context.ts'
import { withdrawInvitationsBeyond, withdrawInvitationsTo } from '../invitations/change-invitations.ts'
import { deleteMailLinksInto } from '../mail-links/mail-links.ts'
import { endSession } from '../sessions/end-session.ts'
import { listLiveSessions } from '../sessions/session-repository.ts'
import {
	lockedRole,
	type MemberRequest,
	memberRequestIn,
	recordFor,
	refuseRole,
	roleIn,
} from './workspace-context.ts'
import {
	countOwned,
	countOwners,
	countWorkspaces,
	deleteMember,
	deleteWorkspace,
	findMember,
	findWorkspaceById,
	listMemberIds,
	listMembers,
	listWorkspacesOf,
	type MemberRow,
	moveSessionsAway,
	renameWorkspace,
	setRole,
	type WorkspaceRow,
} from './workspace-repository.ts'

type Operations = typeof workspaceOperations
export type WorkspaceDocument = OutputOf<Operations['get']>

export function presentWorkspace(row: WorkspaceRow, role: Role): WorkspaceDocument {
	const { id, name, slug } = row
	return { id, name, slug, role, created_at: toIso(row.created_at), updated_at: toIso(row.updated_at) }
}

/** Creates a workspace owned by the person. If people cannot register, they cannot create workspaces either. */
export async function createWorkspace(
	context: IdentityContext,
	user: UserPrincipal,
	name: string,
	requestId: string,
): Promise<WorkspaceDocument> {
	const { instance } = context
	if (!user.operator && instance.value('signup') !== 'open')
		throw new Problem('forbidden', 'Sign-up is not open here, so only operators create workspaces.')
	const owner = { userId: user.userId, actor: actorOf(user) }
	const row = await context.mutate(async (tx) => {
		if (!user.operator) await refuseTooMany(context, tx, user.userId)
		return beginWorkspace(context, tx, { name, owner, requestId })
	})
	return presentWorkspace(row, 'owner')
}

/** Limits how many workspaces a person owns: each workspace has its own limits, so many workspaces would multiply them. */
async function refuseTooMany(
	{ config }: IdentityContext,
	tx: DatabaseTransaction,
	userId: string,
): Promise<void> {
	// Of several concurrent requests, each sees the workspace that the previous one created.
	await lockNumbering(tx)
	const max = config.WORKSPACES_PER_PERSON
	if ((await countOwned(tx, userId)) >= max)
		throw new Problem(
			'forbidden',
			`You own ${max} workspaces, as many as one person may here. Delete one, or ask an operator (SIGNALBOX_WORKSPACES_PER_PERSON).`,
		)
}

export interface NewWorkspace {
	name: string
	owner: { userId: string; actor: Actor }
	requestId: string | null
}

/** Creates a workspace with its owner and audit record, in the caller's transaction. */
export async function beginWorkspace(
	{ clock, instance, audit }: IdentityContext,
	tx: DatabaseTransaction,
	{ name, owner, requestId }: NewWorkspace,
): Promise<WorkspaceRow> {
	const nowMs = clock.nowMs()
	const id = newId(nowMs)
	const slug = await insertWorkspace(tx, { id, name, stdio: instance.value('stdio_programs_default') }, nowMs)
	const row = { id, name, slug, created_at: nowMs, updated_at: nowMs }
	await insertMember(tx, row.id, { userId: owner.userId, role: 'owner' }, nowMs)
	const target = { kind: 'workspace', id: row.id, name }
	const detail = { role: 'owner' }
	const entry = { action: 'workspaces.create', actor: owner.actor, target, detail, requestId }
	await audit.record(tx, { workspaceId: row.id, ...entry })
	await appendChange(tx, 'workspace', row.id, clock)
	await appendChange(tx, 'user', owner.userId, clock)
	return row
}

export async function updateWorkspace(
	context: IdentityContext,
	asking: MemberRequest,
	body: BodyOf<Operations['update']>,
): Promise<WorkspaceDocument> {
	return context.mutate(async (tx) => {
		const role = await lockedRole(tx, asking)
		const before = (await findWorkspaceById(tx, asking.workspaceId)) as WorkspaceRow
		requireUnchanged(presentWorkspace(before, role))
		refuseChanged(
			body,
			presentWorkspace(before, role),
			['id', 'slug', 'role', 'created_at', 'updated_at'],
			['updated_at'],
		)
		const name = body.name ?? before.name
		const nowMs = context.clock.nowMs()
		await renameWorkspace(tx, asking.workspaceId, name, nowMs)
		const target = { kind: 'workspace', id: before.id, name }
		const detail = { name: { before: before.name, after: name } }
		await recordFor(context, tx, asking, { action: 'workspaces.update', target, detail })
		await appendChange(tx, 'workspace', before.id, context.clock)
		return presentWorkspace({ ...before, name, updated_at: nowMs }, role)
	})
}

/** Deletes everything of a workspace at once. Its audit chain stays and records the deletion. */
export async function removeWorkspace(
	context: IdentityContext,
	asking: MemberRequest,
	confirm: string,
): Promise<void> {
	const { workspaceId } = asking
	await mutateGivingWay(context.mutate, async (tx) => {
		await lockWorkspace(tx, workspaceId)
		const role = await roleIn(tx, asking)
		if (!roleHas(role, 'workspace:delete'))
			throw new Problem('forbidden', `This needs the role owner; yours is ${role}.`)
		const row = await findWorkspaceById(tx, workspaceId)
		if (!row) throw notFound('workspace')
		requireUnchanged(presentWorkspace(row, role))
		refuseUnconfirmed(row.name, confirm)
		const { user, requestId } = asking
		await endWorkspace(context, tx, { workspaceId, actor: actorOf(user), requestId })
	})
}

/**
 * Deletes a workspace, in the caller's transaction, which gives way (`mutateGivingWay`). Throws `not_found`, `last_workspace`. Its rows come before `lockNumbering`, as in
 * every change of them: in the other order, each change that is running in the workspace would be a deadlock.
 */
export async function endWorkspace(
	{ audit, clock }: Pick<IdentityContext, 'audit' | 'clock'>,
	tx: DatabaseTransaction,
	{ workspaceId, ...by }: { workspaceId: string; actor: Actor; requestId: string },
): Promise<void> {
	const row = await findWorkspaceById(tx, workspaceId)
	if (!row) throw notFound('workspace')
	await lockCount(tx, 'workspaces')
	if ((await countWorkspaces(tx)) === 1) throw new Problem('last_workspace')
	const memberIds = await listMemberIds(tx, workspaceId)
	for (const userId of memberIds) await moveSessionsAway(tx, workspaceId, userId)
	await deleteMailLinksInto(tx, workspaceId)
	await deleteWorkspace(tx, workspaceId)
	const target = { kind: 'workspace', id: workspaceId, name: row.name }
	const detail = { members: memberIds.length }
	await audit.record(tx, { workspaceId, ...by, action: 'workspaces.delete', target, detail })
	await appendReload(tx, clock)
}

function refuseUnconfirmed(name: string, confirm: string): void {
	if (confirm === name) return
	const detail = `must repeat the name of the workspace, ${name}`
	throw new Problem('invalid_request', `query/confirm: ${detail}.`, {
		errors: [{ pointer: '/confirm', code: 'confirm', detail }],
	})
}

export function workspaceRoutes(context: IdentityContext): BoundOperation[] {
	const { db } = context.store
	return [
		...bind(workspaceOperations, {
			list: async ({ query, context: request }) => {
				const { rows, total } = await listWorkspacesOf(db, userIn(request).userId, query)
				const workspaces = rows.map((row) => presentWorkspace(row, row.role))
				return { workspaces, pagination: paginate(query, total) }
			},
			create: ({ body, context: request }) =>
				createWorkspace(context, userIn(request), body.name, request.requestId),
			get: async ({ params, context: request }) => {
				const { user, workspaceId } = memberRequestIn(request, params.id)
				return presentWorkspace((await findWorkspaceById(db, workspaceId)) as WorkspaceRow, user.role)
			},
			update: ({ params, body, context: request }) =>
				updateWorkspace(context, memberRequestIn(request, params.id), body),
			delete: async ({ params, query, context: request }) =>
				void (await removeWorkspace(context, memberRequestIn(request, params.id), query.confirm)),
		}),
		...bind(memberOperations, {
			list: async ({ params, query, context: request }) => {
				const { workspaceId } = memberRequestIn(request, params.id)
				const { rows, total } = await listMembers(db, workspaceId, query, query)
				return { members: rows.map(presentMember), pagination: paginate(query, total) }
			},
			update: ({ params, body, context: request }) =>
				changeRole(context, memberRequestIn(request, params.id), params.userId, body),
			remove: async ({ params, context: request }) =>
				void (await removeMember(context, memberRequestIn(request, params.id), params.userId)),
		}),
	]
}

type Update = (typeof memberOperations)['update']
type MemberDocument = OutputOf<Update>

/** A role that is given by hand changes no group. */
const unchanged = { before: [], after: [] }
const readOnly = ['user_id', 'email', 'name', 'verified', 'joined_at']

function presentMember({ user_id, email, name, role, ...row }: MemberRow): MemberDocument {
	return { user_id, email, name, role, verified: row.verified === 1, joined_at: toIso(row.joined_at) }
}

/** Throws `not_found`, `forbidden`, `last_owner`. */
async function changeRole(
	context: IdentityContext,
	asking: MemberRequest,
	userId: string,
	body: BodyOf<Update>,
): Promise<MemberDocument> {
	return context.mutate(async (tx) => {
		await lockGroups(tx)
		const has = await lockedRole(tx, asking)
		const member = await memberOrNotFound(tx, asking.workspaceId, userId)
		refuseChanged(body, presentMember(member), readOnly)
		refuseRole(has, member.role, body.role)
		if (member.role === body.role) return presentMember(member)
		if (member.role === 'owner') await refuseLastOwner(tx, asking.workspaceId)
		await setRole(tx, asking.workspaceId, userId, body.role)
		const detail = { role: { before: member.role, after: body.role } }
		const target = { kind: 'user', id: userId, name: member.email }
		await recordFor(context, tx, asking, { action: 'members.update', target, detail })
		await withdrawInvitationsBeyond(context, tx, asking, userId, body.role)
		await appendChange(tx, 'user', userId, context.clock)
		const { workspaceId, user, requestId } = asking
		const { email } = member
		const by = actorOf(user)
		const change = { workspaceId, userId, email, role: body.role, groups: unchanged, by, requestId }
		for (const notify of context.onMembership) await notify(tx, change)
		return presentMember({ ...member, role: body.role })
	})
}

/** Removes a member, or the requesting person, which needs no role. Throws `not_found`, `forbidden`, `last_owner`. */
async function removeMember(context: IdentityContext, asking: MemberRequest, userId: string): Promise<void> {
	const leaves = userId === asking.user.userId
	await mutateGivingWay(context.mutate, async (tx) => {
		await lockGroups(tx)
		const has = await lockedRole(tx, asking)
		if (!leaves) refuseRole(has)
		const member = await memberOrNotFound(tx, asking.workspaceId, userId)
		if (!leaves) refuseRole(has, member.role)
		if (member.role === 'owner') await refuseLastOwner(tx, asking.workspaceId)
		await withdrawInvitationsTo(context, tx, asking, member.email)
		await moveSessionsAway(tx, asking.workspaceId, userId)
		const action = leaves ? 'members.leave' : 'members.remove'
		await endMembership(context, tx, asking, { ...member, actor: actorOf(asking.user), action })
	})
}

interface Ending extends Pick<MemberRow, 'user_id' | 'email' | 'role'> {
	actor: Actor
	action: string
}

/** Ends a membership with everything that a person has by it, in a transaction that began with `lockGroups`. */
export async function endMembership(
	context: IdentityContext,
	tx: DatabaseTransaction,
	asking: MemberRequest,
	{ user_id: userId, email, role, actor, action }: Ending,
): Promise<void> {
	const { workspaceId, requestId } = asking
	const before = await deleteMember(tx, workspaceId, userId)
	const by = { workspaceId, actor, requestId }
	const target = { kind: 'user', id: userId, name: email }
	await context.audit.record(tx, { ...by, action, target, detail: { role: { before: role, after: null } } })
	await withdrawInvitationsBeyond(context, tx, asking, userId, null)
	const ending = { ...by, action: 'auth.revoke_session' }
	for (const session of await listLiveSessions(tx, userId, context.clock.deletionMs()))
		if (session.workspace_id === workspaceId) await endSession(context, tx, userId, session.id, ending)
	await appendChange(tx, 'user', userId, context.clock)
	const groups = { before, after: [] }
	const change = { workspaceId, userId, email, role: null, groups, by: actor, requestId }
	for (const notify of context.onMembership) await notify(tx, change)
}

async function memberOrNotFound(
	tx: DatabaseTransaction,
	workspaceId: string,
	userId: string,
): Promise<MemberRow & { role: Role }> {
	const member = await findMember(tx, workspaceId, userId)
	if (!member) throw notFound('member')
	return member
}

async function refuseLastOwner(tx: DatabaseTransaction, workspaceId: string): Promise<void> {
	if ((await countOwners(tx, workspaceId)) === 1) throw new Problem('last_owner')
}
