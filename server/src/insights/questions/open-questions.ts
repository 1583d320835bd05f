import { type BodyOf, questionOperations } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/index.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/index.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import { paginate } from '../../platform/paging.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { dashboardRoutes } from './dashboards.ts'
import {
	askedOf,
	presentQuestion,
	type QuestionContext,
	type QuestionDocument,
	type QuestionRow,
} from './question.ts'
import {
	countQuestions,
	deleteQuestion,
	findQuestion,
	insertQuestion,
	listQuestions,
	updateQuestion,
	watcherOf,
} from './repository.ts'

type Created = BodyOf<(typeof questionOperations)['create']>
type Updated = BodyOf<(typeof questionOperations)['update']>

const mostQuestions = 500
const readOnly = ['id', 'created_at', 'updated_at']

/** A question of the workspace, or the 404 that also stands for malformed ids and other workspaces. */
async function questionOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<QuestionRow> {
	const row = await findQuestion(db, workspaceId, id)
	if (!row) throw notFound('question')
	return row
}

function createQuestion(
	questions: QuestionContext,
	request: RequestContext,
	body: Created,
): Promise<QuestionDocument> {
	const nowMs = questions.clock.nowMs()
	const row: QuestionRow = {
		id: newId(nowMs),
		workspace_id: principalIn(request).workspaceId,
		name: body.name,
		read: body.read,
		time_range: body.range ?? '24h',
		filter: JSON.stringify(body.filter ?? {}),
		compare: Number(body.compare ?? false),
		sort: body.sort ?? 'calls',
		created_at: nowMs,
		updated_at: nowMs,
	}
	return questions.mutate(async (tx) => {
		if ((await countQuestions(tx, row.workspace_id)) >= mostQuestions)
			throw new Problem('conflict', `A workspace has at most ${mostQuestions} saved questions.`)
		await insertQuestion(tx, row)
		await note(tx, questions, request, 'create', row, body)
		return presentQuestion(row)
	})
}

function changeQuestion(
	questions: QuestionContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<QuestionDocument> {
	return questions.mutate(async (tx) => {
		const before = await questionOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentQuestion(before)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const row: QuestionRow = {
			...before,
			name: body.name ?? before.name,
			read: body.read ?? before.read,
			time_range: body.range ?? before.time_range,
			filter: body.filter ? JSON.stringify(body.filter) : before.filter,
			compare: Number(body.compare ?? before.compare),
			sort: body.sort ?? before.sort,
			updated_at: questions.clock.nowMs(),
		}
		await updateQuestion(tx, row.workspace_id, row.id, row)
		await note(tx, questions, request, 'update', row, body)
		return presentQuestion(row)
	})
}

function removeQuestion(questions: QuestionContext, request: RequestContext, id: string): Promise<void> {
	return questions.mutate(async (tx) => {
		const row = await questionOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentQuestion(row))
		const watcher = await watcherOf(tx, row.workspace_id, id)
		if (watcher !== undefined)
			throw new Problem('conflict', `The alert “${watcher}” watches this question; delete it first.`)
		await deleteQuestion(tx, row.workspace_id, id)
		await note(tx, questions, request, 'delete', row, {})
	})
}

function note(
	tx: DatabaseTransaction,
	{ audit }: QuestionContext,
	request: RequestContext,
	verb: string,
	row: QuestionRow,
	detail: object,
): Promise<unknown> {
	return audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: actorOf(principalIn(request)),
		action: `questions.${verb}`,
		target: { kind: 'question', id: row.id, name: row.name },
		detail: { ...detail },
		requestId: request.requestId,
	})
}

/** Questions to Spotlight that were saved under a name. */
export function openQuestions(questions: QuestionContext): { operations: BoundOperation[] } {
	const { db } = questions.store
	return {
		operations: [
			...dashboardRoutes(questions),
			...bind(questionOperations, {
				list: async ({ query, context }) => {
					const { rows, total } = await listQuestions(db, principalIn(context).workspaceId, query)
					return { questions: rows.map(presentQuestion), pagination: paginate(query, total) }
				},
				create: ({ body, context }) => createQuestion(questions, context, body),
				get: async ({ params, context }) =>
					presentQuestion(await questionOrNotFound(db, principalIn(context).workspaceId, params.id)),
				answer: async ({ params, context }) => {
					const { workspaceId } = principalIn(context)
					const row = await questionOrNotFound(db, workspaceId, params.id)
					const answer = await questions.ask(workspaceId, askedOf(row))
					return { question: presentQuestion(row), answer }
				},
				update: ({ params, body, context }) => changeQuestion(questions, context, params.id, body),
				delete: async ({ params, context }) => void (await removeQuestion(questions, context, params.id)),
			}),
		],
	}
}
