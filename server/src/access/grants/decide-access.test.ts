import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCases } from '../../platform/random-cases.testing.ts'
import { constraintOf } from './constraints/constraint.ts'
import { type AccessQuery, decideAccess } from './decide-access.ts'
import type { GrantEntry } from './grant-entry.ts'
import { uriPattern } from './uri-pattern.ts'

const agent = { id: 'a', workspaceId: 'w', name: 'Agent', status: 'active' as const }
const server = { id: 's', workspaceId: 'w', name: 'Server', status: 'active' as const }
const nowMs = 1_000_000
const grant: GrantEntry = {
	id: 'g',
	workspaceId: 'w',
	serverId: 's',
	agentId: 'a',
	source: 'manual',
	accessMode: 'all',
	allowedTools: null,
	allowedPrompts: null,
	allowedResources: null,
	enabled: true,
	expiresAtMs: null,
	constraints: null,
	asks: null,
	approver: 'workspace',
	approvalWaitMs: null,
	deniedHints: null,
	callLimits: null,
}
const selected = { ...grant, accessMode: 'selected' as const, allowedTools: new Set(['echo']) }
const derived = { ...selected, id: 'd', source: 't', allowedTools: new Set(['add']) }
const short = constraintOf({ properties: { text: { type: 'string', maxLength: 3 } }, required: ['text'] })
const constrained = { ...grant, constraints: new Map([['echo', short]]) }
const asking = { ...grant, asks: new Set(['echo']) }
const query: AccessQuery = { agent, server, grants: [grant], tool: 'echo', nowMs }

describe('decideAccess', () => {
	it.each<[string, Partial<AccessQuery>, string]>([
		['all tools', {}, 'granted_all'],
		['the server itself', { tool: null }, 'granted_all'],
		['a tool that was selected', { grants: [selected] }, 'granted_selected'],
		['the server, with tools selected', { grants: [selected], tool: null }, 'granted_selected'],
		['a tool of any of several grants', { grants: [selected, derived], tool: 'add' }, 'granted_selected'],
		['until just before a grant ends', { grants: [{ ...grant, expiresAtMs: nowMs + 1 }] }, 'granted_all'],
		[
			'by one grant what another has lost by time',
			{ grants: [expired(grant), derived], tool: 'add' },
			'granted_selected',
		],
		[
			'what an expired disabled grant denied',
			{ grants: [expired({ ...grant, enabled: false }), derived], tool: 'add' },
			'granted_selected',
		],
		['to list a tool with a constraint', { grants: [constrained] }, 'granted_constrained'],
		['to list a tool that asks', { grants: [asking] }, 'granted_on_approval'],
		['arguments that satisfy', { grants: [constrained], arguments: { text: 'abc' } }, 'granted_constrained'],
		['any arguments to other tools', { grants: [constrained], tool: 'add', arguments: {} }, 'granted_all'],
		[
			'by a grant without the constraint',
			{ grants: [constrained, { ...selected, source: 't' }], arguments: { text: 'long' } },
			'granted_selected',
		],
		[
			'by a grant that does not ask',
			{ grants: [asking, { ...selected, source: 't' }], arguments: {} },
			'granted_selected',
		],
	])('allows %s', (_what, change, reason) => {
		expect(decideAccess({ ...query, ...change })).toMatchObject({ allowed: true, reason })
	})

	it.each<[string, object | undefined, ('destructiveHint' | 'openWorldHint')[]]>([
		['nothing is said of it', undefined, ['destructiveHint', 'openWorldHint']],
		['its annotations are no object', 'safe' as never, ['destructiveHint', 'openWorldHint']],
		['it only reads', { readOnlyHint: true }, ['openWorldHint']],
		[
			'it says that it destroys, though it only reads',
			{ readOnlyHint: true, destructiveHint: true, openWorldHint: false },
			['destructiveHint'],
		],
		['it says that it never destroys', { destructiveHint: false }, ['openWorldHint']],
		['it stays within a closed world', { openWorldHint: false }, ['destructiveHint']],
		['neither', { destructiveHint: false, openWorldHint: false }, []],
		[
			'what it says is no yes or no',
			{ destructiveHint: 'no', openWorldHint: 0 },
			['destructiveHint', 'openWorldHint'],
		],
	])('denies a tool by its hints: %s', (_what, annotations, denying) => {
		const definition = { name: 'echo', annotations }
		for (const hint of ['destructiveHint', 'openWorldHint'] as const) {
			for (const given of [grant, { ...selected }]) {
				const grants = [{ ...given, deniedHints: new Set([hint]) }]
				const denied = denying.includes(hint)
				expect(decideAccess({ ...query, grants, definition }).allowed).toBe(!denied)
				expect(decideAccess({ ...query, grants, definition, arguments: {} }).allowed).toBe(!denied)
				// Another grant allows it nevertheless.
				expect(decideAccess({ ...query, grants: [...grants, selected], definition }).allowed).toBe(true)
			}
		}
		const both = [{ ...grant, deniedHints: new Set(['destructiveHint', 'openWorldHint'] as const) }]
		expect(decideAccess({ ...query, grants: both, definition }).reason).toBe(
			denying.length > 0 ? 'denied_by_hint' : 'granted_all',
		)
		expect(decideAccess({ ...query, grants: both }).reason).toBe('denied_by_hint')
	})

	it.each<[string, Partial<AccessQuery>, string]>([
		['an unknown agent', { agent: undefined }, 'agent_unknown'],
		['a paused agent', { agent: { ...agent, status: 'paused' } }, 'agent_not_active'],
		['a stopped agent', { agent: { ...agent, status: 'stopped' } }, 'agent_not_active'],
		['an agent in error', { agent: { ...agent, status: 'error' } }, 'agent_not_active'],
		['an unknown server', { server: undefined }, 'server_unknown'],
		['a server of another workspace', { server: { ...server, workspaceId: 'x' } }, 'server_unknown'],
		['an inactive server', { server: { ...server, status: 'inactive' } }, 'server_inactive'],
		['an agent without a grant', { grants: [] }, 'no_grant'],
		["another agent's grant", { grants: [{ ...grant, agentId: 'b' }] }, 'no_grant'],
		['a grant on another server', { grants: [{ ...grant, serverId: 't' }] }, 'no_grant'],
		['a grant of another workspace', { grants: [{ ...grant, workspaceId: 'x' }] }, 'no_grant'],
		['a disabled grant', { grants: [{ ...grant, enabled: false }] }, 'grant_disabled'],
		[
			'all that toolsets give beside a disabled grant',
			{ grants: [derived, { ...grant, enabled: false }], tool: 'add' },
			'grant_disabled',
		],
		['a disabled derived grant', { grants: [{ ...derived, enabled: false }], tool: 'add' }, 'no_grant'],
		['an expired grant', { grants: [expired(grant)] }, 'grant_expired'],
		['a tool that was not selected', { grants: [selected], tool: 'Echo' }, 'tool_not_selected'],
		[
			'every tool of an empty selection',
			{ grants: [{ ...selected, allowedTools: new Set<string>() }] },
			'tool_not_selected',
		],
		['a selection without a list', { grants: [{ ...selected, allowedTools: null }] }, 'tool_not_selected'],
		[
			'arguments that do not satisfy',
			{ grants: [constrained], arguments: { text: 'long' } },
			'arguments_refused',
		],
		['a missing argument', { grants: [constrained], arguments: {} }, 'arguments_refused'],
		['a tool whose definition waits', { suspended: 'changed' }, 'definition_changed'],
		[
			'a call of it, before it asks',
			{ grants: [asking], arguments: {}, suspended: 'changed' },
			'definition_changed',
		],
		[
			'one that is not granted, as that',
			{ grants: [selected], tool: 'add', suspended: 'changed' },
			'tool_not_selected',
		],
		['a call that needs approval', { grants: [asking], arguments: {} }, 'approval_required'],
		[
			'bad arguments before it asks',
			{ grants: [{ ...constrained, asks: asking.asks }], arguments: {} },
			'arguments_refused',
		],
		[
			'what cannot be evaluated',
			{
				grants: [{ ...grant, constraints: new Map([['echo', constraintOf({ type: 'nonsense' })]]) }],
				arguments: {},
			},
			'undecidable',
		],
		['what throws', { grants: null as never }, 'undecidable'],
	])('denies %s', (_what, change, reason) => {
		expect(decideAccess({ ...query, ...change })).toMatchObject({ allowed: false, reason })
	})

	it('names the grant that decided', () => {
		const decision = decideAccess({ ...query, grants: [selected, derived], tool: 'add' })
		expect(decision).toMatchObject({ grantId: 'd', source: 't' })
	})

	it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
		'takes %s for the name of a tool and nothing else',
		(tool) => {
			const ask = (grants: GrantEntry[], values?: unknown) =>
				decideAccess({ ...query, grants, tool, ...(values !== undefined && { arguments: values }) })
			expect(ask([selected]).reason).toBe('tool_not_selected')
			expect(ask([{ ...selected, allowedTools: new Set([tool]) }]).reason).toBe('granted_selected')
			expect(ask([constrained], {}).reason).toBe('granted_all')
			const named = { ...grant, constraints: new Map([[tool, short]]) }
			expect(ask([named], {}).reason).toBe('arguments_refused')
			const needs = { ...grant, constraints: new Map([[tool, constraintOf({ required: [tool] })]]) }
			expect(ask([needs], {}).reason).toBe('arguments_refused')
			expect(ask([needs], JSON.parse(`{"${tool}":1}`)).reason).toBe('granted_constrained')
		},
	)

	const tools = ['echo', 'Echo', 'add', '__proto__', 'constructor'] as const
	const anyTool = fc.constantFrom(...tools)
	const anyGrant = fc
		.record({
			source: fc.constantFrom('manual', 't1', 't2'),
			accessMode: fc.constantFrom('all' as const, 'selected' as const),
			list: fc.uniqueArray(anyTool),
			enabled: fc.boolean(),
			expiresAtMs: fc.constantFrom(null, nowMs - 1, nowMs, nowMs + 1),
			limited: fc.uniqueArray(anyTool),
			asking: fc.uniqueArray(anyTool),
			agentId: fc.constantFrom('a', 'a', 'a', 'b'),
		})
		.map(
			({ list, limited, asking, ...rest }): GrantEntry => ({
				...grant,
				...rest,
				allowedTools: rest.accessMode === 'all' ? null : new Set(list),
				allowedPrompts: rest.accessMode === 'selected' && list.length > 0 ? new Set(['greet']) : null,
				allowedResources: rest.accessMode === 'selected' && list.length > 1 ? [uriPattern('*/a')] : null,
				constraints: limited.length > 0 ? new Map(limited.map((tool) => [tool, short])) : null,
				asks: asking.length > 0 ? new Set(asking) : null,
			}),
		)
	const anyArguments = fc.constantFrom(undefined, {}, { text: 'abc' }, { text: 'long' })
	const anyQuery = fc.record({
		agent: fc.constantFrom(undefined, agent, agent, agent, { ...agent, status: 'paused' as const }),
		server: fc.constantFrom(undefined, server, server, server, { ...server, status: 'inactive' as const }),
		grants: fc.array(anyGrant, { maxLength: 4 }),
		tool: fc.option(anyTool),
		arguments: anyArguments,
		prompt: fc.constantFrom(undefined, undefined, 'greet'),
		resource: fc.constantFrom(undefined, 'file:///a', 'file:///b'),
		nowMs: fc.constant(nowMs),
	})

	/** The same rules in a simple form, written for readability. */
	function obviously({ agent, server, grants, tool, prompt, resource, ...asked }: AccessQuery): boolean {
		if (agent?.status !== 'active' || server?.status !== 'active') return false
		const own = grants.filter(({ agentId }) => agentId === agent.id)
		const alive = own.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > asked.nowMs)
		if (alive.some(({ source, enabled }) => source === 'manual' && !enabled)) return false
		return alive
			.filter(({ enabled }) => enabled)
			.some((each) => {
				if (tool === null) {
					if (each.accessMode === 'all' || (prompt ?? resource) === undefined) return true
					if (prompt !== undefined) return each.allowedPrompts?.has(prompt) ?? false
					return each.allowedResources !== null && resource === 'file:///a'
				}
				if (each.accessMode === 'selected' && ![...(each.allowedTools ?? [])].includes(tool)) return false
				if (asked.arguments === undefined) return true
				if ([...(each.asks ?? [])].includes(tool)) return false
				const limited = [...(each.constraints?.keys() ?? [])].includes(tool)
				return !limited || (asked.arguments as { text?: string }).text === 'abc'
			})
	}
	const isAllowed = (asked: unknown) => decideAccess(asked as AccessQuery).allowed

	it('agrees with the rules in their simple form', () => {
		fc.assert(
			fc.property(anyQuery, (asked) => {
				expect(isAllowed(asked)).toBe(obviously(asked as AccessQuery))
			}),
			{ numRuns: randomCases(5000) },
		)
	})

	it('never denies more because of an additional grant, except for a disabled direct one', () => {
		fc.assert(
			fc.property(anyQuery, anyGrant, (asked, more) => {
				const denies = more.source === 'manual' && !more.enabled
				const wider = isAllowed({ ...asked, grants: [...asked.grants, more] })
				if (!denies) expect(Number(wider)).toBeGreaterThanOrEqual(Number(isAllowed(asked)))
				else expect(Number(wider)).toBeLessThanOrEqual(Number(isAllowed(asked)))
			}),
			{ numRuns: randomCases(3000) },
		)
	})

	it('allows what any single grant allows, unless a direct one is disabled', () => {
		fc.assert(
			fc.property(anyQuery, (asked) => {
				const disabled = asked.grants.some(({ source, enabled }) => source === 'manual' && !enabled)
				const alone = asked.grants.some((each) => isAllowed({ ...asked, grants: [each] }))
				if (!disabled) expect(isAllowed(asked)).toBe(alone)
			}),
			{ numRuns: randomCases(3000) },
		)
	})

	it('ignores expired grants', () => {
		fc.assert(
			fc.property(anyQuery, (asked) => {
				const alive = asked.grants.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs)
				expect(isAllowed(asked)).toBe(isAllowed({ ...asked, grants: alive }))
			}),
			{ numRuns: randomCases(3000) },
		)
	})

	it('gives the same decision whatever the order of the grants', () => {
		fc.assert(
			fc.property(anyQuery, (asked) => {
				const turned = decideAccess({ ...asked, grants: asked.grants.toReversed() } as AccessQuery)
				expect(turned.reason).toBe(decideAccess(asked as AccessQuery).reason)
			}),
			{ numRuns: randomCases(3000) },
		)
	})

	it('takes less than half the time of parsing the grant, without constraints', () => {
		const asked = { ...query, grants: [selected, derived], tool: 'add', arguments: {} }
		const text = JSON.stringify(grant)
		const rounds = 100_000
		const ratio = () => time(() => decideAccess(asked), rounds) / time(() => JSON.parse(text), rounds)
		expect(Math.min(...Array.from({ length: 5 }, ratio))).toBeLessThan(0.5)
	})
})

function expired(grant: GrantEntry): GrantEntry {
	return { ...grant, expiresAtMs: nowMs }
}

function time(run: () => unknown, rounds: number): number {
	const startedMs = performance.now()
	for (let round = 0; round < rounds; round += 1) run()
	return performance.now() - startedMs
}
