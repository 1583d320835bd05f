import { type BodyOf, type ModelLimitScope, modelLimitOperations } from '@signalbox/contract'
import { type Audit, type RequestedChange, recordChange } from '../../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import type { View } from '../../../platform/changes.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { ControlStore, Database, Queryable } from '../../../platform/database/database.ts'
import { ownedRows, requireRoom } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { isId, newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { paginate } from '../../../platform/paging.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'

export type ModelLimitRow = ControlSchema['model_limits']

const {
	find: findModelLimit,
	list: listModelLimits,
	count: countModelLimits,
	insert: insertModelLimit,
	update: updateModelLimit,
	remove: deleteModelLimit,
} = ownedRows('model_limits')

interface ModelLimitContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
}

type Created = BodyOf<(typeof modelLimitOperations)['create']>
type Updated = BodyOf<(typeof modelLimitOperations)['update']>

/** Each call is counted against all of them. */
const maxLimits = 100
const readOnly = ['id', 'scope', 'scope_id', 'created_at', 'updated_at']

/** A limit of the workspace. Throws the same 404 for malformed ids and for limits of other workspaces. */
async function modelLimitOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<ModelLimitRow> {
	const row = await findModelLimit(db, workspaceId, id)
	if (!row) throw notFound('limit of model calls')
	return row
}

function createModelLimit(
	limits: ModelLimitContext,
	request: RequestContext,
	body: Created,
): Promise<ModelLimitRow> {
	const row = newRow(principalIn(request).workspaceId, body, limits.clock.nowMs())
	refuseNonsense(row)
	refuseName(row)
	return limits.mutate(async (tx) => {
		await requireRoom(tx, row.workspace_id, {
			most: maxLimits,
			what: 'limits of model calls',
			count: countModelLimits,
		})
		await insertModelLimit(tx, row)
		await recordChange(tx, limits, request, changeOf('create', row, body))
		return row
	})
}

function newRow(workspace_id: string, body: Created, nowMs: number): ModelLimitRow {
	return {
		id: newId(nowMs),
		workspace_id,
		name: body.name,
		scope: body.scope,
		scope_id: body.scope_id ?? null,
		requests_per_minute: body.requests_per_minute ?? null,
		tokens_per_minute: body.tokens_per_minute ?? null,
		concurrency: body.concurrency ?? null,
		enabled: body.enabled === false ? 0 : 1,
		created_at: nowMs,
		updated_at: nowMs,
	}
}

function changeModelLimit(
	limits: ModelLimitContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<ModelLimitRow> {
	return limits.mutate(async (tx) => {
		const before = await modelLimitOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentModelLimit(before)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const { id: _id, created_at: _at, enabled, ...settings } = body
		const counts = enabled === undefined ? before.enabled : Number(enabled)
		const row = { ...before, ...settings, enabled: counts, updated_at: limits.clock.nowMs() }
		refuseNonsense(row)
		await updateModelLimit(tx, row.workspace_id, row.id, row)
		await recordChange(tx, limits, request, changeOf('update', row, body))
		return row
	})
}

function removeModelLimit(limits: ModelLimitContext, request: RequestContext, id: string): Promise<void> {
	return limits.mutate(async (tx) => {
		const row = await modelLimitOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentModelLimit(row))
		await deleteModelLimit(tx, row.workspace_id, id)
		await recordChange(tx, limits, request, changeOf('delete', row))
	})
}

/** A change of a limit, as it is recorded. */
function changeOf(verb: string, row: ModelLimitRow, detail: object = {}): RequestedChange {
	const target = { kind: 'model_limit', id: row.id, name: row.name }
	return { action: `model-limits.${verb}`, target, detail: { ...detail }, viewKind: 'model_limit' }
}

/** A name in place of the id would make a limit that counts nothing. Connections have names, and users have ids of their callers. */
function refuseName({ scope, scope_id: id }: ModelLimitRow): void {
	if ((scope === 'agent' || scope === 'key') && id !== null && !isId(id))
		throw wrong('scope_id', `must be the id of the ${scope}, not its name`)
}

/** Refuses settings that limit nothing, or contradict each other. */
function refuseNonsense(row: ModelLimitRow): void {
	if (row.scope === 'workspace' && row.scope_id !== null)
		throw wrong('scope_id', 'must be null for the workspace')
	if (row.requests_per_minute === null && row.tokens_per_minute === null && row.concurrency === null)
		throw wrong('concurrency', 'or one of the rates must be set')
}

function wrong(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'model_limit', detail }],
	})
}

export function modelLimitRoutes(limits: ModelLimitContext): BoundOperation[] {
	const { db } = limits.store
	return bind(modelLimitOperations, {
		list: async ({ query, context }) => {
			const listing = { ...query, sort: 'created_at' } as const
			const { rows, total } = await listModelLimits(db, principalIn(context).workspaceId, listing)
			return { model_limits: rows.map(presentModelLimit), pagination: paginate(query, total) }
		},
		create: async ({ body, context }) => presentModelLimit(await createModelLimit(limits, context, body)),
		get: async ({ params, context }) =>
			presentModelLimit(await modelLimitOrNotFound(db, principalIn(context).workspaceId, params.id)),
		update: async ({ params, body, context }) =>
			presentModelLimit(await changeModelLimit(limits, context, params.id, body)),
		delete: async ({ params, context }) => void (await removeModelLimit(limits, context, params.id)),
	})
}

/** A limit as the API returns it. */
function presentModelLimit(row: ModelLimitRow) {
	return {
		id: row.id,
		name: row.name,
		scope: row.scope as ModelLimitScope,
		scope_id: row.scope_id,
		requests_per_minute: row.requests_per_minute,
		tokens_per_minute: row.tokens_per_minute,
		concurrency: row.concurrency,
		enabled: row.enabled === 1,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

/** The active limits, in memory. */
export interface ModelLimitView {
	of(workspaceId: string): readonly ModelLimitRow[]
}

const none: readonly ModelLimitRow[] = []

export function createModelLimitView(db: Database): ModelLimitView & View {
	let byId = new Map<string, ModelLimitRow>()
	let byWorkspace = new Map<string, readonly ModelLimitRow[]>()
	const replaceAll = (rows: Iterable<ModelLimitRow>) => {
		byId = new Map([...rows].map((row) => [row.id, row]))
		byWorkspace = Map.groupBy(byId.values(), (row) => row.workspace_id)
	}
	return {
		kinds: ['model_limit'],
		load: async () => replaceAll(await readModelLimits(db)),
		apply: async (_kind, id) => {
			const found = await readModelLimits(db, id)
			replaceAll([...byId.values()].filter((row) => row.id !== id).concat(found))
		},
		of: (workspaceId) => byWorkspace.get(workspaceId) ?? none,
	}
}

/** For the in-memory view, across workspaces: all active limits, or one that changed. */
function readModelLimits(db: Queryable, id?: string): Promise<ModelLimitRow[]> {
	const all = db.selectFrom('model_limits').selectAll().where('enabled', '=', 1)
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}
