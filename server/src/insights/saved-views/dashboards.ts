import { type BodyOf, type DashboardPanel, dashboardOperations, type OutputOf } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { paginate } from '../../platform/paging.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import type { SavedViewContext } from './saved-view.ts'
import { dashboardRows, findSavedView } from './saved-view-repository.ts'

type Row = ControlSchema['dashboards']
type Document = OutputOf<(typeof dashboardOperations)['get']>

const maxDashboards = 100
const readOnly = ['id', 'created_at', 'updated_at']

/** Saved views side by side, shared in the workspace. */
export function dashboardRoutes(context: SavedViewContext): BoundOperation[] {
	const { db } = context.store
	return bind(dashboardOperations, {
		list: async ({ query, context: request }) => {
			const { rows, total } = await dashboardRows.list(db, principalIn(request).workspaceId, query)
			return { dashboards: rows.map(present), pagination: paginate(query, total) }
		},
		create: ({ body, context: request }) => create(context, request, body),
		get: async ({ params, context: request }) =>
			present(await orNotFound(db, principalIn(request).workspaceId, params.id)),
		update: ({ params, body, context: request }) => change(context, request, params.id, body),
		delete: async ({ params, context: request }) => {
			await context.mutate(async (tx) => {
				const row = await orNotFound(tx, principalIn(request).workspaceId, params.id)
				requireUnchanged(present(row))
				await dashboardRows.remove(tx, row.workspace_id, row.id)
				await note(tx, context, request, 'delete', row)
			})
			return undefined
		},
	})
}

function present(row: Row): Document {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		panels: JSON.parse(row.panels) as DashboardPanel[],
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

async function orNotFound(db: Queryable, workspaceId: string, id: string): Promise<Row> {
	const row = await dashboardRows.find(db, workspaceId, id)
	if (!row) throw notFound('dashboard')
	return row
}

function create(
	context: SavedViewContext,
	request: RequestContext,
	{ name, description = '', panels = [] }: BodyOf<(typeof dashboardOperations)['create']>,
): Promise<Document> {
	const nowMs = context.clock.nowMs()
	const row: Row = {
		id: newId(nowMs),
		workspace_id: principalIn(request).workspaceId,
		name,
		description,
		panels: JSON.stringify(panels),
		created_at: nowMs,
		updated_at: nowMs,
	}
	return context.mutate(async (tx) => {
		if ((await dashboardRows.count(tx, row.workspace_id)) >= maxDashboards)
			throw new Problem('conflict', `A workspace has at most ${maxDashboards} dashboards.`)
		await requireSound(tx, row.workspace_id, panels, [])
		await dashboardRows.insert(tx, row)
		await note(tx, context, request, 'create', row)
		return present(row)
	})
}

function change(
	context: SavedViewContext,
	request: RequestContext,
	id: string,
	body: BodyOf<(typeof dashboardOperations)['update']>,
): Promise<Document> {
	return context.mutate(async (tx) => {
		const before = await orNotFound(tx, principalIn(request).workspaceId, id)
		const current = present(before)
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
		await note(tx, context, request, 'update', row)
		return present(row)
	})
}

/** Views that were deleted may remain in a dashboard, whose panel says so. */
async function requireSound(
	tx: DatabaseTransaction,
	workspaceId: string,
	panels: readonly DashboardPanel[],
	before: readonly DashboardPanel[],
): Promise<void> {
	if (new Set(panels.map(({ id }) => id)).size < panels.length)
		throw wrong('panels', 'has two panels with the same id')
	const known = new Set(before.map(({ question_id }) => question_id))
	for (const [at, { question_id }] of panels.entries()) {
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

function note(
	tx: DatabaseTransaction,
	{ audit }: SavedViewContext,
	request: RequestContext,
	verb: string,
	row: Row,
): Promise<unknown> {
	return audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: actorOf(principalIn(request)),
		action: `dashboards.${verb}`,
		target: { kind: 'dashboard', id: row.id, name: row.name },
		detail: { panels: (JSON.parse(row.panels) as DashboardPanel[]).map(({ title }) => title) },
		requestId: request.requestId,
	})
}
