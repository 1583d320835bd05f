import { type DatabaseTransaction, ownedRows } from '../../platform/database/index.ts'

export const {
	find: findQuestion,
	list: listQuestions,
	count: countQuestions,
	insert: insertQuestion,
	update: updateQuestion,
	remove: deleteQuestion,
} = ownedRows('saved_questions')

export const dashboardRows = ownedRows('dashboards')

/** The name of an alert that watches a question, if one does. */
export async function watcherOf(
	tx: DatabaseTransaction,
	workspaceId: string,
	questionId: string,
): Promise<string | undefined> {
	const watching = tx
		.selectFrom('alerts')
		.select('name')
		.where('workspace_id', '=', workspaceId)
		.where('question_id', '=', questionId)
		.orderBy('id')
		.limit(1)
	return (await watching.executeTakeFirst())?.name
}
