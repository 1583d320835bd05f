import { Type } from 'typebox'
import { byScope } from './access.ts'
import { modelCallFilter } from './cache-misses.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { money } from './money.ts'
import { operation } from './operation.ts'
import { Label, named } from './spotlight-figures.ts'
import { rangeQuery } from './telemetry.ts'

const amounts = {
	tokens: Type.Integer({ description: 'Input tokens, cached or not' }),
	...money('cost', 'Cost of these tokens as billed: cache read, cache write, or plain input'),
}
const Share = Strict(amounts, { title: 'ShareOfInput' })

const ToolCost = Strict(
	{
		server: Nullable(
			Type.String({
				description:
					'Server of a tool named `mcp__server__tool` by the client; null for others, and by agent',
			}),
		),
		tool: Label,
		agent: Nullable(named),
		requests: Type.Integer({ description: 'Model calls that carried its definition' }),
		uses: Type.Integer({ description: 'How often a model requested it' }),
		definitions: Share,
		results: Strict(
			{
				...amounts,
				carried: Type.Integer({
					description: 'Results in requests; a result counts in every request that carries it',
				}),
			},
			{ title: 'ShareOfResults' },
		),
		...amounts,
	},
	{ title: 'ToolCost' },
)

export const toolCostOperations = {
	tool_costs: operation({
		id: 'spotlight.tool_costs',
		method: 'GET',
		path: '/v1/spotlight/tool-costs',
		summary: 'Get what tools cost in prompts: definitions and carried results, highest cost first',
		description:
			'The input of each model call is divided among its parts by size; each part costs what its position in the prompt was billed. Definitions, results and the rest add up to the input.',
		access: byScope('spotlight:read'),
		query: Strict({
			...rangeQuery,
			...modelCallFilter,
			by: OneOf(['tool', 'server', 'agent'], { default: 'tool', description: 'What each row represents' }),
			limit: Type.Integer({
				minimum: 1,
				maximum: 1000,
				default: 50,
				description: 'Maximum results',
			}),
		}),
		status: 200,
		response: Strict(
			{
				start: Time,
				end: Time,
				requests: Type.Integer({ description: 'Model calls with reported usage and a recorded prompt' }),
				unpriced_requests: Type.Integer({
					description: 'Requests without a price: their tokens count, their cost does not',
				}),
				input: Share,
				rest: Strict(amounts, {
					title: 'ShareOfRest',
					description: 'System texts and all messages except results',
				}),
				total: Type.Integer({ description: 'Number of rows' }),
				tool_costs: Type.Array(ToolCost),
			},
			{ title: 'ToolCostList' },
		),
	}),
}
