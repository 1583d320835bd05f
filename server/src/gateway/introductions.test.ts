import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, startFixture } from '../../../checks/fixtures/start-fixture.ts'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient } from './testing-client.ts'
import { type ScriptedUpstream, sendJson, startScriptedUpstream } from './testing-upstream.ts'

describe('the stored introductions of servers', () => {
	let gateway: TestGateway
	let upstream: ScriptedUpstream
	let fixture: Fixture
	let agent: TestAgent

	beforeAll(async () => {
		gateway = await openTestGateway()
		upstream = await startScriptedUpstream([], () => {})
		upstream.initialize = ({ id }, response) => {
			upstream.sessions.add('session')
			response.setHeader('mcp-session-id', 'session')
			const serverInfo = { name: 'scripted', title: null, websiteUrl: 'https://example.org' }
			const capabilities = { tools: {}, prompts: {}, resources: {}, logging: {} }
			const said = { capabilities, instructions: 'Be kind to the desk.' }
			sendJson(response, 200, {
				jsonrpc: '2.0',
				id,
				result: { protocolVersion: '2025-06-18', serverInfo, ...said },
			})
		}
		fixture = await startFixture('modern')
		agent = await gateway.addAgent('Rosa')
		await gateway.grant(agent.id, await gateway.addServer('Scripted', upstream.url), null)
		await gateway.grant(agent.id, await gateway.addServer('Fixture', fixture.url), null)
	})
	afterAll(async () => {
		await gateway?.close()
		await upstream?.close()
		await fixture?.close()
	})

	const introduced = async (path: string) => {
		const client = newWireClient(`${gateway.url}${path}`, agent.key)
		return [(await client.initialize()).body.result, (await client.modern('server/discover')).body.result]
	}

	it('introduces the aggregate to clients of both eras, also after a restart, without asking any server', async () => {
		await upstream.close()
		upstream.received.length = 0
		await gateway.restart()
		for (const result of await introduced('/mcp')) {
			expect(result.instructions).toContain(
				'# Scripted\nIts tools are named scripted__*, and so are its prompts.\n\nBe kind to the desk.',
			)
			expect(result.capabilities).toMatchObject({ prompts: { listChanged: true }, resources: {}, tools: {} })
		}
		const [{ serverInfo }] = await introduced('/mcp/scripted')
		expect(serverInfo).toEqual({ name: 'scripted', version: '', websiteUrl: 'https://example.org' })
		for (const result of await introduced('/mcp/scripted')) {
			expect(result.instructions).toBe('Be kind to the desk.')
			expect(result.capabilities).not.toHaveProperty('completions')
			// Also in the modern era: a server that sends logs must say so.
			expect(result.capabilities.logging).toEqual({})
			expect(result.capabilities.resources).toEqual({ listChanged: true })
		}
		for (const result of await introduced('/mcp/fixture'))
			expect(result.capabilities.resources).toEqual({ listChanged: true, subscribe: true })
		expect(upstream.received).toEqual([])
	})
})
