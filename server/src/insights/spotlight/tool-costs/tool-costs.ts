import { type OutputOf, type QueryOf, toolCostOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/ledger.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn } from '../../../platform/http/route.ts'
import { readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import { ledgerList, readStore } from '../../../telemetry/index.ts'
import type { CallFilter } from '../call-filter.ts'
import type { QueryStore } from '../counted-calls.ts'
import { matchingCalls } from '../span-source.ts'

type Operation = (typeof toolCostOperations)['tool_costs']
type ToolCost = OutputOf<Operation>['tool_costs'][number]

/** What tools cost in the prompts of a range. */
export async function readToolCosts(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ start: _start, end: _end, by, limit, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const sums = await sumPrompts(store, workspaceId, range, { by, filter, limit })
	const whole = sums.find(({ is_whole }) => is_whole === 1) ?? noPrompts
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		requests: Number(whole.prompts),
		unpriced_requests: Number(whole.unpriced),
		input: shareOf(whole.prompt_tokens, whole.prompt_cost),
		rest: shareOf(whole.rest_tokens, whole.rest_cost),
		total: Number(whole.lines),
		tool_costs: sums.filter((sum) => sum !== whole).map((sum) => ({ ...keysOf(by, sum), ...present(sum) })),
	}
}

function keysOf(by: 'tool' | 'server' | 'agent', { server, tool, agent_id, agent_label }: ToolSums) {
	return {
		server: server || null,
		tool: by === 'tool' ? tool : null,
		agent: by === 'agent' ? { id: agent_id || null, name: agent_label || null } : null,
	}
}

function present(sums: ToolSums): Omit<ToolCost, 'server' | 'tool' | 'agent'> {
	const definitions = shareOf(sums.definition_tokens, sums.definition_cost)
	const results = shareOf(sums.result_tokens, sums.result_cost)
	return {
		requests: Number(sums.requests),
		uses: Number(sums.uses),
		definitions,
		results: { ...results, carried: Number(sums.carried) },
		tokens: definitions.tokens + results.tokens,
		...presentMoney('cost', BigInt(definitions.cost_nano_usd) + BigInt(results.cost_nano_usd)),
	}
}

function shareOf(tokens: string, cost: string) {
	return { tokens: Number(tokens), ...presentMoney('cost', cost) }
}

/** Opens the operation that shows the share of tools in the input of models. */
export function openToolCosts({
	telemetry,
	clock,
}: {
	telemetry: QueryStore
	clock: Clock
}): BoundOperation[] {
	return bind(toolCostOperations, {
		tool_costs: ({ query, context }) => {
			const range = readTimeRange(query, clock.nowMs())
			return readToolCosts(telemetry, principalIn(context).workspaceId, range, query)
		},
	})
}

/** The fields by which costs are grouped. */
const toolKeys = {
	tool: { server: 'server', tool: 'tool', agent_id: "''" },
	server: { server: 'server', tool: "''", agent_id: "''" },
	agent: { server: "''", tool: "''", agent_id: 'agent' },
} as const

/** The sums of a group, rounded. 64-bit numbers are text. */
interface ToolSums {
	/** 1 for the row of all prompts, which has the sums of `WholeSums`; 0 for that of a tool, a server or an agent. */
	is_whole: number
	server: string
	tool: string
	agent_id: string
	agent_label: string
	requests: string
	uses: string
	carried: string
	definition_tokens: string
	definition_cost: string
	result_tokens: string
	result_cost: string
}

interface WholeSums {
	prompts: string
	unpriced: string
	prompt_tokens: string
	prompt_cost: string
	rest_tokens: string
	rest_cost: string
	/** The number of other rows, also of those beyond the limit. */
	lines: string
}

/** For a range without prompts, which has no row at all. */
const noPrompts: WholeSums = {
	...{ prompts: '0', unpriced: '0', lines: '0' },
	...{ prompt_tokens: '0', prompt_cost: '0', rest_tokens: '0', rest_cost: '0' },
}

const between = (column: string) =>
	`${column} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND ${column} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`

/** Where a dimension of the ledger is in a prompt; 0 if it is not part of the prompt. */
const placeOf = (dimension: string) =>
	`multiIf(startsWith(${dimension}, 'cache_read'), 1, startsWith(${dimension}, 'cache_write'), 2, startsWith(${dimension}, 'in_') OR ${dimension} = 'tool_prompt', 3, 0)`
const ledgerLists = (
	['ledger_dimension', 'ledger_quantity', 'ledger_cost_nano_usd', 'ledger_iteration'] as const
)
	.map(ledgerList)
	.join(', ')
/** Lines of the answer itself, because models that ran besides had prompts of their own: `(place, tokens, cost)`. */
const promptLines = `arrayFilter(line -> line.1 > 0, arrayMap((d, q, c, i) -> (if(i = 0, ${placeOf('d')}, 0), q, c), ${ledgerLists}))`
const sumOfLines = (place: 1 | 2 | 3, what: 'line.2' | 'ifNull(line.3, 0)') =>
	`toFloat64(arraySum(line -> if(line.1 = ${place}, ${what}, 0), lines))`
const priceOf = (place: 1 | 2 | 3, tokens: string) =>
	`if(is_unpriced OR ${tokens} = 0, 0, ${sumOfLines(place, 'ifNull(line.3, 0)')} / (${tokens}))`

/** Tokens of a part that lie between two positions of the prompt. */
const within = (from: string, to: string) => `greatest(0, least(piece.5, ${to}) - greatest(piece.4, ${from}))`

/**
 * `WITH …`: the model calls of a range with the parts of their prompts, `(kind, name, place, first token, token after the last)`. A
 * prompt is first read from the cache, then written to it, then neither.
 */
const withPrompts = (sql: string) => `WITH
	billed AS (
		SELECT trace_id, span_id, agent_id, agent_name, arrayExists(line -> isNull(line.3), lines) AS is_unpriced,
			${sumOfLines(1, 'line.2')} AS read, read + ${sumOfLines(2, 'line.2')} AS written, written + ${sumOfLines(3, 'line.2')} AS total,
			${priceOf(1, 'read')} AS read_price, ${priceOf(2, 'written - read')} AS written_price, ${priceOf(3, 'total - written')} AS rest_price
		FROM (SELECT trace_id, span_id, agent_id, agent_name, ${promptLines} AS lines
			FROM spans WHERE workspace_id = {workspace:String} AND ${between('started_at')} AND source = 'model_proxy' AND kind = 'model_call'
				AND usage_source = 'reported'${sql})
	),
	prompts AS (
		SELECT agent_id, agent_name, is_unpriced, read, written, total, read_price, written_price, rest_price, tool_use_name,
			if(empty(part_weight), part_bytes, part_weight) AS weights,
			arrayFilter(at -> part_kind[at] IN ('tool', 'system', 'message') AND part_name[at] != 'attribution', arrayEnumerate(part_kind)) AS places,
			arrayCumSum(arrayMap(at -> toUInt64(weights[at]), places)) AS ends,
			total / ends[-1] AS tokens_of_weight,
			arrayMap((at, end) -> (part_kind[at], part_name[at], at, (end - weights[at]) * tokens_of_weight, end * tokens_of_weight), places, ends) AS pieces,
			arrayMap(piece -> (piece.1, piece.2, piece.3, piece.5 - piece.4,
				${within('0', 'read')} * read_price + ${within('read', 'written')} * written_price + ${within('written', 'total')} * rest_price), pieces) AS paid,
			arrayFilter(piece -> piece.1 = 'tool', paid) AS definitions,
			if(empty(result_part), [], arrayMap((name, bytes, at) -> (name, least(1, bytes / greatest(1, part_bytes[at + 1])),
				arrayFirst(piece -> piece.3 = at + 1, paid)), result_name, result_bytes, result_part)) AS carried,
			arrayMap(result -> ('result', result.1, '', result.3.4 * result.2, result.3.5 * result.2), carried) AS results
		FROM (SELECT * FROM exchanges WHERE workspace_id = {workspace:String} AND ${between('recorded_at')}) AS e
		INNER JOIN billed AS s ON e.trace_id = s.trace_id AND e.span_id = s.span_id
		WHERE total > 0 AND notEmpty(ends) AND ends[-1] > 0
	)`

const sumOfPieces = (list: string, at: 4 | 5) => `arraySum(arrayMap(piece -> piece.${at}, ${list}))`
/** A part of the prompt that is neither definition nor result. */
const restOf = (whole: string, at: 4 | 5) =>
	`${whole} - ${sumOfPieces('definitions', at)} - ${sumOfPieces('results', at)}`
const rounded = (what: string, kind: string) => `toString(toInt64(round(sumIf(${what}, what = '${kind}'))))`

/**
 * The costs of definitions and of results in prompts, highest first, after a row for all prompts. One statement, because the parts
 * of prompts are by far the most that is read.
 */
async function sumPrompts(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ by, filter, limit }: { by: keyof typeof toolKeys; filter: CallFilter; limit: number },
): Promise<(ToolSums & WholeSums)[]> {
	const { sql, parameters } = await matchingCalls(store, workspaceId, range, filter)
	const { server, tool, agent_id } = toolKeys[by]
	return readStore(() =>
		store.query<ToolSums & WholeSums>(
			`${withPrompts(sql)},
			items AS (
				SELECT agent_id AS agent, agent_name, item.1 AS what, item.2 AS name, item.3 AS tokens, item.4 AS cost, what IN ('prompt', 'rest') AS is_whole,
					extract(name, '^mcp__(.+?)__') AS server, if(server = '', name, substring(name, length(server) + 8)) AS tool, prompt
				FROM (SELECT *, rowNumberInAllBlocks() AS prompt FROM prompts) ARRAY JOIN arrayConcat(
					[('prompt', if(is_unpriced, 'unpriced', ''), total, ${sumOfPieces('paid', 5)}),
						('rest', '', ${restOf('total', 4)}, ${restOf(sumOfPieces('paid', 5), 5)})],
					arrayMap(piece -> ('definition', piece.2, piece.4, piece.5), definitions),
					arrayMap(result -> ('result', result.2, result.4, result.5), results),
					arrayMap(used -> ('use', used, 0., 0.), tool_use_name)) AS item
			)
			SELECT is_whole, if(is_whole, '', ${server}) AS server, if(is_whole, '', ${tool}) AS tool, if(is_whole, '', ${agent_id}) AS agent_id,
				any(agent_name) AS agent_label,
				toString(uniqExactIf(prompt, what = 'definition')) AS requests, toString(countIf(what = 'use')) AS uses,
				toString(countIf(what = 'result')) AS carried,
				${rounded('tokens', 'definition')} AS definition_tokens, ${rounded('cost', 'definition')} AS definition_cost,
				${rounded('tokens', 'result')} AS result_tokens, ${rounded('cost', 'result')} AS result_cost,
				toString(countIf(what = 'prompt')) AS prompts, toString(countIf(what = 'prompt' AND name = 'unpriced')) AS unpriced,
				${rounded('tokens', 'prompt')} AS prompt_tokens, ${rounded('cost', 'prompt')} AS prompt_cost,
				${rounded('tokens', 'rest')} AS rest_tokens, ${rounded('cost', 'rest')} AS rest_cost,
				toString(count() OVER () - 1) AS lines
			FROM items GROUP BY is_whole, server, tool, agent_id
			ORDER BY is_whole DESC, sum(cost) DESC, sum(tokens) DESC, server, tool, agent_id LIMIT {rows:UInt32}`,
			{ ...parameters, workspace: workspaceId, start: range.startMs, end: range.endMs, rows: limit + 1 },
		),
	)
}
