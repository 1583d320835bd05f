import { Type } from 'typebox'
import { Nullable, Strict } from './common.ts'

/** How many tool calls are allowed per period and concurrently; null: no limit. Each node counts separately. */
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
