import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, IdParams, Nullable, Pagination, pageQuery, Strict, Time } from './common.ts'
import { PriceFactor } from './ledger-entry.ts'
import { operation } from './operation.ts'
import { rangeQuery } from './telemetry.ts'

/** What providers bill, each in its own unit. The dimensions are exclusive: a token is counted in only one of them. */
export const priceDimensions = [
	...['in_text', 'in_audio', 'in_image', 'in_video', 'cache_read', 'cache_read_audio', 'cache_read_image'],
	...['cache_write_5m', 'cache_write_30m', 'cache_write_1h', 'cache_write_12h', 'tool_prompt', 'out_text'],
	...['out_reasoning', 'out_audio', 'out_image', 'out_video', 'out_citation', 'pred_rejected', 'request'],
	...['web_search', 'web_fetch', 'grounding_query', 'file_search', 'code_exec_s', 'image_count', 'audio_s'],
	...['cache_storage_token_hours', 'reported_cost'],
] as const

const NanoPerMillion = Type.String({
	pattern: '^[0-9]{1,15}$',
	description: 'Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000',
	examples: ['1250000000'],
})
const rateProperties = Object.fromEntries(
	priceDimensions.map((name) => [name, Type.Optional(NanoPerMillion)]),
)
const Rates = Type.Unsafe<Record<string, string>>(
	Type.Object(rateProperties, {
		additionalProperties: false,
		title: 'PriceRates',
		description: 'Rates by dimension; an absent dimension keeps the price of the table',
	}),
)
const Factor = Nullable(
	Type.String({
		pattern: '^[1-9][0-9]{0,5}/[1-9][0-9]{0,5}$',
		description: 'Fraction of the table’s prices, for dimensions without a rate of their own',
		examples: ['9/10'],
	}),
)
const Text = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const connection = Nullable(Text('The connection that the price applies to; null: all'))
const provider = Nullable(Text('The provider that the price applies to, as named in calls; null: all'))
const model = Type.String({
	minLength: 1,
	maxLength: 200,
	description: 'Model name of the provider; `*` matches any text',
	examples: ['gpt-5*'],
})
const note = Type.String({ maxLength: 500 })

export const Price = Strict(
	{
		id: Id,
		connection,
		provider,
		model,
		rates: Rates,
		factor: Factor,
		note,
		effective_from: Time,
		effective_until: Nullable(Time),
		created_at: Time,
		updated_at: Time,
	},
	{ title: 'Price' },
)

const Table = Strict({ source: Type.String(), version: Type.String() }, { title: 'PriceTable' })
const reading = byScope('budgets:read')
const writing = byScope('budgets:write')

export const priceOperations = {
	list: operation({
		id: 'prices.list',
		method: 'GET',
		path: '/v1/prices',
		summary: 'List the workspace’s own prices and the table that applies otherwise',
		access: reading,
		query: Strict(pageQuery),
		status: 200,
		response: Strict(
			{ prices: Type.Array(Price), table: Table, pagination: Pagination },
			{ title: 'PriceList' },
		),
	}),
	create: operation({
		id: 'prices.create',
		method: 'POST',
		path: '/v1/prices',
		summary: 'Set the price of models, from now on or from a later time',
		description:
			'It takes precedence over the table. If several match a call, the most specific applies: first by connection, then by provider, then by the longest pattern, then the newest. Recorded calls keep their price.',
		access: writing,
		body: Strict({
			connection: Type.Optional(connection),
			provider: Type.Optional(provider),
			model,
			rates: Type.Optional(Rates),
			factor: Type.Optional(Factor),
			note: Type.Optional(note),
			effective_from: Type.Optional(Time),
			effective_until: Type.Optional(Nullable(Time)),
		}),
		status: 201,
		response: Price,
		problems: ['conflict'],
	}),
	end: operation({
		id: 'prices.end',
		method: 'POST',
		path: '/v1/prices/{id}/end',
		summary: 'End a price now or at a later time; it stays in the list',
		access: writing,
		params: IdParams,
		body: Strict({ at: Type.Optional(Time) }),
		status: 201,
		response: Price,
		problems: ['conflict'],
	}),
	effective: operation({
		id: 'prices.effective',
		method: 'GET',
		path: '/v1/prices/effective',
		summary: 'Get the current price of a model by dimension, with the source of each',
		access: reading,
		query: Strict({
			provider: Text('As named in calls'),
			model: Text('As named by the provider'),
			connection: Type.Optional(Text('The connection of the call')),
		}),
		status: 200,
		response: Strict(
			{
				rates: Type.Array(
					Strict(
						{
							dimension: Type.String(),
							nano_usd_per_million: Type.String(),
							factor: PriceFactor,
							price: Type.String({ description: 'Source, version, entry and first day, as in the ledger' }),
						},
						{ title: 'EffectiveRate' },
					),
				),
			},
			{
				title: 'EffectivePrice',
				description: 'Without the surcharge for long contexts; empty when unpriced',
			},
		),
	}),
	unpriced: operation({
		id: 'prices.unpriced',
		method: 'GET',
		path: '/v1/prices/unpriced',
		summary:
			'List models whose calls have no price in a time range (default: the last 24 hours), most calls first',
		access: reading,
		query: Strict(rangeQuery),
		status: 200,
		response: Strict(
			{
				models: Type.Array(
					Strict(
						{
							connection: Type.String(),
							provider: Type.String(),
							model: Type.String(),
							calls: Type.Integer(),
							tokens: Type.Integer(),
							last_at: Time,
						},
						{ title: 'UnpricedModel' },
					),
				),
			},
			{ title: 'UnpricedModelList' },
		),
	}),
}
