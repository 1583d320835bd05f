import type { BodyOf, modelRouteOperations } from '@signalbox/contract'
import { type Audit, actorOf } from '../../../accounts/audit/index.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange } from '../../../platform/changes.ts'
import type { Clock } from '../../../platform/clock.ts'
import {
	type ControlStore,
	type DatabaseTransaction,
	duplicateOf,
	type Queryable,
} from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import type { Change } from '../connections/service.ts'
import type { ModelRouteRow } from './model-route.ts'
import { presentModelRoute } from './present-route.ts'
import {
	connectionHasName,
	deleteModelRoute,
	findModelRoute,
	insertModelRoute,
	updateModelRoute,
} from './repository.ts'

export interface ModelRouteContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
}

type Created = BodyOf<(typeof modelRouteOperations)['create']>
type Updated = BodyOf<(typeof modelRouteOperations)['update']>

const readOnly = ['id', 'name', 'created_at', 'updated_at']

/** A route of the workspace, or the 404 that also stands for malformed ids and other workspaces. */
export async function modelRouteOrNotFound(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<ModelRouteRow> {
	const row = await findModelRoute(db, workspaceId, id)
	if (!row) throw notFound('route')
	return row
}

export function createModelRoute(
	routes: ModelRouteContext,
	by: Change,
	body: Created,
): Promise<ModelRouteRow> {
	const row = newRow(by.principal.workspaceId, body, routes.clock.nowMs())
	const inserted = routes.mutate(async (tx) => {
		if (await connectionHasName(tx, row.workspace_id, row.name)) throw nameTaken('connection', row.name)
		await insertModelRoute(tx, row)
		await note(tx, routes, by, 'create', row, body)
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

export function changeModelRoute(
	routes: ModelRouteContext,
	by: Change,
	id: string,
	body: Updated,
): Promise<ModelRouteRow> {
	return routes.mutate(async (tx) => {
		const before = await modelRouteOrNotFound(tx, by.principal.workspaceId, id)
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
		await note(tx, routes, by, 'update', row, body)
		return row
	})
}

export function removeModelRoute(routes: ModelRouteContext, by: Change, id: string): Promise<void> {
	return routes.mutate(async (tx) => {
		const row = await modelRouteOrNotFound(tx, by.principal.workspaceId, id)
		requireUnchanged(presentModelRoute(row, new Set()))
		await deleteModelRoute(tx, row.workspace_id, id)
		await note(tx, routes, by, 'delete', row, {})
	})
}

async function note(
	tx: DatabaseTransaction,
	{ audit, clock }: ModelRouteContext,
	by: Change,
	verb: string,
	row: ModelRouteRow,
	detail: object,
): Promise<void> {
	await audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: actorOf(by.principal),
		action: `routes.${verb}`,
		target: { kind: 'model_route', id: row.id, name: row.name },
		detail: { ...detail },
		requestId: by.requestId,
	})
	await appendChange(tx, 'model_route', row.id, clock)
}

function nameTaken(noun: string, name: string): Problem {
	return new Problem('name_taken', `There is a ${noun} named ${name} already.`)
}
