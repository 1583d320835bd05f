import { Type } from 'typebox'
import { Nullable, Strict } from './common.ts'
import { moneyOrNull } from './money.ts'

/** In every answer that shows a price. */
export const PriceFactor = Type.String({
	description: 'Factor for batch, service tier, speed and region, as a fraction; 1/1: none',
})

/** One billed quantity of a call. */
export const LedgerEntry = Strict(
	{
		dimension: Type.String({
			description: 'What was billed: in_text, cache_read, cache_write_1h, out_reasoning, …',
		}),
		quantity: Type.Integer(),
		...moneyOrNull('cost', 'Null: unpriced, which is not free'),
		nano_usd_per_million: Nullable(
			Type.String({ description: 'The price of 1,000,000 units before the factor' }),
		),
		factor: PriceFactor,
		iteration: Type.Integer({
			description: '0 is the answer itself; higher numbers are further model runs within the call',
		}),
		model: Type.String(),
		price: Nullable(Type.String({ description: 'Source, version, entry and first day of the price' })),
	},
	{ title: 'LedgerEntry', description: 'One billed quantity; null prices are unpriced, not free' },
)
