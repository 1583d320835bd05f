import { Type } from 'typebox'
import { Nullable, OneOf, Strict, Time } from './common.ts'

/** Who gives a score. */
export const scoreSources = ['person', 'model', 'code', 'end_user'] as const
const scoreTypes = ['numeric', 'boolean', 'category', 'comment'] as const

export const ScoreValue = Type.Union(
	[Type.Number(), Type.Boolean(), Type.String({ minLength: 1, maxLength: 256 }), Type.Null()],
	{
		description: 'A number, a boolean, a category, or null for a comment only',
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
			description: 'Null when the sender gave none',
		}),
		trace_id: Nullable(Type.String()),
		span_id: Nullable(Type.String()),
		session_id: Nullable(Type.String()),
		created_at: Time,
	},
	{ title: 'Score' },
)
