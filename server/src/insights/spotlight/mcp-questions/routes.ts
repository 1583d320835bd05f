import { type OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import {
	type BoundOperation,
	bind,
	principalIn,
	type RequestContext,
	type Route,
} from '../../../platform/http/index.ts'
import { readTimeRange } from '../../../platform/time-range.ts'
import type { Findings, McpContext, McpQuestion } from './context.ts'
import { type AskedFile, exportRoute } from './export.ts'
import { readers } from './readers.ts'

type Question = keyof typeof readers

/** Questions about servers and their tools that calls and definitions answer together. */
export function openMcpQuestions(context: McpContext): { operations: BoundOperation[]; routes: Route[] } {
	const toQuestion = ({ start, end, ...query }: AskedFile, request: RequestContext): McpQuestion => ({
		...query,
		workspaceId: principalIn(request).workspaceId,
		range: readTimeRange({ ...(start && { start }), ...(end && { end }) }, context.clock.nowMs()),
	})
	const find = (question: Question, asked: McpQuestion): Promise<Findings<object>> =>
		readers[question](context, asked)
	const answer = async <Q extends Question>(question: Q, query: AskedFile, request: RequestContext) => {
		const asked = toQuestion(query, request)
		const { rows, ...rest } = await find(question, asked)
		const { startMs, endMs } = asked.range
		const found = { start: toIso(startMs), end: toIso(endMs), [question]: rows, ...rest }
		return found as unknown as OutputOf<(typeof spotlightMcpOperations)[Q]>
	}
	return {
		operations: bind(spotlightMcpOperations, {
			tool_selection: ({ query, context: request }) => answer('tool_selection', query, request),
			definition_changes: ({ query, context: request }) => answer('definition_changes', query, request),
			invalid_arguments: ({ query, context: request }) => answer('invalid_arguments', query, request),
			retry_loops: ({ query, context: request }) => answer('retry_loops', query, request),
			overlaps: ({ query, context: request }) => answer('overlaps', query, request),
			unregistered_servers: ({ query, context: request }) => answer('unregistered_servers', query, request),
		}),
		routes: [exportRoute((question, query, request) => find(question, toQuestion(query, request)))],
	}
}
