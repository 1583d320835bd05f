import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bothErasProgram, scriptOf, testingProgram } from '../servers/programs/testing.ts'
import { openTestGateway, type TestGateway } from './testing.ts'
import { newWireClient } from './testing-client.ts'

const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })
const sentenceOf = async (gateway: TestGateway, id: string) =>
	(await gateway.manage('GET', `/v1/mcp/servers/${id}/program`)).acceptance_sentence

describe('programs behind the gateway', () => {
	let gateway: TestGateway
	let agent: { id: string; key: string }
	const folder = mkdtempSync(join(tmpdir(), 'signalbox-files-'))
	const ids: Record<string, string> = {}
	beforeAll(async () => {
		gateway = await openTestGateway()
		await gateway.manage('PATCH', `/v1/workspaces/${gateway.owner.workspaceId}/rights`, { stdio: true })
		agent = await gateway.addAgent('Rosa')
		writeFileSync(join(folder, 'note.txt'), 'kept in a file')
		const programs: Record<string, string[]> = {
			everything: [scriptOf('@modelcontextprotocol/server-everything'), 'stdio'],
			memory: [scriptOf('@modelcontextprotocol/server-memory')],
			thinking: [scriptOf('@modelcontextprotocol/server-sequential-thinking')],
			files: [scriptOf('@modelcontextprotocol/server-filesystem'), '.'],
			testing: [testingProgram],
			both: [bothErasProgram],
		}
		for (const [name, args] of Object.entries(programs)) {
			const env = {
				MEMORY_FILE_PATH: join(folder, 'memory.jsonl')
					.replace(tmpdir(), '/tmp')
					.replace(/signalbox-files-\w+\//, 'signalbox-'),
			}
			const server = await gateway.manage('POST', '/v1/mcp/servers', { name, command: 'node', args, env })
			ids[name] = server.id
			// Without a sandbox on this machine, the programs run with the operator's acceptance; what is tested here holds all
			// the same.
			const sentence = await sentenceOf(gateway, server.id)
			await gateway.manage('POST', `/v1/mcp/servers/${server.id}/program/acceptance`, { sentence })
			const health = await gateway.manage('GET', `/v1/mcp/servers/${server.id}/health`)
			expect(health, name).toMatchObject({ status: /healthy|degraded/.exec(health.status)?.[0], error: null })
			await gateway.grant(agent.id, server.id, null)
		}
	})
	afterAll(async () => {
		await gateway.close()
		rmSync(folder, { recursive: true, force: true })
	})

	it('are four public servers, used by a stock client of the legacy era over /mcp', async () => {
		const client = new Client1({ name: 'stock', version: '1' })
		await client.connect(new Transport1(new URL(`${gateway.url}/mcp`), withKey(agent.key)) as never)
		const { tools } = await client.listTools()
		expect(tools.length).toBeGreaterThan(25)
		const call = async (name: string, args: object) =>
			JSON.stringify(await client.callTool({ name, arguments: args as Record<string, unknown> }))
		expect(await call('everything__echo', { message: 'hello' })).toContain('Echo: hello')
		const entities = [{ name: 'Rosa', entityType: 'agent', observations: ['is kind'] }]
		await call('memory__create_entities', { entities })
		expect(await call('memory__read_graph', {})).toContain('is kind')
		const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
		expect(await call('thinking__sequentialthinking', thought)).toContain('thoughtHistoryLength')
		expect(await call('files__list_allowed_directories', {})).toContain('program')
		await call('files__write_file', { path: 'a.txt', content: 'written in its home' })
		expect(await call('files__read_text_file', { path: 'a.txt' })).toContain('written in its home')
		await client.close()
	})

	it('say that nobody has accepted them yet, which is why their tools are not known', async () => {
		const args = [testingProgram]
		const { id } = await gateway.manage('POST', '/v1/mcp/servers', { name: 'waiting', command: 'node', args })
		await gateway.grant(agent.id, id, null)
		const client = newWireClient(`${gateway.url}/mcp/waiting`, agent.key)
		expect((await client.modern('tools/call', { name: 'ask' })).body.error).toMatchObject({
			message: expect.stringContaining('Nobody has accepted its program as it is now.'),
			data: { code: 'upstream_unreachable' },
		})
	})

	it('answer clients of 2026-07-28, with progress', async () => {
		const options = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const
		const client = new Client2({ name: 'stock', version: '1' }, options)
		await client.connect(new Transport2(new URL(`${gateway.url}/mcp/everything`), withKey(agent.key)))
		let steps = 0
		const call = { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } }
		await client.callTool(call, {
			onprogress: () => {
				steps += 1
			},
		})
		expect(steps).toBeGreaterThan(0)
		await client.close()
	})

	it('ask only the client that called, whose program it has to itself', async () => {
		const asked = async (name: string) => {
			const client = new Client1({ name, version: '1' }, { capabilities: { elicitation: {} } })
			client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { by: name } }))
			await client.connect(new Transport1(new URL(`${gateway.url}/mcp/testing`), withKey(agent.key)) as never)
			return client
		}
		const clients = await Promise.all(['Ada', 'Bo'].map(asked))
		const answers = await Promise.all(
			clients.map((client) => client.callTool({ name: 'ask', arguments: {} })),
		)
		expect(answers.map((answer) => JSON.stringify(answer))).toEqual([
			expect.stringContaining('Ada'),
			expect.stringContaining('Bo'),
		])
		for (const client of clients) await client.close()
	})

	it('give a clear error when they die during a call, and start again with the next', async () => {
		const client = new Client1({ name: 'stock', version: '1' })
		await client.connect(new Transport1(new URL(`${gateway.url}/mcp/testing`), withKey(agent.key)) as never)
		await expect(client.callTool({ name: 'die', arguments: {} })).rejects.toMatchObject({
			message: expect.stringMatching(
				/testing could not be reached: The program was ended by SIGKILL .* may have taken effect/,
			),
			data: { code: 'upstream_unreachable', may_have_taken_effect: true },
		})
		const again = await client.callTool({ name: 'echo', arguments: { value: 'again' } })
		expect(JSON.stringify(again)).toContain('again')
		await client.close()
	})

	it('use the older era where their configuration says so, and restart for it', async () => {
		const both = new URL(`${gateway.url}/mcp/both`)
		const answer = { action: 'accept', content: { name: 'Ada' } } as const
		const client = new Client1({ name: 'stock', version: '1' }, { capabilities: { elicitation: {} } })
		client.setRequestHandler(ElicitRequestSchema, async () => answer)
		await client.connect(new Transport1(both, withKey(agent.key)) as never)
		const options = { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: {} } }
		const modern = new Client2({ name: 'stock', version: '1' }, options as never)
		modern.setRequestHandler('elicitation/create', async () => answer)
		await modern.connect(new Transport2(both, withKey(agent.key)))
		const askBy = async (asking: Client1 | Client2) =>
			JSON.stringify(await asking.callTool({ name: 'ask', arguments: {} }).catch(String))
		const revision = async () =>
			(await gateway.manage('GET', `/v1/mcp/servers/${ids.both}/health`)).protocol_version
		expect(await revision()).toBe('2026-07-28')
		expect(await askBy(client)).toContain('It is Ada.')
		expect(await askBy(modern)).not.toContain('It is Ada.')
		const configuration = { protocol_era: 'legacy' }
		await gateway.manage('PATCH', `/v1/mcp/servers/${ids.both}`, { configuration })
		await expect.poll(revision, { timeout: 10_000 }).toBe('2025-11-25')
		for (const asking of [client, modern]) expect(await askBy(asking)).toContain('It is Ada.')
		await client.close()
		await modern.close()
	})

	// After four of five seconds, a program is asked in the older era as well.
	it.each(['3500', '4100', '6000'])(
		'that speak both eras stay in the newer one if they start in %s ms',
		async (startMs) => {
			const slow = { name: `slow ${startMs}`, command: 'node', args: [bothErasProgram, startMs] }
			const server = await gateway.manage('POST', '/v1/mcp/servers', slow)
			const sentence = await sentenceOf(gateway, server.id)
			await gateway.manage('POST', `/v1/mcp/servers/${server.id}/program/acceptance`, { sentence })
			const names = async () => {
				const { tools } = await gateway.manage('POST', `/v1/mcp/servers/${server.id}/tools/refresh`)
				return tools.map(({ name }: { name: string }) => name)
			}
			await expect.poll(names, { timeout: 30_000 }).toEqual(['ask'])
			const { protocol_version } = await gateway.manage('GET', `/v1/mcp/servers/${server.id}/health`)
			expect(protocol_version).toBe('2026-07-28')
		},
	)

	it('are called from the playground and recorded like any call', async () => {
		const path = `/v1/mcp/servers/${ids.everything}/tools/echo/call`
		const { result } = await gateway.manage('POST', path, { arguments: { message: 'by hand' } })
		expect(JSON.stringify(result)).toContain('by hand')
		expect(gateway.rows.at(-1)).toMatchObject({ serverId: ids.everything, toolName: 'echo', status: 'ok' })
	})
})
