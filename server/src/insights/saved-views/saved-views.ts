import { type BodyOf, savedViewOperations } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { paginate } from '../../platform/paging.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { dashboardRoutes } from './dashboards.ts'
import {
	askedOf,
	presentSavedView,
	type SavedViewContext,
	type SavedViewDocument,
	type SavedViewRow,
} from './saved-view.ts'
import {
	countSavedViews,
	deleteSavedView,
	findSavedView,
	insertSavedView,
	listSavedViews,
	updateSavedView,
	watcherOf,
} from './saved-view-repository.ts'

export { askedOf } from './saved-view.ts'
export { findSavedView } from './saved-view-repository.ts'

type Created = BodyOf<(typeof savedViewOperations)['create']>
type Updated = BodyOf<(typeof savedViewOperations)['update']>

const maxSavedViews = 500
const readOnly = ['id', 'created_at', 'updated_at']

/** A saved view of the workspace. A malformed id or one of another workspace is the same 404 as an unknown id. */
async function viewOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<SavedViewRow> {
	const row = await findSavedView(db, workspaceId, id)
	if (!row) throw notFound('saved view')
	return row
}

function createSavedView(
	views: SavedViewContext,
	request: RequestContext,
	body: Created,
): Promise<SavedViewDocument> {
	const nowMs = views.clock.nowMs()
	const row: SavedViewRow = {
		id: newId(nowMs),
		workspace_id: principalIn(request).workspaceId,
		name: body.name,
		read: body.read,
		time_range: body.range ?? '24h',
		filter: JSON.stringify(body.filter ?? {}),
		compare: Number(body.compare ?? false),
		sort: body.sort ?? 'calls',
		address: body.address ?? null,
		created_at: nowMs,
		updated_at: nowMs,
	}
	return views.mutate(async (tx) => {
		if ((await countSavedViews(tx, row.workspace_id)) >= maxSavedViews)
			throw new Problem('conflict', `A workspace has at most ${maxSavedViews} saved views.`)
		await insertSavedView(tx, row)
		await note(tx, views, request, 'create', row, body)
		return presentSavedView(row)
	})
}

function changeSavedView(
	views: SavedViewContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<SavedViewDocument> {
	return views.mutate(async (tx) => {
		const before = await viewOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentSavedView(before)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const row: SavedViewRow = {
			...before,
			name: body.name ?? before.name,
			read: body.read ?? before.read,
			time_range: body.range ?? before.time_range,
			filter: body.filter ? JSON.stringify(body.filter) : before.filter,
			compare: Number(body.compare ?? before.compare),
			sort: body.sort ?? before.sort,
			address: body.address === undefined ? before.address : body.address,
			updated_at: views.clock.nowMs(),
		}
		await updateSavedView(tx, row.workspace_id, row.id, row)
		await note(tx, views, request, 'update', row, body)
		return presentSavedView(row)
	})
}

function removeSavedView(views: SavedViewContext, request: RequestContext, id: string): Promise<void> {
	return views.mutate(async (tx) => {
		const row = await viewOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentSavedView(row))
		const watcher = await watcherOf(tx, row.workspace_id, id)
		if (watcher !== undefined)
			throw new Problem('conflict', `The alert “${watcher}” watches this saved view; delete it first.`)
		await deleteSavedView(tx, row.workspace_id, id)
		await note(tx, views, request, 'delete', row, {})
	})
}

function note(
	tx: DatabaseTransaction,
	{ audit }: SavedViewContext,
	request: RequestContext,
	verb: string,
	row: SavedViewRow,
	detail: object,
): Promise<unknown> {
	return audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: actorOf(principalIn(request)),
		action: `questions.${verb}`,
		target: { kind: 'question', id: row.id, name: row.name },
		detail: { ...detail },
		requestId: request.requestId,
	})
}

/** Opens the saved views: Spotlight queries that were saved under a name. */
export function openSavedViews(views: SavedViewContext): { operations: BoundOperation[] } {
	const { db } = views.store
	return {
		operations: [
			...dashboardRoutes(views),
			...bind(savedViewOperations, {
				list: async ({ query, context }) => {
					const { rows, total } = await listSavedViews(db, principalIn(context).workspaceId, query)
					return { questions: rows.map(presentSavedView), pagination: paginate(query, total) }
				},
				create: ({ body, context }) => createSavedView(views, context, body),
				get: async ({ params, context }) =>
					presentSavedView(await viewOrNotFound(db, principalIn(context).workspaceId, params.id)),
				answer: async ({ params, context }) => {
					const { workspaceId } = principalIn(context)
					const row = await viewOrNotFound(db, workspaceId, params.id)
					const answer = await views.ask(workspaceId, askedOf(row))
					return { question: presentSavedView(row), answer }
				},
				update: ({ params, body, context }) => changeSavedView(views, context, params.id, body),
				delete: async ({ params, context }) => void (await removeSavedView(views, context, params.id)),
			}),
		],
	}
}
