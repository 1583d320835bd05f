import type { DatabaseTransaction, Queryable } from '../platform/database/index.ts'
import type { Page } from '../platform/paging.ts'
import type { QuestionRow } from './question.ts'

export interface QuestionListing extends Page {
	sort: 'created_at' | 'updated_at' | 'name'
	order: 'asc' | 'desc'
}

export async function listQuestions(
	db: Queryable,
	workspaceId: string,
	{ page, limit, sort, order }: QuestionListing,
): Promise<{ rows: QuestionRow[]; total: number }> {
	const rows = await ofWorkspace(db, workspaceId)
		.selectAll()
		.orderBy(sort, order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows, total: await countQuestions(db, workspaceId) }
}

export async function countQuestions(db: Queryable, workspaceId: string): Promise<number> {
	const counted = ofWorkspace(db, workspaceId).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export function findQuestion(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<QuestionRow | undefined> {
	return ofWorkspace(db, workspaceId).selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertQuestion(tx: DatabaseTransaction, row: QuestionRow): Promise<void> {
	await tx.insertInto('saved_questions').values(row).execute()
}

export async function updateQuestion(tx: DatabaseTransaction, row: QuestionRow): Promise<void> {
	const { id, workspace_id, ...values } = row
	await tx
		.updateTable('saved_questions')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.execute()
}

export async function deleteQuestion(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
): Promise<void> {
	await tx
		.deleteFrom('saved_questions')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

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

function ofWorkspace(db: Queryable, workspaceId: string) {
	return db.selectFrom('saved_questions').where('workspace_id', '=', workspaceId)
}
