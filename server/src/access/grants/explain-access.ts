import type { accessGrantOperations, OutputOf } from '@signalbox/contract'
import type { ServerEntry } from '../../servers/index.ts'
import { readTokens, type TokenCounts } from '../../servers/tool-definitions/index.ts'
import type { GrantContext } from './context.ts'
import { type AccessQuestion, decideAccess, definitionOf, type Verdict } from './decide-access.ts'
import { presentGrant, presentSource } from './present-grant.ts'
import { type GrantWithSource, listGrantsOfAgent } from './repository.ts'
import { toGrantEntry } from './to-grant-entry.ts'

type Explained = OutputOf<(typeof accessGrantOperations)['ofAgent']>
type Tool = Explained['effective'][number]['tools'][number]

/** Every grant of an agent with what it alone would open, and for every server what they open together. */
export async function explainAccess(
	{ store, servers, agents, clock }: GrantContext,
	workspaceId: string,
	agentId: string,
): Promise<Explained> {
	const rows = await listGrantsOfAgent(store.db, workspaceId, agentId)
	const about = { agent: agents.get(agentId), nowMs: clock.nowMs() }
	const explained = new Map<string, Explanation>()
	const access = rows.flatMap((row) => {
		const server = servers.get(row.server_id)
		if (!server) return []
		const explanation = explained.get(server.id) ?? { server, rows: [] }
		explanation.rows.push(row)
		explained.set(server.id, explanation)
		return [explainGrant(about, server, row)]
	})
	const tokens = await readTokens(store.db, workspaceId, [...explained.keys()])
	const effective = [...explained.values()].map((each) => explainServer(about, each, tokens))
	return { access, effective, definition_tokens: sum(effective.map((each) => each.definition_tokens)) }
}

type About = Pick<AccessQuestion, 'agent' | 'nowMs'>

interface Explanation {
	server: ServerEntry
	rows: GrantWithSource[]
}

function explainGrant(about: About, server: ServerEntry, row: GrantWithSource): Explained['access'][number] {
	const grants = [toGrantEntry(row)]
	const tools = namesIn(server, [row]).map((tool) => ({
		name: tool,
		...shown(decideAccess({ ...about, server, grants, tool, definition: definitionOf(server, tool) })),
	}))
	return { grant: presentGrant(row, server), server: summary(server), tools }
}

/** What every grant together opens, with what is shown of a tool by now. */
function explainServer(
	about: About,
	{ server, rows }: Explanation,
	tokens: TokenCounts,
): Explained['effective'][number] {
	const grants = rows.map((row) => toGrantEntry(row))
	const tools = namesIn(server, rows).map((tool): Tool => {
		const pin = server.suspended.has(tool) ? 'suspended' : 'open'
		const question: AccessQuestion = {
			...about,
			server,
			grants,
			tool,
			definition: definitionOf(server, tool),
			pin,
		}
		const verdict = decideAccess(question)
		const opens = (index: number) =>
			decideAccess({ ...question, grants: grants.slice(index, index + 1) }).allowed
		const via = rows
			.filter((_row, index) => verdict.allowed && opens(index))
			.map((row) => ({ grant_id: row.id, source: presentSource(row.source, row.source_name) }))
		const count = verdict.allowed ? tokens(server.id, tool) : 0
		return { name: tool, ...shown(verdict), definition_tokens: count, via }
	})
	return {
		server: summary(server),
		definition_tokens: sum(tools.map((each) => each.definition_tokens)),
		tools,
	}
}

/** Unknown when a part is unknown. */
function sum(counts: readonly (number | null)[]): number | null {
	return counts.reduce((total, count) => (total === null || count === null ? null : total + count), 0)
}

/** The tools that the server has, and those that grants name beside. */
function namesIn(server: ServerEntry, rows: readonly GrantWithSource[]): string[] {
	const granted = rows.flatMap((row) => JSON.parse(row.allowed_tools ?? '[]') as string[])
	return [...new Set([...server.tools.map(({ name }) => name), ...granted])]
}

function shown({ allowed, reason, text }: Verdict): Pick<Tool, 'allowed' | 'reason' | 'text'> {
	return { allowed, reason, text }
}

function summary({ id, name, slug }: ServerEntry) {
	return { id, name, slug }
}
