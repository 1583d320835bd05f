import { sql } from 'kysely'
import { type DatabaseTransaction, isPostgres, type Queryable } from '../../../platform/database/database.ts'
import { ownedRows } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type ModelRouteRow = ControlSchema['model_routes']

export const {
	find: findModelRoute,
	list: listModelRoutes,
	insert: insertModelRoute,
	update: updateModelRoute,
	remove: deleteModelRoute,
} = ownedRows('model_routes')

/** Routes and connections share their names, which no index of one table can ensure; SQLite has one writer anyway. */
async function lockNames(tx: DatabaseTransaction): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314010)`.execute(tx)
}

/** Whether a connection has the name. Until the transaction ends, no other one gives it to a connection. */
export async function connectionHasName(
	tx: DatabaseTransaction,
	workspaceId: string,
	name: string,
): Promise<boolean> {
	await lockNames(tx)
	const found = await tx
		.selectFrom('connections')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('name', '=', name)
		.executeTakeFirst()
	return found !== undefined
}

export async function listConnectionNames(db: Queryable, workspaceId: string): Promise<Set<string>> {
	const rows = await db
		.selectFrom('connections')
		.select('name')
		.where('workspace_id', '=', workspaceId)
		.execute()
	return new Set(rows.map(({ name }) => name))
}

/** Whether a route has the name. Until the transaction ends, no other one gives it to a route. */
export async function routeHasName(
	tx: DatabaseTransaction,
	workspaceId: string,
	name: string,
): Promise<boolean> {
	await lockNames(tx)
	return (await ofWorkspace(tx, workspaceId).where('name', '=', name).executeTakeFirst()) !== undefined
}

/** For the in-memory view, across workspaces: all routes, or one that changed. */
export function readModelRoutes(db: Queryable, id?: string): Promise<ModelRouteRow[]> {
	const all = db.selectFrom('model_routes').selectAll()
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}

function ofWorkspace(db: Queryable, workspaceId: string) {
	return db.selectFrom('model_routes').selectAll().where('workspace_id', '=', workspaceId)
}
