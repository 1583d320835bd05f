import { Type } from 'typebox'
import { type Access, byScope } from './access.ts'
import { OneOf, Strict } from './common.ts'
import { operation } from './operation.ts'
import { Score, ScoreValue, scoreSources } from './score.ts'
import { cursorQuery, OptionalText, rangeQuery } from './telemetry.ts'

/** A score is telemetry: credentials that may send spans may send scores. */
const writing: Access = { kinds: ['user', 'ingest_token'], roleScope: 'scores:write' }

const subject = {
	trace_id: Type.Optional(
		Type.String({ pattern: '^[0-9a-fA-F]{32}$', description: 'The trace that is scored' }),
	),
	span_id: Type.Optional(
		Type.String({ pattern: '^[0-9a-fA-F]{16}$', description: 'One call of the trace; needs `trace_id`' }),
	),
	session_id: Type.Optional(
		Type.String({
			minLength: 1,
			maxLength: 256,
			description: 'The session that is scored, or that the trace belongs to',
		}),
	),
}

export const scoreOperations = {
	create: operation({
		id: 'scores.create',
		method: 'POST',
		path: '/v1/scores',
		summary: 'Score a trace, a call or a session',
		description:
			'Accepts an ingest token or a signed-in member. The score is stored as an event `gen_ai.evaluation.result`, like log records of that name sent by OTLP, and visible within seconds.',
		access: writing,
		body: Strict({
			...subject,
			name: Type.String({
				minLength: 1,
				maxLength: 100,
				description: 'What is measured, such as `helpfulness`',
			}),
			value: Type.Optional(ScoreValue),
			comment: Type.Optional(Type.String({ maxLength: 4000 })),
			source: Type.Optional(
				OneOf(scoreSources, {
					description: 'Default: `person` for signed-in people, `code` for tokens',
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
		summary: 'List scores and evaluation results, newest first',
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
