import { describe, expect, it } from 'vitest'
import { chosenOperations, type PlatformTool } from './chosen-operations.ts'
import { BadArguments, fitAnswer, platformTools, requestOfCall } from './platform-mcp.ts'

const tools = [...platformTools().values()]
const tool = (name: string) => platformTools().get(name) as PlatformTool

describe('the tools of the platform', () => {
	it('are operations of the contract, each with a unique name that every client accepts', () => {
		expect(tools.length).toBe(chosenOperations.length)
		for (const { definition } of tools) expect(definition.name).toMatch(/^[a-z_]{3,64}$/)
	})

	it('neither return nor accept a secret, and start no program', () => {
		const fields = JSON.stringify(tools.map(({ fields }) => fields.map(({ name }) => name)))
		expect(fields).not.toMatch(/"(headers|env|command|args|key|token|credential|password)"/)
		// The key of an attribute is its name.
		const withoutAttributes = (_: string, value: unknown) =>
			(value as { title?: string } | null)?.title === 'OtlpKeyValue' ? undefined : value
		const answers = JSON.stringify(
			chosenOperations.map(({ operation }) => operation.response),
			withoutAttributes,
		)
		expect(answers).not.toMatch(/"shown once|"(key|token|secret)":\{/i)
	})

	it('hide only fields that exist', () => {
		for (const { operation, hidden = [] } of chosenOperations) {
			const { body, query } = operation as { body?: { properties?: object }; query?: { properties?: object } }
			const properties = { ...body?.properties, ...query?.properties }
			const unknown = hidden.filter((name) => !(name in properties))
			expect(unknown, operation.id).toEqual([])
		}
	})

	it('say which of them change something, and which are destructive', () => {
		const hints = (name: string) => tool(name).definition.annotations
		expect(hints('agents_list')).toMatchObject({ readOnlyHint: true, destructiveHint: false })
		expect(hints('toolsets_preview')).toMatchObject({ readOnlyHint: true })
		expect(hints('agents_create')).toMatchObject({ readOnlyHint: false, destructiveHint: false })
		expect(hints('agents_delete')).toMatchObject({ destructiveHint: true, idempotentHint: true })
		expect(hints('keys_revoke')).toMatchObject({ destructiveHint: true })
		expect(hints('approvals_approve')).toMatchObject({ destructiveHint: true })
		for (const { chosen, definition } of tools)
			expect(definition.annotations?.readOnlyHint, definition.name).toBe(
				chosen.operation.method === 'GET' || chosen.readOnly === true,
			)
	})

	it('describe each argument, and name the object of each id', () => {
		const { properties, required } = tool('access_update').definition.inputSchema
		expect(Object.keys(properties ?? {}).slice(0, 2)).toEqual(['server_id', 'agent_id'])
		expect(required).toEqual(['server_id', 'agent_id'])
		expect(properties).not.toHaveProperty('created_at')
		expect(tool('servers_update').definition.inputSchema.properties).not.toHaveProperty('health_error')
	})

	it('cost a model less than 14,000 tokens in total', () => {
		const characters = JSON.stringify(tools.map(({ definition }) => definition)).length
		expect(characters / 4).toBeLessThan(14_000)
	})
})

describe('a call becomes a request', () => {
	it('with path, query and body', () => {
		expect(requestOfCall(tool('access_update'), { server_id: 's 1', agent_id: 'a', enabled: false })).toEqual(
			{
				method: 'PATCH',
				url: '/v1/mcp/servers/s%201/access/a',
				body: '{"enabled":false}',
			},
		)
		expect(requestOfCall(tool('agents_list'), { q: 'a&b', limit: 5 })).toEqual({
			method: 'GET',
			url: '/v1/agents?limit=5&q=a%26b',
			body: null,
		})
	})

	it('with either of the two names for an agent', () => {
		for (const name of ['agent', 'agent_uuid']) {
			expect(requestOfCall(tool('keys_list'), { [name]: 'a' }).url).toBe(`/v1/keys?${name}=a`)
			expect(requestOfCall(tool('access_create'), { server_id: 's', [name]: 'a' }).body).toBe(
				`{"${name}":"a"}`,
			)
		}
	})

	it('never with another path than that of its operation', () => {
		for (const id of ['..', '.', '', '/x', 5, null, undefined])
			expect(() => requestOfCall(tool('agents_get'), { agent_id: id }), String(id)).toThrow(BadArguments)
		const { url } = requestOfCall(tool('agents_get'), { agent_id: 'x/../../keys?a=b' })
		expect(url).toBe('/v1/agents/x%2F..%2F..%2Fkeys%3Fa%3Db')
	})

	it('and an argument that the tool does not have is refused', () => {
		expect(() => requestOfCall(tool('servers_create'), { name: 'x', command: 'sh' })).toThrow('command')
	})
})

describe('a response that is too long', () => {
	const agents = Array.from({ length: 100 }, (_, index) => ({ name: `agent ${index}`, text: 'x'.repeat(50) }))

	it('is cut to whole entries of its list, and says how to get the rest', () => {
		const [shown = '', note] = fitAnswer(JSON.stringify({ agents, next_cursor: 'far' }), 1000)
		const kept = JSON.parse(shown) as { agents: unknown[] }
		expect(shown.length).toBeLessThanOrEqual(1000)
		expect(kept.agents.length).toBeGreaterThan(5)
		expect(kept).not.toHaveProperty('next_cursor')
		expect(note).toContain(`first ${kept.agents.length} of 100 agents`)
		expect(note).toContain(`\`limit\` ${kept.agents.length}`)
	})

	it('is cut at a character boundary if there is no list', () => {
		const [shown = '', note] = fitAnswer(JSON.stringify({ text: '😀'.repeat(1000) }), 100)
		expect(shown.isWellFormed()).toBe(true)
		expect(shown.length).toBeLessThanOrEqual(100)
		expect(note).toContain('only the beginning')
	})

	it('is left unchanged if it fits', () => {
		expect(fitAnswer('{"a":1}')).toEqual(['{"a":1}'])
	})
})
