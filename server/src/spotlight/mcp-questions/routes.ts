import { spotlightMcpOperations } from '@signalbox/contract'
import { type Clock, toIso } from '../../platform/clock.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import type { McpContext, McpQuestion } from './context.ts'
import { readDefinitionChanges } from './definition-changes.ts'
import { readInvalidArguments } from './invalid-arguments.ts'
import { readOverlaps } from './overlaps.ts'
import { readRetryLoops } from './retry-loops.ts'
import { readToolSelection } from './tool-selection.ts'
import { readUnregisteredServers } from './unregistered-servers.ts'

interface Query {
	start?: string
	end?: string
	agent?: string
	server?: string
	limit: number
}

/** Questions about servers and their tools that calls and definitions answer together. */
export function openMcpQuestions({ clock, ...context }: McpContext & { clock: Clock }): {
	operations: BoundOperation[]
} {
	const read = (query: Query, request: RequestContext): McpQuestion => {
		const { start: _start, end: _end, ...asked } = query
		const { workspaceId } = principalIn(request)
		return { ...asked, workspaceId, range: readTimeRange(query, clock.nowMs()) }
	}
	const operations = bind(spotlightMcpOperations, {
		tool_selection: async ({ query, context: request }) => {
			const asked = read(query, request)
			const { rows, ...rest } = await readToolSelection(context, asked, clock.nowMs())
			return { ...timesOf(asked), tool_selection: rows, ...rest }
		},
		definition_changes: async ({ query, context: request }) => {
			const asked = read(query, request)
			const { rows, ...rest } = await readDefinitionChanges(context, asked)
			return { ...timesOf(asked), definition_changes: rows, ...rest }
		},
		invalid_arguments: async ({ query, context: request }) => {
			const asked = read(query, request)
			const { rows, ...rest } = await readInvalidArguments(context, asked)
			return { ...timesOf(asked), invalid_arguments: rows, ...rest }
		},
		retry_loops: async ({ query: { min_calls, ...query }, context: request }) => {
			const asked = read(query, request)
			const { rows, ...rest } = await readRetryLoops(context, asked, min_calls)
			return { ...timesOf(asked), retry_loops: rows, ...rest }
		},
		overlaps: async ({ query, context: request }) => {
			const asked = read(query, request)
			const { rows, ...rest } = await readOverlaps(context, asked)
			return { ...timesOf(asked), overlaps: rows, ...rest }
		},
		unregistered_servers: async ({ query, context: request }) => {
			const asked = read(query, request)
			const { rows, ...rest } = await readUnregisteredServers(context, asked)
			return { ...timesOf(asked), unregistered_servers: rows, ...rest }
		},
	})
	return { operations }
}

function timesOf({ range }: { range: TimeRange }) {
	return { start: toIso(range.startMs), end: toIso(range.endMs) }
}
