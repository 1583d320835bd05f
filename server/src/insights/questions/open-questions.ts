import { type Asked, type OutputOf, questionOperations } from '@signalbox/contract'
import type { Audit } from '../../accounts/audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { paginate } from '../../platform/paging.ts'
import { changeQuestion, createQuestion, questionOrNotFound, removeQuestion } from './change-questions.ts'
import { dashboardRoutes } from './dashboards.ts'
import { askedOf, presentQuestion } from './question.ts'
import { listQuestions } from './repository.ts'

/** Asks Spotlight now. Throws `store_unavailable` while the telemetry store does not answer. */
export type AskSpotlight = (
	workspaceId: string,
	asked: Asked,
) => Promise<OutputOf<(typeof questionOperations)['answer']>['answer']>

export interface QuestionContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	ask: AskSpotlight
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
