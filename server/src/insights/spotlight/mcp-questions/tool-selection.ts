import { setImmediate } from 'node:timers/promises'
import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { listAgents } from './agents-repository.ts'
import { sumCarriedTools } from './carried-tools-repository.ts'
import type { Findings, McpContext, McpQuestion } from './context.ts'
import { listedTools } from './listed-tools.ts'
import { type Selected, SelectionTable } from './selection-table.ts'
import { sumToolCalls } from './tool-calls-repository.ts'

type Row = OutputOf<(typeof spotlightMcpOperations)['tool_selection']>['tool_selection'][number]

/** Agents times tools may be far more than anybody reads. */
const mostRows = 200_000

/** What agents were offered and what they called: what was never called, but offered the most often, first. */
export async function readToolSelection(context: McpContext, asked: McpQuestion): Promise<Findings<Row>> {
	const [calls, carried] = await Promise.all([sumToolCalls(context, asked), sumCarriedTools(context, asked)])
	const table = new SelectionTable()
	const truncated = !(await addListed(table, context, asked))
	for (const sums of calls) if (sums.agent !== '') table.addCalls(sums, context.servers.get(sums.server))
	for (const tool of carried) table.addCarried(tool)
	const rows = table.rows().filter(({ server }) => asked.server === undefined || server?.id === asked.server)
	rows.sort(rarestFirst)
	return { rows: rows.slice(0, asked.limit).map(present), total: rows.length, truncated }
}

/** False when there were too many. */
async function addListed(
	table: SelectionTable,
	context: McpContext,
	{ workspaceId, agent, server }: McpQuestion,
): Promise<boolean> {
	for (const each of await listAgents(context.store.db, workspaceId, agent)) {
		const ids = context.grants.serversOf(each.id).filter((id) => server === undefined || id === server)
		for (const entry of ids.map((id) => context.servers.get(id))) {
			if (table.size >= mostRows) return false
			if (!entry) continue
			for (const tool of listedTools(context, each.id, entry)) table.addListed(each, entry, tool)
		}
		await setImmediate()
	}
	return true
}

function rarestFirst(a: Selected, b: Selected): number {
	const byUse = a.calls + a.chosen - b.calls - b.chosen
	return byUse || b.offered - a.offered || Number(b.listed) - Number(a.listed) || compareNames(a, b)
}

function compareNames(a: Selected, b: Selected): number {
	const [first, second] = [a, b].map((row) => [
		row.agent.name,
		row.server?.name ?? '',
		row.tool,
		row.agent.id,
	])
	return String(first) < String(second) ? -1 : 1
}

function present({ lastMs, ...row }: Selected): Row {
	return {
		...row,
		choice_rate: row.offered === 0 ? null : row.chosen / row.offered,
		last_called_at: lastMs === null ? null : toIso(lastMs),
	}
}
