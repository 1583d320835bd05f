import type { Queryable } from '../../../platform/database/database.ts'
import { ownedRows } from '../../../platform/database/owned-rows.ts'
import type { HookRow } from './hook.ts'

export const {
	find: findHook,
	list: listHooks,
	count: countHooks,
	insert: insertHook,
	update: updateHook,
	remove: deleteHook,
} = ownedRows('hooks')

/** For the in-memory view, across workspaces: all hooks in the order in which they run, or one that changed. */
export function readHooks(db: Queryable, id?: string): Promise<HookRow[]> {
	const all = db.selectFrom('hooks').selectAll().orderBy('created_at').orderBy('id')
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}
