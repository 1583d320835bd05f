import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { isRelative, type TimeRange } from '../../lib/time-range.ts'
import { type TrafficLine, toLines } from './traffic-lines.ts'

const limit = 500

const parts = {
	tool_call: ['agent', 'agent_name', 'server', 'server_name', 'tool'],
	model_call: ['agent', 'agent_name', 'connection', 'provider', 'model'],
} as const

/** Who called what in a range: one line for each combination of agent, server and tool, or of agent, connection and model. */
export function trafficQuery(range: TimeRange) {
	return queryOptions({
		queryKey: ['spotlight', 'traffic-map', range],
		queryFn: async (): Promise<TrafficLine[]> =>
			(await Promise.all([readPart(range, 'tool_call'), readPart(range, 'model_call')])).flat(),
		placeholderData: keepPreviousData,
		refetchInterval: isRelative(range) ? 10_000 : false,
	})
}

async function readPart(range: TimeRange, kind: keyof typeof parts): Promise<TrafficLine[]> {
	const query = { ...range, kind, limit, group_by: [...parts[kind]] }
	return toLines(kind, (await unwrap(api.GET('/v1/spotlight/usage', { params: { query } }))).usage)
}
