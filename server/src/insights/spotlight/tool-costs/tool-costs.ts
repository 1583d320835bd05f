import { type OutputOf, type QueryOf, toolCostOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/ledger.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn } from '../../../platform/http/route.ts'
import { readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import { ledgerList, readStore } from '../../../telemetry/index.ts'
import { type CallFilter, filterSql } from '../call-filter.ts'
import type { QueryStore } from '../counted-calls.ts'

type Operation = (typeof toolCostOperations)['tool_costs']
type ToolCost = OutputOf<Operation>['tool_costs'][number]

/** What tools cost in the prompts of a range. */
export async function readToolCosts(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ start: _start, end: _end, by, limit, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const [input, tools] = await Promise.all([
		sumInput(store, workspaceId, range, filter),
		sumTools(store, workspaceId, range, { by, filter, limit }),
	])
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		requests: Number(input.requests),
		unpriced_requests: Number(input.unpriced),
		input: shareOf(input.tokens, input.cost),
		rest: shareOf(input.rest_tokens, input.rest_cost),
		total: Number(tools[0]?.lines ?? 0),
		tool_costs: tools.map((sums) => ({ ...keysOf(by, sums), ...present(sums) })),
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
	lines: string
}

interface InputSums {
	requests: string
	unpriced: string
	tokens: string
	cost: string
	rest_tokens: string
	rest_cost: string
}

const between = (column: string) =>
	`${column} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND ${column} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`

/** The ledger lines of the answer itself whose names have this prefix; `q` is the quantity, `c` the cost. */
const ofLines = (start: string, what: 'q' | 'ifNull(c, 0)') =>
	`toFloat64(arraySum((q, c, d, i) -> if(i = 0 AND ${start}, ${what}, 0), ${ledgerList('ledger_quantity')}, ${ledgerList('ledger_cost_nano_usd')}, ${ledgerList('ledger_dimension')}, ${ledgerList('ledger_iteration')}))`
const isRead = "startsWith(d, 'cache_read')"
const isWritten = "startsWith(d, 'cache_write')"
const isRest = "(startsWith(d, 'in_') OR d = 'tool_prompt')"

/** Tokens of a part that lie between two positions of the prompt. */
const within = (from: string, to: string) => `greatest(0, least(piece.5, ${to}) - greatest(piece.4, ${from}))`

/**
 * `WITH …`: the model calls of a range with the parts of their prompts, `(kind, name, place, first token, token after the last)`. A
 * prompt is first read from the cache, then written to it, then neither.
 */
const withPrompts = (sql: string) => `WITH
	billed AS (
		SELECT trace_id, span_id, agent_id, agent_name, arrayExists((c, d, i) -> i = 0 AND isNull(c) AND (${isRead} OR ${isWritten} OR ${isRest}),
				${ledgerList('ledger_cost_nano_usd')}, ${ledgerList('ledger_dimension')}, ${ledgerList('ledger_iteration')}) AS is_unpriced,
			${ofLines(isRead, 'q')} AS read, read + ${ofLines(isWritten, 'q')} AS written, written + ${ofLines(isRest, 'q')} AS total,
			if(is_unpriced OR read = 0, 0, ${ofLines(isRead, 'ifNull(c, 0)')} / read) AS read_price,
			if(is_unpriced OR written = read, 0, ${ofLines(isWritten, 'ifNull(c, 0)')} / (written - read)) AS written_price,
			if(is_unpriced OR total = written, 0, ${ofLines(isRest, 'ifNull(c, 0)')} / (total - written)) AS rest_price
		FROM spans WHERE workspace_id = {workspace:String} AND ${between('started_at')} AND source = 'model_proxy' AND kind = 'model_call'
			AND usage_source = 'reported'${sql}
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

function parametersOf(workspace: string, { startMs, endMs }: TimeRange, own: Record<string, unknown>) {
	return { ...own, workspace, start: startMs, end: endMs }
}

/** The costs of definitions and of results in prompts, highest first. */
async function sumTools(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ by, filter, limit }: { by: keyof typeof toolKeys; filter: CallFilter; limit: number },
): Promise<ToolSums[]> {
	const { sql, parameters } = filterSql(filter)
	const { server, tool, agent_id } = toolKeys[by]
	return readStore(() =>
		store.query<ToolSums>(
			`${withPrompts(sql)},
			items AS (
				SELECT agent_id AS agent, agent_name, item.1 AS what, item.2 AS name, item.3 AS tokens, item.4 AS cost,
					extract(name, '^mcp__(.+?)__') AS server, if(server = '', name, substring(name, length(server) + 8)) AS tool, prompt
				FROM (SELECT *, rowNumberInAllBlocks() AS prompt FROM prompts) ARRAY JOIN arrayConcat(
					arrayMap(piece -> ('definition', piece.2, piece.4, piece.5), definitions),
					arrayMap(result -> ('result', result.2, result.4, result.5), results),
					arrayMap(used -> ('use', used, 0., 0.), tool_use_name)) AS item
			)
			SELECT ${server} AS server, ${tool} AS tool, ${agent_id} AS agent_id, any(agent_name) AS agent_label,
				toString(uniqExactIf(prompt, what = 'definition')) AS requests, toString(countIf(what = 'use')) AS uses,
				toString(countIf(what = 'result')) AS carried,
				toString(toInt64(round(sumIf(tokens, what = 'definition')))) AS definition_tokens,
				toString(toInt64(round(sumIf(cost, what = 'definition')))) AS definition_cost,
				toString(toInt64(round(sumIf(tokens, what = 'result')))) AS result_tokens,
				toString(toInt64(round(sumIf(cost, what = 'result')))) AS result_cost,
				toString(count() OVER ()) AS lines
			FROM items GROUP BY server, tool, agent_id ORDER BY sum(cost) DESC, sum(tokens) DESC, server, tool, agent_id LIMIT {limit:UInt32}`,
			parametersOf(workspaceId, range, { ...parameters, limit }),
		),
	)
}

/** The whole input of models, and the part that is neither definition nor result. */
async function sumInput(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<InputSums> {
	const { sql, parameters } = filterSql(filter)
	const sumOf = (list: string, at: number) => `arraySum(arrayMap(piece -> piece.${at}, ${list}))`
	const [found] = await readStore(() =>
		store.query<InputSums>(
			`${withPrompts(sql)}
			SELECT toString(count()) AS requests, toString(countIf(is_unpriced)) AS unpriced,
				toString(toInt64(round(sum(total)))) AS tokens, toString(toInt64(round(sum(${sumOf('paid', 5)})))) AS cost,
				toString(toInt64(round(sum(total - ${sumOf('definitions', 4)} - ${sumOf('results', 4)})))) AS rest_tokens,
				toString(toInt64(round(sum(${sumOf('paid', 5)} - ${sumOf('definitions', 5)} - ${sumOf('results', 5)})))) AS rest_cost
			FROM prompts`,
			parametersOf(workspaceId, range, parameters),
		),
	)
	return found as InputSums
}
