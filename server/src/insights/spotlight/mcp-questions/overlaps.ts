import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import type { Findings, McpContext, McpQuestion } from './context.ts'
import { type ComparedTool, comparedTools, findOverlaps, type Overlap } from './find-overlaps.ts'
import { sumToolCalls } from './tool-calls-repository.ts'

type Row = OutputOf<(typeof spotlightMcpOperations)['overlaps']>['overlaps'][number]

/** Tools that several servers have, the most alike first. */
export async function readOverlaps(context: McpContext, asked: McpQuestion): Promise<Findings<Row>> {
	const { agent, server, limit } = asked
	const servers = serversOf(context, asked).toSorted((a, b) => (a.id < b.id ? -1 : 1))
	const found = await findOverlaps(comparedTools(servers))
	const overlaps = found.overlaps.filter(
		({ first, second }) => server === undefined || [first.server.id, second.server.id].includes(server),
	)
	overlaps.sort(mostAlikeFirst)
	const { workspaceId, range } = asked
	const sums = await sumToolCalls(context, { workspaceId, range, ...(agent !== undefined && { agent }) })
	const calls = new Map<string, number>()
	for (const each of sums) {
		const key = `${each.server} ${each.tool}`
		calls.set(key, (calls.get(key) ?? 0) + Number(each.calls))
	}
	const presentTool = ({ server: { id, name }, tool }: ComparedTool) => ({
		...{ server: { id, name }, tool },
		calls: calls.get(`${id} ${tool}`) ?? 0,
	})
	return {
		rows: overlaps.slice(0, limit).map((overlap) => ({
			first: presentTool(overlap.first),
			second: presentTool(overlap.second),
			same_name: overlap.sameName,
			name_similarity: overlap.nameSimilarity,
			description_similarity: overlap.descriptionSimilarity,
		})),
		total: overlaps.length,
		truncated: found.truncated,
	}
}

function serversOf({ servers, grants }: McpContext, { workspaceId, agent }: McpQuestion) {
	const all = servers.list(workspaceId)
	if (agent === undefined) return all
	const granted = new Set(grants.serversOf(agent))
	return all.filter(({ id }) => granted.has(id))
}

function mostAlikeFirst(a: Overlap, b: Overlap): number {
	return scoreOf(b) - scoreOf(a) || (namesOf(a) < namesOf(b) ? -1 : 1)
}

const scoreOf = ({ nameSimilarity, descriptionSimilarity }: Overlap) => nameSimilarity + descriptionSimilarity
const namesOf = ({ first, second }: Overlap) =>
	`${first.server.id} ${first.tool} ${second.server.id} ${second.tool}`
