import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { TestPerson } from '../../accounts/identity/testing.ts'
import type { TestAgent } from '../../gateway/testing.ts'
import { newWireClient } from '../../gateway/testing-client.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { startHandler } from '../../servers/discovery/testing.ts'
import {
	type BrokerStage,
	type ProtectedServer,
	startAuthorizationServer,
	startBrokerStage,
	startProtectedServer,
	type TestAuthorizationServer,
} from './testing.ts'

// Regression tests for CVE-2025-6514 and CVE-2026-51994 (mcp-remote opened any address that a server gave) and CVE-2025-58444
// (the Inspector also opened `javascript:`).
describeWithStore('tokens for servers', (store) => {
	let stage: BrokerStage
	let issuer: TestAuthorizationServer
	let upstream: ProtectedServer
	let serverId: string
	let agent: TestAgent
	let member: TestPerson
	let servers = 0
	beforeAll(async () => {
		issuer = await startAuthorizationServer()
		stage = await startBrokerStage(store(), issuer)
		upstream = await startProtectedServer(() => issuer.issuer, issuer.isGood)
		member = await stage.memberOf('member')
	})
	beforeEach(async () => {
		Object.assign(issuer, { metadata: {}, accessTokenS: 3600, refreshes: 0 })
		Object.assign(upstream, { seen: [], wantsScope: null, accepts: issuer.isGood })
		servers += 1
		serverId = await stage.addServer(`Guarded ${servers}`, `${upstream.url}?n=${servers}`)
		agent = await stage.addAgent(`Rosa ${servers}`)
	})
	afterAll(async () => {
		await stage?.close()
		upstream?.close()
		issuer?.close()
	})

	const path = () => `/v1/mcp/servers/${serverId}/oauth`
	const set = (body: object) => stage.manage('PUT', path(), { mode: 'authorization_code', ...body })
	const reachable = () =>
		expect
			.poll(async () => (await stage.manage('GET', `/v1/mcp/servers/${serverId}/tools`)).tools.length)
			.toBe(1)
	const call = async () => {
		const client = newWireClient(`${stage.url}/mcp/guarded-${servers}`, agent.key)
		await client.initialize()
		return (await client.request('tools/call', { name: 'whose' })).body
	}
	const connections = async () => (await stage.manage('GET', `${path()}/connections`)).connections

	it('connects a server for the workspace: discovery, registration, consent, and the token is sent', async () => {
		await set({ owner: 'workspace', scope: 'tools more' })
		const end = await stage.connect(serverId, stage.owner)
		expect(end.pathname).toBe(`/ui/connect/${serverId}`)
		await reachable()
		await stage.grant(agent.id, serverId, null)
		const { result } = await call()
		const token = result.content[0].text.replace('Bearer ', '')
		expect(await issuer.isGood(token)).toBe(true)
		const { attributes } = stage.rows.filter(({ kind }) => kind === 'tool_call').at(-1) ?? {}
		expect(attributes?.get('signalbox.upstream.token_owner')).toBe('workspace')
		expect(await connections()).toMatchObject([{ owner: 'workspace', owner_id: null, status: 'active' }])
		const { audit } = await stage.manage('GET', '/v1/audit?limit=1&action=upstream-credentials.connect')
		expect(audit[0]).toMatchObject({
			action: 'upstream-credentials.connect',
			detail: { issuer: issuer.issuer },
		})
		expect(JSON.stringify(await connections())).not.toContain(token)
	})

	it('two processes that need a new token at once ask the authorization server once, and both send the new one', async () => {
		issuer.accessTokenS = 1
		await set({ owner: 'workspace' })
		await stage.connect(serverId, stage.owner)
		await reachable()
		const other = await startBrokerStage(store(), issuer)
		await new Promise((resolve) => setTimeout(resolve, 1500))
		Object.assign(issuer, { accessTokenS: 3600, refreshes: 0 })
		const server = { id: serverId, name: 'Guarded', url: `${upstream.url}?n=${servers}` }
		const owner = { agentId: agent.id, userId: null }
		const found = await Promise.all(
			[stage, other, stage, other].map(({ credentials }) => credentials.credentialFor(server, owner)),
		)
		await other.close()
		const sent = new Set(found.map((credential) => credential?.headers.authorization))
		expect([sent.size, issuer.refreshes]).toEqual([1, 1])
	})

	it('opens the consent page in a client that supports it, and continues the call after the consent', async () => {
		await set({ owner: 'agent' })
		await stage.connect(serverId, stage.owner, { agent_uuid: (await stage.addAgent(`Otto ${servers}`)).id })
		await reachable()
		await stage.grant(agent.id, serverId, null)
		const client = new Client({ name: 'led', version: '1' }, { capabilities: { elicitation: { url: {} } } })
		const asked: object[] = []
		client.setRequestHandler('elicitation/create', async ({ params }) => {
			asked.push(params)
			await stage.connect(serverId, stage.owner, { agent_uuid: agent.id })
			return { action: 'accept' }
		})
		const requestInit = { headers: { authorization: `Bearer ${agent.key}` } }
		const address = new URL(`${stage.url}/mcp/guarded-${servers}`)
		await client.connect(new StreamableHTTPClientTransport(address, { requestInit }))
		const { content } = await client.callTool({ name: 'whose' })
		expect(content).toMatchObject([{ text: expect.stringMatching(/^Bearer ./) }])
		const page = `http://box.test/ui/connect/${serverId}?agent=${agent.id}`
		expect(asked).toMatchObject([{ mode: 'url', url: page }])
		const { attributes } = stage.rows.filter(({ kind }) => kind === 'tool_call').at(-1) ?? {}
		expect(attributes?.get('signalbox.upstream.token_owner')).toBe('agent')
		await client.close()
	})

	it('keeps a token for each agent, and tells an agent without one where to get it', async () => {
		await set({ owner: 'agent' })
		const other = await stage.addAgent(`Otto ${servers}`)
		await stage.connect(serverId, stage.owner, { agent_uuid: agent.id })
		await reachable()
		for (const { id } of [agent, other]) await stage.grant(id, serverId, null)
		expect((await call()).result.content[0].text).toMatch(/^Bearer /)
		agent = other
		const { error } = await call()
		expect(error.data).toMatchObject({ code: 'upstream_consent_required' })
		expect(error.data.url).toBe(`http://box.test/ui/connect/${serverId}?agent=${other.id}`)
		expect(error.message).toContain(error.data.url)
		await stage.connect(serverId, stage.owner, { agent_uuid: other.id })
		await stage.manage('DELETE', `/v1/agents/${other.id}`)
		expect(await connections()).toHaveLength(1)
	})

	it.each(['workspace', 'agent'])(
		'tells an agent at once that somebody has to agree first, for a token of the %s',
		async (owner) => {
			await set({ owner })
			await stage.grant(agent.id, serverId, null)
			const slug = `guarded-${servers}`
			const query = owner === 'agent' ? `?agent=${agent.id}` : ''
			const url = `http://box.test/ui/connect/${serverId}${query}`
			const needed = { code: 'upstream_consent_required', server: `Guarded ${servers}`, url }
			const both = async (path: string, method: string, params = {}) => {
				const client = newWireClient(stage.url + path, agent.key)
				const named = 'name' in params ? { 'mcp-name': String(params.name) } : {}
				const modern = (await client.modern(method, params, named)).body
				await client.initialize()
				return [modern, (await client.request(method, params)).body]
			}
			for (const [path, name] of [
				['/mcp', `${slug}__whose`],
				[`/mcp/${slug}`, 'whose'],
			] as const) {
				for (const body of [
					...(await both(path, 'tools/list')),
					...(await both(path, 'tools/call', { name })),
				]) {
					expect(body.error?.data).toEqual(needed)
					expect(body.error.message).toContain(url)
				}
				const client = newWireClient(stage.url + path, agent.key)
				expect((await client.modern('server/discover')).body.result.instructions).toContain(url)
				expect((await client.initialize()).body.result.instructions).toContain(url)
			}
			const open = await startProtectedServer(
				() => issuer.issuer,
				async () => true,
			)
			await stage.grant(agent.id, await stage.addServer(`Open ${owner}`, open.url), null)
			for (const { result } of await both('/mcp', 'tools/list')) {
				expect(result.tools).toMatchObject([{ name: `open-${owner}__whose` }])
				const missing = result._meta['signalbox/unavailable_servers']
				expect(missing).toEqual([
					{ ...needed, server: slug, health: 'unhealthy', reason: expect.stringContaining(url) },
				])
			}
			open.close()
			await stage.connect(serverId, stage.owner, owner === 'agent' ? { agent_uuid: agent.id } : undefined)
			await reachable()
			for (const { result } of await both(`/mcp/${slug}`, 'tools/list')) {
				expect(result.tools).toMatchObject([{ name: 'whose' }])
				expect(result._meta).toBeUndefined()
			}
		},
	)

	it('lets people connect for themselves, and only admins for others', async () => {
		await set({ owner: 'user' })
		await stage.connect(serverId, member)
		expect(await connections()).toMatchObject([{ owner: 'user', owner_id: member.userId }])
		const own = await stage.request('GET', `${path()}/connections`, { token: member.token })
		expect(own.body.connections).toHaveLength(1)
		await reachable()
		await stage.grant(agent.id, serverId, null)
		expect((await call()).error.data.code).toBe('upstream_consent_required')
		await set({ owner: 'workspace' })
		await expect(stage.connect(serverId, member)).rejects.toThrow('403')
	})

	it('refreshes before the end, once for all calls and processes, with a rotated refresh token', async () => {
		issuer.accessTokenS = 50
		await set({ owner: 'workspace' })
		await stage.connect(serverId, stage.owner)
		await reachable()
		await expect.poll(() => issuer.refreshes).toBeGreaterThan(0)
		issuer.accessTokenS = 3600
		await stage.grant(agent.id, serverId, null)
		await Promise.all(Array.from({ length: 6 }, call))
		await expect
			.poll(async () => Date.parse((await connections())[0].expires_at) - Date.now())
			.toBeGreaterThan(3000_000)
		const before = issuer.refreshes
		await Promise.all(Array.from({ length: 6 }, call))
		expect(issuer.refreshes).toBe(before)
	})

	it('renews a token that the server refuses, and calls once more', async () => {
		await set({ owner: 'workspace' })
		await stage.connect(serverId, stage.owner)
		await reachable()
		await stage.grant(agent.id, serverId, null)
		const first = (await call()).result.content[0].text
		upstream.accepts = async (token) => `Bearer ${token}` !== first && issuer.isGood(token)
		const second = (await call()).result.content[0].text
		expect(second).not.toBe(first)
		expect(issuer.refreshes).toBe(1)
	})

	it('asks again when the authorization server has forgotten the tokens', async () => {
		await set({ owner: 'workspace' })
		await stage.connect(serverId, stage.owner)
		await reachable()
		await stage.grant(agent.id, serverId, null)
		issuer.forget()
		upstream.accepts = async () => false
		const { error } = await call()
		expect(error.data.code).toBe('upstream_consent_required')
		expect(error.data.url).toContain('/ui/connect/')
		expect(await connections()).toMatchObject([{ status: 'needs_consent' }])
		expect((await call()).error.data.code).toBe('upstream_consent_required')
	})

	it.each(['authorization_code', 'client_credentials'])(
		'waits out an outage of the authorization server: %s',
		async (mode) => {
			issuer.accessTokenS = 1
			const client = { issuer: issuer.issuer, client_id: 'machine', client_secret: 'a secret of the machine' }
			if (mode === 'client_credentials') {
				await stage.manage('PUT', path(), { mode, ...client })
				await stage.manage('POST', `/v1/mcp/servers/${serverId}/tools/refresh`)
			} else {
				await set({ owner: 'workspace' })
				await stage.connect(serverId, stage.owner)
				await reachable()
			}
			await stage.grant(agent.id, serverId, null)
			issuer.isDown = true
			await new Promise((resolve) => setTimeout(resolve, 1100))
			const { error } = await call()
			expect(error.data.code).toBe('upstream_unreachable')
			expect(error.message).toContain('authorization server')
			issuer.isDown = false
			issuer.accessTokenS = 3600
			expect((await call()).result.content[0].text).toMatch(/^Bearer /)
		},
	)

	it('says where to consent to a wider scope when the server requires it', async () => {
		await set({ owner: 'workspace' })
		await stage.connect(serverId, stage.owner)
		await reachable()
		await stage.grant(agent.id, serverId, null)
		upstream.wantsScope = 'more'
		const { error } = await call()
		expect(error.data.code).toBe('upstream_consent_required')
		expect(error.message).toMatch(/requires more permissions .* connect it again/)
		expect(new URL(error.data.url).searchParams.get('scope')).toContain('more')
	})

	it('gets tokens by its own credentials', async () => {
		const client = { issuer: issuer.issuer, client_id: 'machine', client_secret: 'a secret of the machine' }
		const shown = await stage.manage('PUT', path(), { mode: 'client_credentials', ...client })
		expect(shown).toMatchObject({ client_id: 'machine', has_client_secret: true })
		expect(JSON.stringify(shown)).not.toContain('secret of the machine')
		await stage.manage('POST', `/v1/mcp/servers/${serverId}/tools/refresh`)
		await stage.grant(agent.id, serverId, null)
		expect((await call()).result.content[0].text).toMatch(/^Bearer /)
	})

	it('refuses authorization servers that violate the requirements', async () => {
		await set({ owner: 'workspace' })
		const begin = () => stage.request('POST', `${path()}/authorize`, { token: stage.owner.token })
		const wrong: [object, string][] = [
			[{ code_challenge_methods_supported: ['plain'] }, 'PKCE'],
			[{ code_challenge_methods_supported: undefined }, 'PKCE'],
			[{ issuer: 'https://evil.example' }, 'another issuer'],
			[{ registration_endpoint: undefined }, 'registers nobody'],
			[{ authorization_endpoint: 'javascript:alert(1)' }, '`authorization_endpoint`'],
			[{ authorization_endpoint: 'data:text/html,x' }, '`authorization_endpoint`'],
			[{ authorization_endpoint: 'http://login.example/' }, 'must be an https address'],
			[{ authorization_endpoint: 'https://user:pass@login.example/' }, '`authorization_endpoint`'],
			[{ authorization_endpoint: ['https://login.example/'] }, 'is no text'],
			[{ token_endpoint: 'no address' }, '“no address”'],
			[{ token_endpoint: undefined }, 'names no token endpoint'],
			[{ registration_endpoint: 'file:///etc/passwd' }, '`registration_endpoint`'],
			[{ revocation_endpoint: 7 }, '`revocation_endpoint`'],
		]
		for (const [metadata, text] of wrong) {
			issuer.metadata = metadata as Record<string, unknown>
			expect(await begin()).toMatchObject({ status: 502, body: { detail: expect.stringContaining(text) } })
		}
	})

	it('refuses metadata of a server that is malformed, or contains a forbidden address', async () => {
		let document = ''
		let challenge = ''
		const server = await startHandler((_message, response, request) => {
			if (request.url?.startsWith('/.well-known/oauth-protected-resource')) return void response.end(document)
			response
				.writeHead(401, challenge ? { 'www-authenticate': `Bearer resource_metadata="${challenge}"` } : {})
				.end()
		})
		serverId = await stage.addServer(`Crooked ${servers}`, server.url)
		await set({ owner: 'workspace' })
		const begin = () => stage.request('POST', `${path()}/authorize`, { token: stage.owner.token })
		const named = (issuers: unknown) =>
			JSON.stringify({ resource: server.url, authorization_servers: issuers })
		const wrong: [string, string, string][] = [
			['[]', '', 'is no JSON object'],
			['{', '', 'is no JSON object'],
			[named('https://login.example'), '', 'no list of addresses'],
			[named([7]), '', 'no list of addresses'],
			[named(['javascript:alert(1)']), '', '“javascript:alert(1)”'],
			[named(['http://login.example']), '', 'must be an https address'],
			[named([]), 'gopher://login.example/', '`resource_metadata`'],
		]
		for (const [text, header, detail] of wrong) {
			document = text
			challenge = header
			expect(await begin()).toMatchObject({ status: 502, body: { detail: expect.stringContaining(detail) } })
		}
		server.close()
		for (const issuer of [
			'http://login.example',
			'ftp://login.example',
			'https://a:b@login.example',
			'https://login.example?x',
		])
			expect(
				await stage.request('PUT', path(), {
					token: stage.owner.token,
					body: { mode: 'authorization_code', issuer },
				}),
			).toMatchObject({ status: 400, body: { errors: [{ pointer: '/issuer' }] } })
	})

	it('accepts a consent once, from its browser and its issuer', async () => {
		await set({ owner: 'workspace' })
		const begin = async () => {
			const begun = await stage.request('POST', `${path()}/authorize`, { token: stage.owner.token })
			const state = new URL(begun.body.url).searchParams.get('state') ?? ''
			return { state, cookie: begun.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
		}
		const finish = async (query: Record<string, string>, cookie: string) => {
			const search = new URLSearchParams({ code: 'x', iss: issuer.issuer, ...query })
			const answer = await fetch(`${stage.url}/oauth/callback?${search}`, {
				redirect: 'manual',
				headers: { cookie },
			})
			return answer.headers.get('location')
		}
		const failed = '/ui/connect/failed?error=authorization_invalid'
		const one = await begin()
		expect(await finish({ state: one.state }, '')).toBe(failed)
		expect(await finish({ state: one.state }, one.cookie)).toBe(failed)
		const two = await begin()
		expect(await finish({ state: 'other' }, two.cookie)).toBe(failed)
		expect(await finish({ state: two.state, iss: 'https://evil.example' }, two.cookie)).toBe(failed)
		expect(await connections()).toEqual([])
	})

	it('disconnects, and forgets everything with other settings or another address', async () => {
		await set({ owner: 'workspace' })
		await stage.connect(serverId, stage.owner)
		const [held] = await connections()
		const stranger = await stage.register()
		const end = `${path()}/connections/${held.id}`
		expect((await stage.request('DELETE', end, { token: stranger.token })).status).toBe(404)
		expect((await stage.request('DELETE', end, { token: member.token })).status).toBe(404)
		await stage.manage('DELETE', end)
		expect(await connections()).toEqual([])
		await stage.connect(serverId, stage.owner)
		await set({ owner: 'user' })
		expect(await connections()).toEqual([])
	})
})
