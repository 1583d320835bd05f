import { notFound } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import { actorOf } from '../../audit/index.ts'
import type { IdentityContext } from '../context.ts'
import { setSessionWorkspace } from './repository.ts'

/** Lets the session continue in another workspace of the same person, also after later refreshes. */
export async function switchWorkspace(
	{ view, mutate, audit }: IdentityContext,
	user: UserPrincipal,
	workspaceId: string,
	requestId: string,
): Promise<void> {
	if (!view.user(user.userId)?.roles.has(workspaceId)) throw notFound('workspace')
	await mutate(async (tx) => {
		await setSessionWorkspace(tx, workspaceId, user.sessionId)
		await audit.record(tx, { workspaceId, actor: actorOf(user), action: 'auth.switch', requestId })
	})
}
