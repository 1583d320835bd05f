import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AccessQuestion, decideAccess } from './decide-access.ts'

const agent = { id: 'a', workspaceId: 'w', name: 'Agent', status: 'active' as const }
const server = {
	id: 's',
	workspaceId: 'w',
	name: 'Server',
	slug: 'server',
	url: 'http://example.com/',
	transportType: 'http' as const,
	status: 'active' as const,
	healthStatus: 'healthy' as const,
	protocolVersion: null,
	headers: new Map<string, string>(),
	tools: [],
}
const grant = {
	id: 'g',
	workspaceId: 'w',
	serverId: 's',
	agentId: 'a',
	accessMode: 'all' as const,
	allowedTools: null,
	enabled: true,
}
const selected = { ...grant, accessMode: 'selected' as const, allowedTools: new Set(['echo']) }
const question: AccessQuestion = { agent, server, grant, tool: 'echo' }

describe('decideAccess', () => {
	it.each<[string, Partial<AccessQuestion>, string]>([
		['all tools', {}, 'granted_all'],
		['the server itself', { tool: null }, 'granted_all'],
		['a tool that was selected', { grant: selected }, 'granted_selected'],
		['the server, with tools selected', { grant: selected, tool: null }, 'granted_selected'],
	])('allows %s', (_what, change, reason) => {
		expect(decideAccess({ ...question, ...change })).toMatchObject({ allowed: true, reason })
	})

	it.each<[string, Partial<AccessQuestion>, string]>([
		['an unknown agent', { agent: undefined }, 'agent_unknown'],
		['a paused agent', { agent: { ...agent, status: 'paused' } }, 'agent_not_active'],
		['a stopped agent', { agent: { ...agent, status: 'stopped' } }, 'agent_not_active'],
		['an agent in error', { agent: { ...agent, status: 'error' } }, 'agent_not_active'],
		['an unknown server', { server: undefined }, 'server_unknown'],
		['a server of another workspace', { server: { ...server, workspaceId: 'x' } }, 'server_unknown'],
		['an inactive server', { server: { ...server, status: 'inactive' } }, 'server_inactive'],
		['an agent without a grant', { grant: undefined }, 'no_grant'],
		["another agent's grant", { grant: { ...grant, agentId: 'b' } }, 'no_grant'],
		['a grant on another server', { grant: { ...grant, serverId: 't' } }, 'no_grant'],
		['a disabled grant', { grant: { ...grant, enabled: false } }, 'grant_disabled'],
		['a tool that was not selected', { grant: selected, tool: 'Echo' }, 'tool_not_selected'],
		[
			'every tool of an empty selection',
			{ grant: { ...selected, allowedTools: new Set<string>() } },
			'tool_not_selected',
		],
		['a selection without a list', { grant: { ...selected, allowedTools: null } }, 'tool_not_selected'],
	])('denies %s', (_what, change, reason) => {
		expect(decideAccess({ ...question, ...change })).toMatchObject({ allowed: false, reason })
	})

	const tools = fc.constantFrom('echo', 'add', 'fail')
	const terms = fc.record({
		mode: fc.constantFrom('all', 'selected'),
		list: fc.uniqueArray(tools),
		enabled: fc.boolean(),
	})
	const toGrant = ({ mode, list, enabled }: { mode: string; list: string[]; enabled: boolean }) => ({
		...grant,
		accessMode: mode as 'all' | 'selected',
		allowedTools: mode === 'all' ? null : new Set(list),
		enabled,
	})
	const agents = fc.constantFrom(undefined, agent, { ...agent, status: 'paused' as const })
	const servers = fc.constantFrom(undefined, server, { ...server, status: 'inactive' as const })

	it('never takes access away by adding a grant or a tool to one', () => {
		fc.assert(
			fc.property(agents, servers, terms, tools, tools, (who, where, given, added, tool) => {
				const ask = (of: typeof given | undefined) =>
					decideAccess({ agent: who, server: where, grant: of && toGrant(of), tool }).allowed
				const wider = { ...given, list: [...given.list, added] }
				expect(Number(ask(given))).toBeGreaterThanOrEqual(Number(ask(undefined)))
				expect(Number(ask(wider))).toBeGreaterThanOrEqual(Number(ask(given)))
				expect(Number(ask({ ...given, mode: 'all' }))).toBeGreaterThanOrEqual(Number(ask(given)))
			}),
		)
	})

	it('allows only what an enabled grant of an active agent on an active server names', () => {
		fc.assert(
			fc.property(agents, servers, terms, tools, (who, where, given, tool) => {
				const { allowed } = decideAccess({ agent: who, server: where, grant: toGrant(given), tool })
				const named = given.mode === 'all' || given.list.includes(tool)
				expect(allowed).toBe(who?.status === 'active' && where?.status === 'active' && given.enabled && named)
			}),
		)
	})
})
