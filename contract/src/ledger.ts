import { Type } from 'typebox'
import { byRoleOrScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'
import { priceDimensions } from './prices.ts'
import { rangeQuery } from './telemetry.ts'

const only = (description: string) => Type.Optional(Type.String({ maxLength: 256, description }))
const OptionalText = Nullable(Type.String())

const LedgerRow = Strict(
	{
		started_at: Time,
		trace_id: Type.String(),
		span_id: Type.String(),
		line: Type.Integer({ description: 'Which row of its call, from 1' }),
		agent_uuid: OptionalText,
		key_id: OptionalText,
		session_id: OptionalText,
		user_id: OptionalText,
		connection: Type.String(),
		provider: Type.String(),
		model: Type.String({ description: 'That ran for this row' }),
		dimension: Type.String(),
		quantity: Type.Integer(),
		iteration: Type.Integer(),
		nano_usd_per_million: OptionalText,
		factor: Type.String(),
		cost_nano_usd: Nullable(Type.String({ description: 'Null: unpriced, which is not free' })),
		price: OptionalText,
	},
	{ title: 'LedgerRow' },
)

export const ledgerOperations = {
	list: operation({
		id: 'ledger.list',
		method: 'GET',
		path: '/v1/ledger',
		summary: 'What calls through the model proxy were billed, a row for each quantity, newest first',
		description:
			'The sums are over the whole range and its filters, not the page. `cost_nano_usd` is of calls that have a price for every part, as in Spotlight.',
		access: byRoleOrScope('viewer', 'spotlight:read'),
		query: Strict({
			...rangeQuery,
			limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
			cursor: Type.Optional(Type.String({ maxLength: 400 })),
			agent_uuid: only('Only calls of this agent'),
			key_id: only('Only calls with this key'),
			session_id: only('Only calls of this session'),
			user_id: only('Only calls for this person, as the client names them'),
			connection: only('Only calls over this connection'),
			model: only('Only rows of this model'),
			dimension: Type.Optional(OneOf(priceDimensions, { description: 'Only rows of this dimension' })),
		}),
		status: 200,
		response: Strict(
			{
				ledger: Type.Array(LedgerRow),
				sums: Strict(
					{
						rows: Type.Integer(),
						cost_nano_usd: Type.String(),
						unpriced_rows: Type.Integer({ description: 'Rows of calls that are not in the sum' }),
					},
					{ title: 'LedgerSums' },
				),
				next_cursor: Nullable(Type.String()),
			},
			{ title: 'LedgerList' },
		),
	}),
}
