import {
	type BodyOf,
	memberOperations,
	type OutputOf,
	type Role,
	workspaceOperations,
} from '@signalbox/contract'
import { appendChange } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind, userIn } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import { actorOf } from '../../audit/index.ts'
import type { IdentityContext } from '../identity-context.ts'
import { withdrawInvitationsBeyond } from '../invitations/change-invitations.ts'
import { endSession } from '../sessions/end-session.ts'
import { listLiveSessions } from '../sessions/session-repository.ts'
import { createWorkspace, presentWorkspace, removeWorkspace, updateWorkspace } from './change-workspaces.ts'
import { type Asking, askingIn, lockedRole, recordFor, refuseRole } from './workspace-context.ts'
import {
	countOwners,
	deleteMember,
	findMember,
	findWorkspaceById,
	listMembers,
	listWorkspacesOf,
	type MemberRow,
	moveSessionsAway,
	setRole,
	type WorkspaceRow,
} from './workspace-repository.ts'

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
				const { user, workspaceId } = askingIn(request, params.id)
				return presentWorkspace((await findWorkspaceById(db, workspaceId)) as WorkspaceRow, user.role)
			},
			update: ({ params, body, context: request }) =>
				updateWorkspace(context, askingIn(request, params.id), body),
			delete: async ({ params, query, context: request }) =>
				void (await removeWorkspace(context, askingIn(request, params.id), query.confirm)),
		}),
		...bind(memberOperations, {
			list: async ({ params, query, context: request }) => {
				const { workspaceId } = askingIn(request, params.id)
				const { rows, total } = await listMembers(db, workspaceId, query, query)
				return { members: rows.map(presentMember), pagination: paginate(query, total) }
			},
			update: ({ params, body, context: request }) =>
				changeRole(context, askingIn(request, params.id), params.userId, body),
			remove: async ({ params, context: request }) =>
				void (await removeMember(context, askingIn(request, params.id), params.userId)),
		}),
	]
}

type Update = (typeof memberOperations)['update']
type MemberDocument = OutputOf<Update>

const readOnly = ['user_id', 'email', 'name', 'verified', 'joined_at']

function presentMember({ user_id, email, name, role, ...row }: MemberRow): MemberDocument {
	return { user_id, email, name, role, verified: row.verified === 1, joined_at: toIso(row.joined_at) }
}

/** Throws `not_found`, `forbidden`, `last_owner`. */
async function changeRole(
	context: IdentityContext,
	asking: Asking,
	userId: string,
	body: BodyOf<Update>,
): Promise<MemberDocument> {
	return context.mutate(async (tx) => {
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
		return presentMember({ ...member, role: body.role })
	})
}

/** Removes somebody, or oneself: that needs no role. Throws `not_found`, `forbidden`, `last_owner`. */
async function removeMember(context: IdentityContext, asking: Asking, userId: string): Promise<void> {
	const leaves = userId === asking.user.userId
	await context.mutate(async (tx) => {
		const has = await lockedRole(tx, asking)
		if (!leaves) refuseRole(has)
		const member = await memberOrNotFound(tx, asking.workspaceId, userId)
		if (!leaves) refuseRole(has, member.role)
		if (member.role === 'owner') await refuseLastOwner(tx, asking.workspaceId)
		await deleteMember(tx, asking.workspaceId, userId)
		const target = { kind: 'user', id: userId, name: member.email }
		const entry = { action: leaves ? 'members.leave' : 'members.remove', target }
		await recordFor(context, tx, asking, { ...entry, detail: { role: { before: member.role, after: null } } })
		await withdrawInvitationsBeyond(context, tx, asking, userId, null)
		await takeSessionsAway(context, tx, asking, userId)
		await appendChange(tx, 'user', userId, context.clock)
	})
}

/** Sessions go on in another workspace of the person; without one they end. */
async function takeSessionsAway(
	context: IdentityContext,
	tx: DatabaseTransaction,
	{ user, workspaceId, requestId }: Asking,
	userId: string,
): Promise<void> {
	await moveSessionsAway(tx, workspaceId, userId)
	const ending = { workspaceId, actor: actorOf(user), action: 'auth.revoke_session', requestId }
	for (const session of await listLiveSessions(tx, userId, context.clock.nowMs())) {
		if (session.workspace_id === workspaceId) await endSession(context, tx, userId, session.id, ending)
	}
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
