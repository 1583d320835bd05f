import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { PriceFactor } from './ledger-entry.ts'
import { money, moneyOrNull } from './money.ts'
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
		line: Type.Integer({ description: 'Number of the row within its call, from 1' }),
		agent_uuid: OptionalText,
		key_id: OptionalText,
		session_id: OptionalText,
		user_id: OptionalText,
		connection: Type.String(),
		provider: Type.String(),
		model: Type.String({ description: 'Model that this row was billed for' }),
		dimension: Type.String(),
		quantity: Type.Integer(),
		iteration: Type.Integer(),
		nano_usd_per_million: OptionalText,
		factor: PriceFactor,
		...moneyOrNull('cost', 'Null: unpriced, which is not free'),
		price: OptionalText,
	},
	{ title: 'LedgerRow' },
)

const sums = {
	calls: Type.Integer({ description: 'Number of calls with rows in the ledger' }),
	changed: Type.Integer({ description: 'Number of calls whose price changes' }),
	...money('cost_before', 'Sum over calls that have a price for every part'),
	...money('cost_after', 'Sum over calls that have a price for every part'),
	unpriced_before: Type.Integer({ description: 'Number of calls not in the sum' }),
	unpriced_after: Type.Integer(),
}
const Repricing = Strict(
	{
		revision: Nullable(
			Type.String({ description: 'The id of the new version; null when nothing was written' }),
		),
		start: Time,
		end: Time,
		...sums,
		models: Type.Array(Strict({ provider: Type.String(), model: Type.String(), ...sums }), {
			description: 'Per model, most changed calls first',
		}),
	},
	{ title: 'Repricing' },
)
const LedgerVersion = Strict(
	{
		revision: Nullable(Type.String({ description: 'Null: the version that the call was recorded with' })),
		...moneyOrNull('cost', 'Null without a price for every part'),
		rows: Type.Array(
			Strict({
				line: Type.Integer(),
				...moneyOrNull('cost', 'Null: unpriced'),
				nano_usd_per_million: OptionalText,
				factor: PriceFactor,
				price: OptionalText,
			}),
		),
	},
	{ title: 'LedgerVersion' },
)

export const ledgerOperations = {
	reprice: operation({
		id: 'ledger.reprice',
		method: 'POST',
		path: '/v1/ledger/reprice',
		summary: 'Reprice recorded calls; by default a dry run that shows the difference',
		description:
			'Writes a new version of the rows of calls whose price differs; the old one stays readable, and every sum counts the newest. What budgets have counted does not change. A range has at most 100,000 calls.',
		access: byScope('budgets:write'),
		body: Strict({
			start: Type.String({ maxLength: 40, description: 'RFC 3339 or relative: -15m, -24h, -7d' }),
			end: Type.Optional(Type.String({ maxLength: 40, description: 'Default: now' })),
			models: Type.Optional(
				Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
					minItems: 1,
					maxItems: 50,
					description: 'Only calls answered by these models, as recorded; `*` matches any text',
				}),
			),
			own_prices: Type.Optional(
				OneOf(['now', 'at_call'], {
					description:
						'Which prices of the workspace apply: those of `now` (default) or `at_call`. The price table is the one for the day of the call',
				}),
			),
			dry_run: Type.Optional(Type.Boolean({ description: 'Default: true' })),
		}),
		status: 200,
		response: Repricing,
		problems: ['conflict'],
	}),
	versions: operation({
		id: 'ledger.versions',
		method: 'GET',
		path: '/v1/ledger/versions',
		summary: 'List all versions of the rows of a repriced call, oldest first',
		access: byScope('spotlight:read'),
		query: Strict({
			trace_id: Type.String({ pattern: '^[0-9a-f]{32}$' }),
			span_id: Type.String({ pattern: '^[0-9a-f]{16}$' }),
		}),
		status: 200,
		response: Strict({ versions: Type.Array(LedgerVersion) }, { title: 'LedgerVersionList' }),
	}),
	list: operation({
		id: 'ledger.list',
		method: 'GET',
		path: '/v1/ledger',
		summary: 'List the ledger of model calls, one row per billed quantity, newest first',
		description:
			'The sums cover the whole filtered range, not only the page. `cost_nano_usd` covers calls that have a price for every part, as in Spotlight.',
		access: byScope('spotlight:read'),
		query: Strict({
			...rangeQuery,
			limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
			cursor: Type.Optional(Type.String({ maxLength: 400 })),
			agent_uuid: only('Only calls of this agent'),
			key_id: only('Only calls with this key'),
			session_id: only('Only calls of this session'),
			user_id: only('Only calls of this user, as the client names them'),
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
						...money('cost', 'Sum over calls that have a price for every part'),
						unpriced_rows: Type.Integer({ description: 'Number of rows of calls not in the sum' }),
					},
					{ title: 'LedgerSums' },
				),
				next_cursor: Nullable(Type.String()),
			},
			{ title: 'LedgerList' },
		),
	}),
}
