import { Type } from 'typebox'
import { Nullable, Strict } from './common.ts'

/** How often and how many at a time tools may be called; null: no limit. Each node counts for itself. */
export const CallLimits = Strict(
	{
		calls_per_minute: Nullable(
			Type.Integer({
				minimum: 1,
				maximum: 1_000_000,
				description: 'Allowed in one burst; refills evenly over a minute',
			}),
		),
		concurrency: Nullable(
			Type.Integer({ minimum: 1, maximum: 10_000, description: 'Calls running at the same time' }),
		),
	},
	{ title: 'CallLimits' },
)
