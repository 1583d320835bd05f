import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/src/config/config.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import {
	call,
	fillNewDataDir,
	newDataDir,
	owner,
	removeDataDir,
} from '../../server/src/program/program.testing.ts'
import { type Running, run } from '../../server/src/program/run.ts'
import { makeStranger } from './tenancy-objects.ts'

interface Audited {
	audit: { action: string; actor: { kind: string; name: string }; detail: Record<string, unknown> }[]
}

describe('the MCP server of the platform', () => {
	const dataDir = newDataDir()
	let running: Running
	let token: string
	const open: { close(): Promise<void> }[] = []

	beforeAll(async () => {
		const settings = {
			PORT: '0',
			OTLP_HTTP_PORT: '0',
			DATA_DIR: dataDir,
			INIT_ADMIN_EMAIL: owner.email,
			INIT_ADMIN_PASSWORD: owner.password,
			// The program runs in the process of the tests, which can delay it on a busy machine.
			OVERLOAD_LAG_MS: '0',
		}
		const environment = Object.entries(settings).map(([name, value]) => [`SIGNALBOX_${name}`, value])
		await fillNewDataDir(dataDir)
		running = await run(readConfig(Object.fromEntries(environment)), silentLog)
		const signedIn = await call<{ token: string }>(running.address, 'POST', '/auth/login', owner, 200, '')
		token = signedIn.token
	})
	afterAll(async () => {
		for (const client of open) await client.close()
		await running?.stop()
		removeDataDir(dataDir)
	})

	const api = <T>(method: string, path: string, body: unknown, expected: number) =>
		call<T>(running.address, method, path, body, expected, token)
	const newKey = async (body: object) =>
		(await api<{ key: string }>('POST', '/v1/keys', { name: 'Assistant', ...body }, 201)).key
	const url = () => new URL(`${running.address}/mcp/platform`)
	const sending = (credential: string) => ({
		requestInit: { headers: { authorization: `Bearer ${credential}` } },
	})
	const connect = async (credential: string, mode: 'legacy' | 'auto' = 'legacy') => {
		const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
		open.push(client)
		await client.connect(new StreamableHTTPClientTransport(url(), sending(credential)))
		return client
	}
	const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? ''
	const read = <T>(result: unknown) => JSON.parse(textOf(result)) as T

	it('serves clients of both eras', async () => {
		const key = await newKey({ scopes: ['agents:read', 'agents:write'] })
		const versions: unknown[] = []
		for (const client of [await connect(key), await connect(key, 'auto')]) {
			versions.push(client.getNegotiatedProtocolVersion())
			const { tools } = await client.listTools()
			expect(tools.map(({ name }) => name)).toContain('agents_create')
			const made = await client.callTool({ name: 'agents_list', arguments: { limit: 1 } })
			expect(read<{ pagination: { limit: number } }>(made).pagination.limit).toBe(1)
		}
		expect(versions).toEqual(['2025-11-25', '2026-07-28'])
	})

	it('lists only the tools that the scopes allow, and refuses and audits calls of the others', async () => {
		const client = await connect(await newKey({ name: 'Reader', scopes: ['agents:read'] }))
		const names = (await client.listTools()).tools.map(({ name }) => name)
		expect(names).toEqual(['agents_list', 'agents_get', 'agents_install'])
		const refused = await client.callTool({ name: 'agents_create', arguments: { name: 'Never' } })
		expect(refused.isError).toBe(true)
		expect(read(refused)).toMatchObject({
			code: 'forbidden',
			status: 403,
			detail: 'This needs the scope agents:write.',
		})
		const { audit } = await api<Audited>('GET', '/v1/audit?action=denied&actor=Reader', undefined, 200)
		expect(audit[0]?.detail).toMatchObject({ operation: 'agents.create', via: 'mcp' })
	})

	it('makes changes as its caller, which the audit log marks as made by MCP', async () => {
		const client = await connect(await newKey({ scopes: ['agents:write', 'agents:read'] }), 'auto')
		const made = read<{ uuid: string }>(
			await client.callTool({ name: 'agents_create', arguments: { name: 'Made by a model' } }),
		)
		const paused = await client.callTool({ name: 'agents_pause', arguments: { agent_id: made.uuid } })
		expect(read(paused)).toMatchObject({ status: 'paused' })
		const { audit } = await api<Audited>('GET', `/v1/audit?target=${made.uuid}`, undefined, 200)
		expect(audit.map(({ action, actor, detail }) => [action, actor.kind, actor.name, detail.via])).toEqual([
			['agents.pause', 'platform_key', 'Assistant', 'mcp'],
			['agents.create', 'platform_key', 'Assistant', 'mcp'],
		])
		await api('POST', `/v1/agents/${made.uuid}/resume`, undefined, 200)
		const after = await api<Audited>('GET', `/v1/audit?target=${made.uuid}&limit=1`, undefined, 200)
		expect(after.audit[0]?.detail.via).toBeUndefined()
	})

	it('reports invalid arguments and unknown ids with the problem codes of the API', async () => {
		const client = await connect(await newKey({ scopes: ['agents:write'] }))
		const wrong = await client.callTool({ name: 'agents_create', arguments: { name: '' } })
		expect(wrong.isError).toBe(true)
		expect(read(wrong)).toMatchObject({ code: 'invalid_request', status: 400 })
		const unknown = await client.callTool({ name: 'agents_pause', arguments: { agent_id: 'nobody' } })
		expect(read(unknown)).toMatchObject({ code: 'not_found', status: 404 })
		await expect(client.callTool({ name: 'keys_create', arguments: {} })).rejects.toThrow('no tool')
	})

	it('lets people use what their role allows, and shows nobody another workspace', async () => {
		const mine = await api<{ uuid: string }>('POST', '/v1/agents', { name: 'Ours' }, 201)
		const client = await connect(token)
		const access = await client.callTool({ name: 'access_of_agent', arguments: { agent_id: mine.uuid } })
		expect(read(access)).toMatchObject({ access: [] })
		const stranger = await makeStranger(running.address)
		for (const credential of [stranger.jwt, stranger.key]) {
			const theirs = await connect(credential)
			const missed = await theirs.callTool({ name: 'agents_get', arguments: { agent_id: mine.uuid } })
			expect(read(missed)).toMatchObject({ code: 'not_found' })
		}
	})

	it('refuses agents without offering clients an OAuth sign-in', async () => {
		const agent = await api<{ uuid: string }>('POST', '/v1/agents', { name: 'Agent' }, 201)
		const key = await newKey({ agent_uuid: agent.uuid })
		const answer = await fetch(url(), { method: 'POST', headers: { authorization: `Bearer ${key}` } })
		expect(answer.status).toBe(401)
		expect(answer.headers.get('www-authenticate')).not.toContain('resource_metadata')
	})
})
