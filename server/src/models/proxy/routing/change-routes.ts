import { type BodyOf, modelRouteOperations, type Provider, type RouteStrategy } from '@signalbox/contract'
import type { ModelAccess } from '../../../access/agents/agents.ts'
import { type Audit, type RequestedChange, recordChange } from '../../../accounts/audit/audit.ts'
import type { KnowsModel } from '../../../ledger/ledger.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import { type ControlStore, duplicateOf, type Queryable } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { paginate } from '../../../platform/paging.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import type { RouteTarget } from './model-route.ts'
import {
	connectionHasName,
	deleteModelRoute,
	findModelRoute,
	insertModelRoute,
	listConnectionNames,
	listModelRoutes,
	type ModelRouteRow,
	updateModelRoute,
} from './route-repository.ts'

/** A route as the API returns it. `connections`: the names in its workspace. */
function presentModelRoute(row: ModelRouteRow, connections: ReadonlySet<string>) {
	const targets = JSON.parse(row.targets) as RouteTarget[]
	const missing = new Set(
		targets.map(({ connection }) => connection).filter((name) => !connections.has(name)),
	)
	return {
		id: row.id,
		name: row.name,
		strategy: row.strategy as RouteStrategy,
		targets,
		retries: row.retries,
		first_token_timeout_ms: row.first_token_timeout_ms,
		idle_timeout_ms: row.idle_timeout_ms,
		total_timeout_ms: row.total_timeout_ms,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		warnings: [...missing].map((name) => `There is no connection ${name}: its targets are passed over.`),
	}
}

/** Providers whose models are all in the price table. Which models others serve is unknown. */
const listed: readonly Provider[] = ['openai', 'anthropic', 'gemini']

/**
 * The parts of an agent's model access that have no effect now: names that nothing has, and patterns that match no known model.
 * `kindOf`: a connection's provider, `route`, or null if nothing has the name.
 */
export function modelAccessWarnings(
	access: ModelAccess,
	kindOf: (name: string) => Provider | 'route' | null,
	knows: KnowsModel,
): string[] {
	if (access.mode === 'all') return []
	if (access.connections.size === 0)
		return ['model_access: it names no connection, so the agent may call no model.']
	return [...access.connections].flatMap(([name, patterns]) => {
		const kind = kindOf(name)
		if (kind === null) return [`model_access: there is no connection or route ${name}.`]
		if (kind === 'route' || !listed.includes(kind)) return []
		const unknown = patterns.filter((pattern) => !knows(kind, pattern))
		if (unknown.length === 0) return []
		return [`model_access: no known model of the connection ${name} matches ${unknown.join(', ')}.`]
	})
}

interface ModelRouteContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
}

type Created = BodyOf<(typeof modelRouteOperations)['create']>
type Updated = BodyOf<(typeof modelRouteOperations)['update']>

const readOnly = ['id', 'name', 'created_at', 'updated_at']

/** A route of the workspace. Throws the same 404 for malformed ids and for routes of other workspaces. */
async function modelRouteOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<ModelRouteRow> {
	const row = await findModelRoute(db, workspaceId, id)
	if (!row) throw notFound('route')
	return row
}

function createModelRoute(
	routes: ModelRouteContext,
	request: RequestContext,
	body: Created,
): Promise<ModelRouteRow> {
	const row = newRow(principalIn(request).workspaceId, body, routes.clock.nowMs())
	const inserted = routes.mutate(async (tx) => {
		if (await connectionHasName(tx, row.workspace_id, row.name)) throw nameTaken('connection', row.name)
		await insertModelRoute(tx, row)
		await recordChange(tx, routes, request, changeOf('create', row, body))
		return row
	})
	return inserted.catch((error: unknown) => {
		throw duplicateOf(error) === null ? error : nameTaken('route', row.name)
	})
}

function newRow(workspace_id: string, body: Created, nowMs: number): ModelRouteRow {
	return {
		id: newId(nowMs),
		workspace_id,
		name: body.name,
		strategy: body.strategy ?? 'ordered',
		targets: toTargets(body.targets),
		retries: body.retries ?? 1,
		first_token_timeout_ms: body.first_token_timeout_ms ?? null,
		idle_timeout_ms: body.idle_timeout_ms ?? null,
		total_timeout_ms: body.total_timeout_ms ?? null,
		created_at: nowMs,
		updated_at: nowMs,
	}
}

function toTargets(given: Created['targets']): string {
	return JSON.stringify(
		given.map(({ connection, model = null, weight = 1, for_models = ['*'] }) => ({
			...{ connection, model, weight, for_models },
		})),
	)
}

function changeModelRoute(
	routes: ModelRouteContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<ModelRouteRow> {
	return routes.mutate(async (tx) => {
		const before = await modelRouteOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentModelRoute(before, new Set())
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const { id: _id, name: _name, created_at: _at, warnings: _warnings, targets, ...settings } = body
		const row = {
			...before,
			...settings,
			...(targets && { targets: toTargets(targets) }),
			updated_at: routes.clock.nowMs(),
		}
		await updateModelRoute(tx, row.workspace_id, row.id, row)
		const { warnings: _unchecked, ...detail } = body
		await recordChange(tx, routes, request, changeOf('update', row, detail))
		return row
	})
}

function removeModelRoute(routes: ModelRouteContext, request: RequestContext, id: string): Promise<void> {
	return routes.mutate(async (tx) => {
		const row = await modelRouteOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentModelRoute(row, new Set()))
		await deleteModelRoute(tx, row.workspace_id, id)
		await recordChange(tx, routes, request, changeOf('delete', row))
	})
}

/** A change of a route, as it is recorded. */
function changeOf(verb: string, row: ModelRouteRow, detail: object = {}): RequestedChange {
	const target = { kind: 'model_route', id: row.id, name: row.name }
	return { action: `routes.${verb}`, target, detail: { ...detail }, viewKind: 'model_route' }
}

function nameTaken(noun: string, name: string): Problem {
	return new Problem('name_taken', `There is a ${noun} named ${name} already.`)
}

export function modelRouteRoutes(routes: ModelRouteContext): BoundOperation[] {
	const { db } = routes.store
	const present = async (row: ModelRouteRow) =>
		presentModelRoute(row, await listConnectionNames(db, row.workspace_id))
	return bind(modelRouteOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const { rows, total } = await listModelRoutes(db, workspaceId, { ...query, sort: 'created_at' })
			const names = await listConnectionNames(db, workspaceId)
			return {
				routes: rows.map((row) => presentModelRoute(row, names)),
				pagination: paginate(query, total),
			}
		},
		create: async ({ body, context }) => present(await createModelRoute(routes, context, body)),
		get: async ({ params, context }) =>
			present(await modelRouteOrNotFound(db, principalIn(context).workspaceId, params.id)),
		update: async ({ params, body, context }) =>
			present(await changeModelRoute(routes, context, params.id, body)),
		delete: async ({ params, context }) => void (await removeModelRoute(routes, context, params.id)),
	})
}
