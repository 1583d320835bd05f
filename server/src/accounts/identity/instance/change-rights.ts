import type { BodyOf, instanceOperations } from '@signalbox/contract'
import { appendChange, lockNumbering } from '../../../platform/changes.ts'
import { notFound } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import { actorOf } from '../../audit/index.ts'
import type { IdentityContext } from '../context.ts'
import { findInstanceWorkspace, type InstanceWorkspaceRow, setStdioAllowed } from './repository.ts'

/** What only operators do across workspaces: gives or takes a right of the instance. Noted in the chain of that workspace. */
export async function changeRights(
	{ mutate, audit, clock }: IdentityContext,
	operator: UserPrincipal,
	workspaceId: string,
	{ stdio }: BodyOf<(typeof instanceOperations)['rights']>,
	requestId: string,
): Promise<InstanceWorkspaceRow> {
	return mutate(async (tx) => {
		await lockNumbering(tx)
		const before = await findInstanceWorkspace(tx, workspaceId)
		if (!before) throw notFound('workspace')
		if ((before.stdio_allowed === 1) === stdio) return before
		await setStdioAllowed(tx, workspaceId, stdio)
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(operator),
			action: 'instance.rights',
			target: { kind: 'workspace', id: workspaceId, name: before.name },
			detail: { stdio: { before: !stdio, after: stdio } },
			requestId,
		})
		await appendChange(tx, 'workspace', workspaceId, clock)
		return { ...before, stdio_allowed: stdio ? 1 : 0 }
	})
}
