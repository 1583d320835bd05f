import { type BodyOf, instanceOperations, type OutputOf, settingOperations } from '@signalbox/contract'
import { appendChange, lockNumbering } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import { notFound } from '../../../platform/errors.ts'
import { type BoundOperation, bind, type UserPrincipal, userIn } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import { actorOf } from '../../audit/index.ts'
import type { IdentityContext } from '../identity-context.ts'
import { changeSettings } from './change-settings.ts'
import {
	countOperators,
	findInstanceWorkspace,
	type InstanceWorkspaceRow,
	listInstanceWorkspaces,
	listOperators,
	setStdioAllowed,
} from './instance-repository.ts'

export function instanceRoutes(context: IdentityContext): BoundOperation[] {
	const { db } = context.store
	return [
		...bind(settingOperations, {
			get: () => context.instance.settings(),
			update: ({ body, context: request }) =>
				changeSettings(context, userIn(request), body, request.requestId),
		}),
		...bind(instanceOperations, {
			workspaces: async ({ query }) => {
				const { rows, total } = await listInstanceWorkspaces(db, query.q, query)
				return { workspaces: rows.map(presentInstanceWorkspace), pagination: paginate(query, total) }
			},
			rights: async ({ params, body, context: request }) =>
				presentInstanceWorkspace(
					await changeRights(context, userIn(request), params.id, body, request.requestId),
				),
			operators: async ({ query }) => ({
				operators: await listOperators(db, query),
				pagination: paginate(query, await countOperators(db)),
			}),
		}),
	]
}

function presentInstanceWorkspace(
	row: InstanceWorkspaceRow,
): OutputOf<(typeof instanceOperations)['rights']> {
	const { id, name, member_count } = row
	const rights = { stdio: row.stdio_allowed === 1 }
	return { id, name, created_at: toIso(row.created_at), member_count, rights }
}

/** What only operators do across workspaces: gives or takes a right of the instance. Noted in the chain of that workspace. */
async function changeRights(
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
