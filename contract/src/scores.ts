import { Type } from 'typebox'
import { type Access, byScope } from './access.ts'
import { OneOf, Strict } from './common.ts'
import { operation } from './operation.ts'
import { Score, ScoreValue, scoreSources } from './score.ts'
import { cursorQuery, OptionalText, rangeQuery } from './telemetry.ts'

/** A score is telemetry: what may send spans may send scores. */
const writing: Access = { kinds: ['user', 'ingest_token'], roleScope: 'scores:write' }

const subject = {
	trace_id: Type.Optional(
		Type.String({ pattern: '^[0-9a-fA-F]{32}$', description: 'The trace that is judged' }),
	),
	span_id: Type.Optional(
		Type.String({ pattern: '^[0-9a-fA-F]{16}$', description: 'One call of the trace; needs `trace_id`' }),
	),
	session_id: Type.Optional(
		Type.String({
			minLength: 1,
			maxLength: 256,
			description: 'The session that is judged, or that the trace is of',
		}),
	),
}

export const scoreOperations = {
	create: operation({
		id: 'scores.create',
		method: 'POST',
		path: '/v1/scores',
		summary: 'Judge a trace, a call or a session',
		description:
			'Takes an ingest token, or a person who is a member. It is kept as an event `gen_ai.evaluation.result`, as log records of that name sent by OTLP are, and shows within seconds.',
		access: writing,
		body: Strict({
			...subject,
			name: Type.String({ minLength: 1, maxLength: 100, description: 'What is judged: `helpfulness`' }),
			value: Type.Optional(ScoreValue),
			comment: Type.Optional(Type.String({ maxLength: 4000 })),
			source: Type.Optional(
				OneOf(scoreSources, {
					description: '`person` for signed-in people and `code` for tokens, if not said',
				}),
			),
		}),
		status: 201,
		response: Score,
	}),
	list: operation({
		id: 'scores.list',
		method: 'GET',
		path: '/v1/scores',
		summary: 'Scores and evaluation results, newest first',
		access: byScope('telemetry:read'),
		query: Strict({
			...rangeQuery,
			...cursorQuery,
			...subject,
			name: Type.Optional(Type.String({ maxLength: 256 })),
			source: Type.Optional(OneOf(scoreSources)),
		}),
		status: 200,
		response: Strict({ scores: Type.Array(Score), next_cursor: OptionalText }, { title: 'ScoreList' }),
	}),
}
