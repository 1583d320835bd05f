import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithStore } from '../platform/database/testing.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until } from './testing-client.ts'
import { type ScriptedUpstream, sendText, startScriptedUpstream } from './testing-upstream.ts'

const toolOf = (name: string, description = 'Looks.') => ({
	name,
	description,
	inputSchema: { type: 'object' },
})

/** Each list is requested twice at two processes beforehand, so that a cached list must be invalidated by the change. */
describeWithStore('a cached tool list', (store) => {
	let first: TestGateway
	let second: TestGateway
	let upstream: ScriptedUpstream
	const tools = [toolOf('look'), toolOf('find')]
	let agent: TestAgent
	let serverId: string
	let servers = 0
	beforeAll(async () => {
		const masterKey = randomBytes(32)
		first = await openTestGatewayOn(store(), {}, undefined, { masterKey })
		second = await openTestGatewayOn(store(), {}, undefined, { masterKey, withoutOwner: true })
		upstream = await startScriptedUpstream(tools, ({ id }, response) => sendText(response, id, 'seen'))
	})
	afterAll(async () => {
		await second?.close()
		await first?.close()
		await upstream?.close()
	})
	beforeEach(async () => {
		servers += 1
		tools.splice(0, tools.length, toolOf('look'), toolOf('find'))
		serverId = await first.addServer(`s${servers}`, upstream.url)
		agent = await first.addAgent(`Rosa ${servers}`)
		await first.grant(agent.id, serverId, ['look', 'find'])
		await second.feed.catchUp()
		for (const gateway of [first, first, second, second])
			expect(await names(gateway)).toEqual([`s${servers}__look`, `s${servers}__find`])
	})

	const list = async (gateway: TestGateway) => {
		const { body } = await newWireClient(`${gateway.url}/mcp`, agent.key).modern('tools/list')
		return body.result?.tools ?? body.error.data.code
	}
	const names = async (gateway: TestGateway) =>
		(await list(gateway)).map?.(({ name }: { name: string }) => name) ?? (await list(gateway))
	/** The list changes at once at the process that made the change, and within a second at the other one. */
	const becomes = async (expected: unknown) => {
		expect(await names(first)).toEqual(expected)
		await until(async () => JSON.stringify(await names(second)) === JSON.stringify(expected), 1000)
	}
	const access = () => `/v1/mcp/servers/${serverId}/access/${agent.id}`
	const server = () => `/v1/mcp/servers/${serverId}`

	it('lacks a tool that the grant no longer names', async () => {
		await first.manage('PATCH', access(), { allowed_tools: ['find'] })
		await becomes([`s${servers}__find`])
	})

	it('is empty when the grant is gone', async () => {
		await first.manage('DELETE', access())
		await becomes([])
	})

	it('is empty when the grant has expired, without any change', async () => {
		const expires_at = new Date(Date.now() + 600).toISOString()
		await first.manage('PATCH', access(), { expires_at })
		await second.feed.catchUp()
		await names(second)
		await until(() => Date.now() > Date.parse(expires_at), 2000)
		await becomes([])
	})

	it('is refused when the agent may not act', async () => {
		await first.manage('POST', `/v1/agents/${agent.id}/pause`)
		await becomes('agent_not_active')
	})

	it("shows the search tool when the agent's listing is set to it", async () => {
		await first.manage('PATCH', `/v1/agents/${agent.id}`, { tool_listing: 'search' })
		await becomes(['find_tools', 'call_tool'])
	})

	it('has the current names', async () => {
		await first.manage('PATCH', server(), {
			tool_prefix: `p${servers}`,
			tool_aliases: { look: `a${servers}` },
		})
		await becomes([`a${servers}`, `p${servers}__find`])
	})

	it('is empty when the server is switched off', async () => {
		await first.manage('PATCH', server(), { status: 'inactive' })
		await becomes([])
	})

	it('has read_more as soon as the server has a limit', async () => {
		await first.manage('PATCH', server(), { max_result_bytes: 4096 })
		await becomes(['read_more', `s${servers}__look`, `s${servers}__find`])
	})

	it('lacks a changed tool until it is approved, and then has its new definition', async () => {
		await first.manage('PATCH', server(), { definition_policy: 'suspend' })
		tools.splice(0, 1, toolOf('look', 'Looks twice.'))
		await first.manage('POST', `${server()}/tools/refresh`)
		await becomes([`s${servers}__find`])
		const { definitions } = await first.manage('GET', `${server()}/definitions`)
		const { name, current_hash: hash } = definitions[0]
		await first.manage('POST', `${server()}/definitions/decisions`, {
			decisions: [{ name, hash, decision: 'approve' }],
		})
		await becomes([`s${servers}__look`, `s${servers}__find`])
		expect((await list(first))[0].description).toBe('Looks twice.')
	})

	it('has new tools and lacks those that the server dropped', async () => {
		await first.manage('PATCH', server(), { definition_policy: 'allow' })
		await first.manage('PATCH', access(), { access_mode: 'all', allowed_tools: null })
		tools.shift()
		await first.manage('POST', `${server()}/tools/refresh`)
		await becomes([`s${servers}__find`])
		tools.unshift(toolOf('new', 'Adds two numbers up.'))
		await first.manage('POST', `${server()}/tools/refresh`)
		await becomes([`s${servers}__new`, `s${servers}__find`])
	})
})
