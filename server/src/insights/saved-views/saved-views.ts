import { isDeepStrictEqual } from 'node:util'
import {
	type Asked,
	type BodyOf,
	type DashboardPanel,
	dashboardOperations,
	type OutputOf,
	savedViewOperations,
} from '@signalbox/contract'
import { type Audit, type RequestedChange, recordChange } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import {
	type ControlStore,
	type DatabaseTransaction,
	lockCount,
	type Queryable,
} from '../../platform/database/database.ts'
import { ownedRows, requireRoom } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { paginate } from '../../platform/paging.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { callColumns, eachCondition } from '../../telemetry/index.ts'

type SavedViewRow = ControlSchema['saved_questions']
type SavedViewDocument = OutputOf<(typeof savedViewOperations)['get']>

const {
	find: findSavedView,
	list: listSavedViews,
	count: countSavedViews,
	insert: insertSavedView,
	update: updateSavedView,
	remove: deleteSavedView,
} = ownedRows('saved_questions')

export { findSavedView }

/** Runs a Spotlight query now. Throws `store_unavailable` while the telemetry store does not answer. */
type AskSpotlight = (
	workspaceId: string,
	asked: Asked,
) => Promise<OutputOf<(typeof savedViewOperations)['answer']>['answer']>

interface SavedViewContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	ask: AskSpotlight
}

/** The Spotlight query of a saved view. */
export function askedOf(row: SavedViewRow): Asked {
	return {
		read: row.read as Asked['read'],
		range: row.time_range as Asked['range'],
		filter: JSON.parse(row.filter) as Asked['filter'],
		compare: row.compare === 1,
		sort: row.sort as Asked['sort'],
	}
}

/** A saved view in the form of the API. */
function presentSavedView(row: SavedViewRow): SavedViewDocument {
	return {
		id: row.id,
		name: row.name,
		...askedOf(row),
		address: row.address,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

type Created = BodyOf<(typeof savedViewOperations)['create']>
type Updated = BodyOf<(typeof savedViewOperations)['update']>

/** Throws Problem 400 for a filter with a condition that no query accepts. */
function requireAnswerable({ filter = [] }: Asked['filter'], field = 'filter'): void {
	eachCondition(filter, { parameter: field, columns: callColumns })
}

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
	requireAnswerable(body.filter ?? {})
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
		await requireRoom(tx, row.workspace_id, {
			most: maxSavedViews,
			what: 'saved views',
			count: countSavedViews,
		})
		await insertSavedView(tx, row)
		await recordChange(tx, views, request, changeOf('create', row, body))
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
		if (!isDeepStrictEqual(body.filter, current.filter)) requireAnswerable(body.filter ?? {})
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
		await recordChange(tx, views, request, changeOf('update', row, body))
		return presentSavedView(row)
	})
}

function removeSavedView(views: SavedViewContext, request: RequestContext, id: string): Promise<void> {
	return views.mutate(async (tx) => {
		const row = await viewOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentSavedView(row))
		await lockWatched(tx, row.workspace_id)
		const watcher = await watcherOf(tx, row.workspace_id, id)
		if (watcher !== undefined)
			throw new Problem('conflict', `The alert “${watcher}” watches this saved view; delete it first.`)
		await deleteSavedView(tx, row.workspace_id, id)
		await recordChange(tx, views, request, changeOf('delete', row))
	})
}

/** A change of a saved view, as it is recorded. */
function changeOf(verb: string, row: SavedViewRow, detail: object = {}): RequestedChange {
	const target = { kind: 'question', id: row.id, name: row.name }
	return { action: `questions.${verb}`, target, detail: { ...detail } }
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

/**
 * Serialises the deletions of saved views with the changes of what alerts watch: otherwise one could delete the view that another is about
 * to watch. Held until the transaction ends.
 */
export function lockWatched(tx: DatabaseTransaction, workspaceId: string): Promise<void> {
	return lockCount(tx, `watched saved views ${workspaceId}`)
}

/** The name of an alert that watches a saved view, if there is one. */
async function watcherOf(
	tx: DatabaseTransaction,
	workspaceId: string,
	viewId: string,
): Promise<string | undefined> {
	const watching = tx
		.selectFrom('alerts')
		.select('name')
		.where('workspace_id', '=', workspaceId)
		.where('question_id', '=', viewId)
		.orderBy('id')
		.limit(1)
	return (await watching.executeTakeFirst())?.name
}

const dashboardRows = ownedRows('dashboards')

type DashboardRow = ControlSchema['dashboards']
type DashboardDocument = OutputOf<(typeof dashboardOperations)['get']>

const maxDashboards = 100

/** Saved views side by side, shared in the workspace. */
function dashboardRoutes(context: SavedViewContext): BoundOperation[] {
	const { db } = context.store
	return bind(dashboardOperations, {
		list: async ({ query, context: request }) => {
			const { rows, total } = await dashboardRows.list(db, principalIn(request).workspaceId, query)
			return { dashboards: rows.map(presentDashboard), pagination: paginate(query, total) }
		},
		create: ({ body, context: request }) => createDashboard(context, request, body),
		get: async ({ params, context: request }) =>
			presentDashboard(await dashboardOrNotFound(db, principalIn(request).workspaceId, params.id)),
		update: ({ params, body, context: request }) => changeDashboard(context, request, params.id, body),
		delete: async ({ params, context: request }) => {
			await context.mutate(async (tx) => {
				const row = await dashboardOrNotFound(tx, principalIn(request).workspaceId, params.id)
				requireUnchanged(presentDashboard(row))
				await dashboardRows.remove(tx, row.workspace_id, row.id)
				await recordChange(tx, context, request, dashboardChange('delete', row))
			})
			return undefined
		},
	})
}

function presentDashboard(row: DashboardRow): DashboardDocument {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		panels: JSON.parse(row.panels) as DashboardPanel[],
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

async function dashboardOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<DashboardRow> {
	const row = await dashboardRows.find(db, workspaceId, id)
	if (!row) throw notFound('dashboard')
	return row
}

function createDashboard(
	context: SavedViewContext,
	request: RequestContext,
	{ name, description = '', panels = [] }: BodyOf<(typeof dashboardOperations)['create']>,
): Promise<DashboardDocument> {
	const nowMs = context.clock.nowMs()
	const row: DashboardRow = {
		id: newId(nowMs),
		workspace_id: principalIn(request).workspaceId,
		name,
		description,
		panels: JSON.stringify(panels),
		created_at: nowMs,
		updated_at: nowMs,
	}
	return context.mutate(async (tx) => {
		await requireRoom(tx, row.workspace_id, {
			most: maxDashboards,
			what: 'dashboards',
			count: dashboardRows.count,
		})
		await requireSound(tx, row.workspace_id, panels, [])
		await dashboardRows.insert(tx, row)
		await recordChange(tx, context, request, dashboardChange('create', row))
		return presentDashboard(row)
	})
}

function changeDashboard(
	context: SavedViewContext,
	request: RequestContext,
	id: string,
	body: BodyOf<(typeof dashboardOperations)['update']>,
): Promise<DashboardDocument> {
	return context.mutate(async (tx) => {
		const before = await dashboardOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentDashboard(before)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const panels = body.panels ?? current.panels
		await requireSound(tx, before.workspace_id, panels, current.panels)
		const row = {
			...before,
			name: body.name ?? before.name,
			description: body.description ?? before.description,
			panels: JSON.stringify(panels),
			updated_at: context.clock.nowMs(),
		}
		await dashboardRows.update(tx, row.workspace_id, id, row)
		await recordChange(tx, context, request, dashboardChange('update', row))
		return presentDashboard(row)
	})
}

/** Views that were deleted may remain in a dashboard, whose panel says so. So may a filter that was saved before it was refused. */
async function requireSound(
	tx: DatabaseTransaction,
	workspaceId: string,
	panels: readonly DashboardPanel[],
	before: readonly DashboardPanel[],
): Promise<void> {
	if (new Set(panels.map(({ id }) => id)).size < panels.length)
		throw wrong('panels', 'has two panels with the same id')
	const known = new Set(before.map(({ question_id }) => question_id))
	for (const [at, { question_id, filter }] of panels.entries()) {
		if (!before.some((one) => isDeepStrictEqual(one.filter, filter)))
			requireAnswerable(filter, `panels/${at}/filter`)
		if (question_id === null || known.has(question_id)) continue
		if (!(await findSavedView(tx, workspaceId, question_id)))
			throw wrong(`panels/${at}/question_id`, 'is not a saved view of this workspace')
	}
}

function wrong(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'dashboard', detail }],
	})
}

/** A change of a dashboard, as it is recorded. */
function dashboardChange(verb: string, row: DashboardRow): RequestedChange {
	const target = { kind: 'dashboard', id: row.id, name: row.name }
	const panels = (JSON.parse(row.panels) as DashboardPanel[]).map(({ title }) => title)
	return { action: `dashboards.${verb}`, target, detail: { panels } }
}
