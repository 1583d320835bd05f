import { readStore } from '../../../telemetry/index.ts'
import type { McpContext, McpQuestion } from './context.ts'
import { inRange, ofAgent, parametersOf } from './in-range.ts'

/** A tool as model calls of an agent name it; 64-bit numbers as text. */
export interface CarriedTool {
	agent: string
	agent_label: string
	name: string
	/** Model calls whose request held its definition. */
	offered: string
	/** How often a model asked for it. */
	chosen: string
}

/** One for each definition in the request, and one for each use in the answer. */
const mentions = `arrayJoin(arrayConcat(
	arrayMap(n -> (n, 1, 0), arrayDistinct(arrayFilter((n, kind) -> kind = 'tool', e.part_name, e.part_kind))),
	arrayMap(n -> (n, 0, 1), e.tool_use_name)))`

/** What model calls of agents offered and what the models chose. */
export function sumCarriedTools(
	{ telemetry }: Pick<McpContext, 'telemetry'>,
	asked: Omit<McpQuestion, 'limit'>,
): Promise<CarriedTool[]> {
	return readStore(() =>
		telemetry.query<CarriedTool>(
			`SELECT agent, max(label) AS agent_label, mention.1 AS name, sum(mention.2) AS offered, sum(mention.3) AS chosen
			FROM (
				SELECT s.agent AS agent, s.label AS label, ${mentions} AS mention FROM exchanges AS e INNER JOIN (
					SELECT trace_id, span_id, toString(agent_id) AS agent, agent_name AS label FROM spans
					WHERE ${inRange()} AND source = 'model_proxy' AND kind = 'model_call' AND agent_id != '' AND ${ofAgent}
				) AS s ON e.trace_id = s.trace_id AND e.span_id = s.span_id
				WHERE ${inRange('recorded_at', 'e')}
			) GROUP BY agent, name`,
			parametersOf(asked),
		),
	)
}
