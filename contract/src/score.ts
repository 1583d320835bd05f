import { Type } from 'typebox'
import { Nullable, OneOf, Strict, Time } from './common.ts'

/** Who gives a score. */
export const scoreSources = ['person', 'model', 'code', 'end_user'] as const
const scoreTypes = ['numeric', 'boolean', 'category', 'comment'] as const

export const ScoreValue = Type.Union(
	[Type.Number(), Type.Boolean(), Type.String({ minLength: 1, maxLength: 256 }), Type.Null()],
	{
		description: 'A number, yes or no, a category, or null: a comment alone',
	},
)

export const Score = Strict(
	{
		id: Type.String(),
		name: Type.String(),
		type: OneOf(scoreTypes),
		value: ScoreValue,
		comment: Type.String(),
		source: Type.Union([OneOf(scoreSources), Type.Null()], {
			description: 'Null where the sender does not say',
		}),
		trace_id: Nullable(Type.String()),
		span_id: Nullable(Type.String()),
		session_id: Nullable(Type.String()),
		created_at: Time,
	},
	{ title: 'Score' },
)
