import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { ownedRows } from '../../platform/database/owned-rows.ts'

export const {
	find: findSavedView,
	list: listSavedViews,
	count: countSavedViews,
	insert: insertSavedView,
	update: updateSavedView,
	remove: deleteSavedView,
} = ownedRows('saved_questions')

export const dashboardRows = ownedRows('dashboards')

/** The name of an alert that watches a saved view, if there is one. */
export async function watcherOf(
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
