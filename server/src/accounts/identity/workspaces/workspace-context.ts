import { type Role, roleHas, roleIncludes } from '@signalbox/contract'
import { lockNumbering } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { type RequestContext, userIn } from '../../../platform/http/route.ts'
import { actorOf } from '../../audit/audit.ts'
import type { IdentityContext } from '../identity-context.ts'
import { findMember } from './workspace-repository.ts'

/** A person acting in the workspace that the request names. */
export interface MemberRequest {
	user: UserPrincipal
	workspaceId: string
	requestId: string
}

/** A credential gives access to one workspace; any other id is a 404, like an unknown one. */
export function memberRequestIn(request: RequestContext, workspaceId: string): MemberRequest {
	const user = userIn(request)
	if (workspaceId !== user.workspaceId) throw notFound('workspace')
	return { user, workspaceId, requestId: request.requestId }
}

/**
 * The role of the requesting person, read under the lock that orders changes: if two people remove each other's role concurrently,
 * the second one no longer has it.
 */
export async function lockedRole(tx: DatabaseTransaction, asking: MemberRequest): Promise<Role> {
	await lockNumbering(tx)
	return roleIn(tx, asking)
}

export async function roleIn(tx: DatabaseTransaction, { workspaceId, user }: MemberRequest): Promise<Role> {
	const member = await findMember(tx, workspaceId, user.userId)
	if (!member) throw new Problem('forbidden', 'You are no longer a member of this workspace.')
	return member.role
}

/** Nobody may assign or remove a role with more rights than their own: only owners appoint or demote owners. */
export function refuseRole(has: Role, ...dealt: readonly Role[]): void {
	if (!roleHas(has, 'members:write'))
		throw new Problem('forbidden', `This needs the role admin; yours is ${has}.`)
	const beyond = dealt.find((role) => !roleIncludes(has, role))
	if (beyond) throw new Problem('forbidden', `Only owners make or unmake ${beyond}s; your role is ${has}.`)
}

export function recordFor(
	{ audit }: IdentityContext,
	tx: DatabaseTransaction,
	{ user, workspaceId, requestId }: MemberRequest,
	entry: {
		action: string
		target: { kind: string; id: string; name: string }
		detail?: Record<string, unknown>
	},
): Promise<void> {
	return audit.record(tx, { workspaceId, actor: actorOf(user), requestId, ...entry })
}
