import type { Queryable } from '../../../platform/database/database.ts'
import { ownedRows } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type ModelLimitRow = ControlSchema['model_limits']

export const {
	find: findModelLimit,
	list: listModelLimits,
	count: countModelLimits,
	insert: insertModelLimit,
	update: updateModelLimit,
	remove: deleteModelLimit,
} = ownedRows('model_limits')

/** For the in-memory view, across workspaces: all active limits, or one that changed. */
export function readModelLimits(db: Queryable, id?: string): Promise<ModelLimitRow[]> {
	const all = db.selectFrom('model_limits').selectAll().where('enabled', '=', 1)
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}
