import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPerson } from '../../accounts/identity/testing.ts'
import { newWireClient, until } from '../../gateway/testing-client.ts'
import { sendText, startScriptedUpstream } from '../../gateway/testing-upstream.ts'
import { systemClock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { startEverythingServer, type TestMcpServer } from '../../servers/testing.ts'
import { authorizeUrl, type OauthStage, redirectUri, startOauthStage } from './testing.ts'

const verifier = 'a-verifier-of-forty-three-characters-or-more-0'

describeWithStore('our authorization server', (store) => {
	let stage: OauthStage
	let upstream: TestMcpServer
	let member: TestPerson
	let clientId: string
	let serverId: string
	beforeAll(async () => {
		stage = await startOauthStage(store())
		upstream = await startEverythingServer()
		serverId = await stage.addServer('Tools', upstream.url)
		member = await stage.memberOf('member')
		clientId = await stage.addClient()
	})
	afterAll(async () => {
		await stage?.close()
		await upstream?.close()
	})

	const statusWith = async (token: string, path = '/mcp') =>
		(await newWireClient(stage.url + path, token).initialize()).status
	const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
		stage.post('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id: clientId, ...more })

	it('says at a 401 where its metadata is, for each endpoint, and not at /mcp-key', async () => {
		for (const path of ['/mcp', '/mcp/tools']) {
			const { headers, body: refusal } = await stage.request('POST', path)
			expect(refusal.error.message).toContain(
				'This endpoint takes an agent key, a platform API key or an OAuth access token.',
			)
			const challenge = headers.get('www-authenticate') ?? ''
			expect(challenge).toContain('scope="mcp:invoke"')
			expect(challenge).not.toContain('error=')
			const unknown = await stage.request('POST', path, { token: 'at_service_unknown' })
			expect(unknown.headers.get('www-authenticate')).toBe(
				challenge.replace('"signalbox"', '"signalbox", error="invalid_token"'),
			)
			const metadata = challenge.match(/resource_metadata="([^"]+)"/)?.[1] ?? ''
			const { body } = await stage.request('GET', metadata.slice(stage.url.length))
			expect(body).toMatchObject({ resource: stage.url + path, authorization_servers: [stage.url] })
		}
		const { headers, body: refusal } = await stage.request('POST', '/mcp-key')
		expect(refusal.error.message).not.toContain('OAuth')
		expect(headers.get('www-authenticate')).not.toContain('resource_metadata')
		const { body } = await stage.request('GET', '/.well-known/oauth-authorization-server')
		expect(body).toMatchObject({
			issuer: stage.url,
			code_challenge_methods_supported: ['S256'],
			authorization_response_iss_parameter_supported: true,
		})
	})

	it('says the same for an address with a trailing slash', async () => {
		for (const path of ['/mcp', '/mcp/tools']) {
			const metadata = `/.well-known/oauth-protected-resource${path}`
			const { headers } = await stage.request('POST', `${path}/`)
			expect(headers.get('www-authenticate')).toContain(`resource_metadata="${stage.url}${metadata}"`)
			expect((await stage.request('GET', `${metadata}/`)).body.resource).toBe(stage.url + path)
		}
		expect((await stage.request('POST', '/mcp/platform/')).headers.get('www-authenticate')).not.toContain(
			'resource_metadata',
		)
	})

	it('describes no resource at the address of the platform, which accepts none of its tokens', async () => {
		const metadata = '/.well-known/oauth-protected-resource/mcp/platform'
		for (const path of [metadata, `${metadata}/`]) expect((await stage.request('GET', path)).status).toBe(404)
		const { location } = await stage.open(
			authorizeUrl(stage, clientId, verifier, { resource: `${stage.url}/mcp/platform` }),
		)
		expect(location.searchParams.get('error')).toBe('invalid_target')
	})

	it("shows what a client asks for, and lets it act as the person's own agent, made once", async () => {
		const page = await stage.open(authorizeUrl(stage, clientId, verifier))
		expect(page.status).toBe(302)
		const { token } = member
		const shown = await stage.request('POST', '/v1/authorizations/consent', {
			token,
			headers: { cookie: page.cookie },
			body: { request: page.location.hash.slice(1) },
		})
		expect(shown.body).toMatchObject({
			client: { name: 'Test client', verified_host: null },
			redirect_host: '127.0.0.1:33418',
			is_local: true,
			scopes: [{ scope: 'mcp:invoke' }],
			own_agent: null,
			may_choose_agent: false,
		})
		const { answer } = await stage.codeFor(clientId, member)
		expect(answer.searchParams.get('state')).toBe('the state')
		expect(answer.searchParams.get('iss')).toBe(stage.url)
		const { access_token, scope, expires_in } = await stage.tokensFor(clientId, member)
		expect({ scope, expires_in }).toEqual({ scope: 'mcp:invoke', expires_in: 3600 })
		expect(await statusWith(access_token)).toBe(200)
		const { agents } = await stage.manage('GET', `/v1/agents?q=${encodeURIComponent("'s assistant")}`)
		expect(agents).toHaveLength(1)
	})

	it('records who gave consent to which client', async () => {
		const { audit } = await stage.manage('GET', '/v1/audit?action=authorizations.create&limit=1')
		expect(audit[0]).toMatchObject({ actor: { name: member.email }, target: { name: 'Test client' } })
		const { access_token } = await stage.tokensFor(clientId, member)
		const client = newWireClient(`${stage.url}/mcp`, access_token)
		await client.initialize()
		await client.request('tools/list')
		await expect
			.poll(() => stage.rows.at(-1))
			.toMatchObject({ mcpMethod: 'tools/list', userId: member.email })
	})

	it('lets an admin choose another agent, and nobody else', async () => {
		const agent = await stage.addAgent('Shared')
		const stranger = await stage.register()
		const theirs = (
			await stage.request('POST', '/v1/agents', { token: stranger.token, body: { name: 'Theirs' } })
		).body.id
		const decision = (agent_uuid: string) => ({ decision: 'approve', agent_uuid })
		const page = await stage.open(authorizeUrl(stage, clientId, verifier))
		expect((await stage.decide(page, member, decision(agent.id))).status).toBe(403)
		expect((await stage.decide(page, stage.owner, decision(theirs))).status).toBe(404)
		expect((await stage.decide(page, stage.owner, decision(agent.id))).status).toBe(200)
	})

	it('answers at the redirect URI as it is written, and does not need it again with the code (OAuth 2.1)', async () => {
		const uri = 'https://app.example/callback?keep=a%20b&flag'
		const id = await stage.addClient([uri])
		const { answer, form } = await stage.codeFor(id, member, { redirect_uri: uri })
		expect(answer.href).toContain('/callback?keep=a%20b&flag')
		expect(answer.searchParams.getAll('state')).toEqual(['the state'])
		const { redirect_uri, ...plain } = form
		expect((await stage.post('/oauth/token', plain)).status).toBe(200)
	})

	it('answers a refusal to the client, with state and iss', async () => {
		const page = await stage.open(authorizeUrl(stage, clientId, verifier))
		const { body } = await stage.decide(page, member, { decision: 'deny' })
		const fields = Object.fromEntries(new URL(body.redirect_url).searchParams)
		expect(fields).toMatchObject({ error: 'access_denied', state: 'the state', iss: stage.url })
	})

	// Regression test for CVE-2026-27124: FastMCP's proxy accepted a consent given in another browser.
	it('decides only in the browser that opened the request, within ten minutes', async () => {
		const page = await stage.open(authorizeUrl(stage, clientId, verifier))
		const other = await stage.open(authorizeUrl(stage, clientId, verifier))
		for (const cookie of ['', other.cookie, 'signalbox-7777-authorize=short'])
			expect(await stage.decide({ ...page, cookie }, member)).toMatchObject({
				status: 403,
				body: { code: 'authorization_invalid' },
			})
		expect((await stage.decide(page, member)).status).toBe(200)
	})

	it('is answered once, whatever the answer', async () => {
		const answers = [{ decision: 'approve' }, { decision: 'deny' }]
		for (const first of answers)
			for (const second of answers) {
				const page = await stage.open(authorizeUrl(stage, clientId, verifier))
				expect((await stage.decide(page, member, first)).status).toBe(200)
				expect(await stage.decide(page, member, second)).toMatchObject({
					status: 403,
					body: { code: 'authorization_invalid' },
				})
			}
		const page = await stage.open(authorizeUrl(stage, clientId, verifier))
		const both = await Promise.all([stage.decide(page, member), stage.decide(page, member)])
		expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
	})

	it('accepts a code once: a second use revokes everything issued for it', async () => {
		const { form } = await stage.codeFor(clientId, member)
		const { body: tokens } = await stage.post('/oauth/token', form)
		expect(await statusWith(tokens.access_token)).toBe(200)
		expect((await stage.post('/oauth/token', form)).body.error).toBe('invalid_grant')
		expect(await statusWith(tokens.access_token)).toBe(401)
		expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
	})

	it('gives tokens to one of many concurrent uses of a code, and revokes them', async () => {
		const { form } = await stage.codeFor(clientId, member)
		const answers = await Promise.all(Array.from({ length: 8 }, () => stage.post('/oauth/token', form)))
		expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
		for (const { body } of answers)
			if (body.access_token) expect(await statusWith(body.access_token)).toBe(401)
	})

	it('exchanges a code for its own client, redirect URI, verifier and resource only', async () => {
		const { form } = await stage.codeFor(clientId, member)
		const other = await stage.addClient(['https://other.example/callback'])
		const wrong: Record<string, string>[] = [
			{ client_id: other },
			{ redirect_uri: 'http://127.0.0.1:33419/callback' },
			{ code_verifier: verifier },
			{ code_verifier: 'short' },
			{ resource: 'https://elsewhere.example/mcp' },
			{ code: 'ac_service_nothing' },
		]
		for (const change of wrong)
			expect((await stage.post('/oauth/token', { ...form, ...change })).status, JSON.stringify(change)).toBe(
				400,
			)
		const { code_verifier: _left, ...bare } = form
		expect((await stage.post('/oauth/token', bare)).body.error).toBe('invalid_request')
		expect((await stage.post('/oauth/token', form)).status).toBe(200)
	})

	it('refreshes; repeats a lost answer, and an older token revokes the family', async () => {
		const first = await stage.tokensFor(clientId, member)
		const second = (await refresh(first.refresh_token)).body
		expect(await statusWith(second.access_token)).toBe(200)
		expect(await statusWith(first.access_token)).toBe(200)
		const again = (await refresh(first.refresh_token)).body
		expect(again).toMatchObject({ access_token: second.access_token, refresh_token: second.refresh_token })
		const third = (await refresh(second.refresh_token)).body
		expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant')
		expect(await statusWith(third.access_token)).toBe(401)
		expect((await refresh(third.refresh_token)).body.error).toBe('invalid_grant')
	})

	it('repeats no answer of before the clock was set back', async () => {
		const { refresh_token } = await stage.tokensFor(clientId, member)
		await refresh(refresh_token)
		const later = { refreshed_at: systemClock.nowMs() + 3_600_000 }
		await store().db.updateTable('oauth_grants').set(later).execute()
		expect((await refresh(refresh_token)).body.error).toBe('invalid_grant')
	})

	it('refreshes for the same client, resource and scope only', async () => {
		const { refresh_token } = await stage.tokensFor(clientId, member)
		const other = await stage.addClient(['https://other.example/callback'])
		expect((await refresh(refresh_token, { client_id: other })).body.error).toBe('invalid_grant')
		expect((await refresh(refresh_token, { resource: 'https://elsewhere.example' })).body.error).toBe(
			'invalid_target',
		)
		expect((await refresh(refresh_token, { scope: 'agents:write' })).body.error).toBe('invalid_scope')
		expect((await refresh(refresh_token)).status).toBe(200)
	})

	// Regression test for CVE-2025-69196: FastMCP issued tokens for its own address, whatever resource was requested.
	it('issues tokens that are valid for one address only', async () => {
		const { agents } = await stage.manage('GET', `/v1/agents?q=${encodeURIComponent("'s assistant")}`)
		await stage.grant(agents[0].id, serverId, null)
		const all = await stage.tokensFor(clientId, member)
		const one = await stage.tokensFor(clientId, member, { resource: `${stage.url}/mcp/tools` })
		const elsewhere = await stage.request('POST', '/mcp/tools', { token: all.access_token, body: {} })
		expect([elsewhere.status, elsewhere.body.error.message]).toEqual([
			401,
			`This access token is for ${stage.url}/mcp alone. Connect the client to that address, or use an agent key.`,
		])
		expect(await statusWith(one.access_token, '/mcp')).toBe(401)
		expect(await statusWith(one.access_token, '/mcp/tools')).toBe(200)
		expect(await statusWith(one.access_token, '/mcp/tools/')).toBe(200)
		expect(await statusWith(one.access_token, '/mcp/')).toBe(401)
		expect(await statusWith(all.access_token, '/mcp-key')).toBe(401)
		expect((await stage.request('GET', '/v1/agents', { token: all.access_token })).status).toBe(401)
		const headers = { 'x-api-key': all.access_token }
		expect((await stage.request('POST', '/mcp', { headers })).status).toBe(401)
		const page = await stage.open(
			authorizeUrl(stage, clientId, verifier, { resource: `${stage.url}/mcp/none` }),
		)
		expect((await stage.decide(page, member)).status).toBe(404)
	})

	it('ends a token with the membership of its person', async () => {
		const leaver = await stage.memberOf('member')
		const { access_token, refresh_token } = await stage.tokensFor(clientId, leaver)
		const { form } = await stage.codeFor(clientId, leaver)
		expect(await statusWith(access_token)).toBe(200)
		const path = `/v1/workspaces/${stage.owner.workspaceId}/members/${leaver.userId}`
		await stage.manage('DELETE', path)
		expect(await statusWith(access_token)).toBe(401)
		for (const answer of [await refresh(refresh_token), await stage.post('/oauth/token', form)])
			expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
	})

	it('lets a call outlive its token, but not its connection', async () => {
		const waiting: (() => void)[] = []
		const slow = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], ({ id }, response) => {
			waiting.push(() => sendText(response, id as number, 'done'))
		})
		const slowId = await stage.addServer('Slow', slow.url)
		const { access_token, refresh_token } = await stage.tokensFor(clientId, await stage.memberOf('member'))
		const { agents } = await stage.manage('GET', '/v1/agents')
		for (const { uuid } of agents) await stage.grant(uuid, slowId, ['run'])
		const client = newWireClient(`${stage.url}/mcp`, access_token)
		const call = () => client.modern('tools/call', { name: 'slow__run' })
		const [first, second] = [call(), call()]
		await until(() => waiting.length === 2, 10_000)
		await store().db.updateTable('credentials').set({ expires_at: 1 }).where('kind', '=', 'oauth').execute()
		const renewed = (await refresh(refresh_token)).body
		expect(await statusWith(access_token)).toBe(401)
		waiting[0]?.()
		const answers = await Promise.race([first, second])
		expect(answers.body.result.content[0].text).toBe('done')
		await stage.post('/oauth/revoke', { token: renewed.refresh_token })
		const both = (await Promise.all([first, second])).map(({ body }) => body.error?.data.reason)
		expect(both.toSorted()).toEqual(['unauthenticated', undefined])
		await slow.close()
	})

	it('revokes by any token of a grant, and answers unknown ones alike', async () => {
		const byRefresh = await stage.tokensFor(clientId, member)
		const byAccess = await stage.tokensFor(clientId, member)
		for (const [tokens, token] of [
			[byRefresh, byRefresh.refresh_token],
			[byAccess, byAccess.access_token],
		] as const) {
			expect((await stage.post('/oauth/revoke', { token, client_id: clientId })).status).toBe(200)
			expect(await statusWith(tokens.access_token)).toBe(401)
		}
		expect((await stage.post('/oauth/revoke', { token: 'unknown' })).status).toBe(200)
		const other = await startOauthStage(store())
		const { access_token: token } = await stage.tokensFor(clientId, member)
		await other.post('/oauth/revoke', { token })
		await stage.feed.catchUp()
		expect(await statusWith(token)).toBe(401)
		await other.close()
	})

	it('lists connected clients to their person and to admins, who can disconnect them', async () => {
		const other = await stage.memberOf('member')
		const { access_token } = await stage.tokensFor(clientId, other)
		const list = async (token: string) =>
			(await stage.request('GET', '/v1/authorizations?status=active&limit=100', { token })).body
				.authorizations
		const [mine] = await list(other.token)
		expect(mine).toMatchObject({
			client: { name: 'Test client' },
			user: { email: other.email },
			status: 'active',
		})
		expect((await list(member.token)).map(({ id }: { id: string }) => id)).not.toContain(mine.id)
		const end = (token: string) => stage.request('DELETE', `/v1/authorizations/${mine.id}`, { token })
		expect((await end(member.token)).status).toBe(404)
		expect((await end((await stage.register()).token)).status).toBe(404)
		expect((await end(stage.owner.token)).status).toBe(204)
		expect(await statusWith(access_token)).toBe(401)
		expect(await list(other.token)).toEqual([])
	})

	it('returns errors to the client, and to nobody if the client is unknown', async () => {
		const ask = (change: Record<string, string>) =>
			stage.open(authorizeUrl(stage, clientId, verifier, change))
		const wrong: [Record<string, string>, string][] = [
			[{ response_type: 'token' }, 'unsupported_response_type'],
			[{ code_challenge_method: 'plain' }, 'invalid_request'],
			[{ code_challenge_method: '' }, 'invalid_request'],
			[{ code_challenge: '' }, 'invalid_request'],
			[{ scope: 'agents:write' }, 'invalid_scope'],
			[{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
		]
		for (const [change, error] of wrong) {
			const { location } = await ask(change)
			expect(location.href.startsWith(redirectUri), JSON.stringify(change)).toBe(true)
			expect(Object.fromEntries(location.searchParams)).toMatchObject({
				error,
				state: 'the state',
				iss: stage.url,
			})
		}
		const byItself = await stage.post('/oauth/token', {
			grant_type: 'client_credentials',
			client_id: clientId,
		})
		expect(byItself.body).toMatchObject({
			error: 'unsupported_grant_type',
			error_description: expect.stringContaining('uses an agent key'),
		})
		for (const change of [
			{ client_id: '' },
			{ client_id: 'unknown' },
			{ client_id: `${clientId.slice(0, -1)}x` },
			{ redirect_uri: 'https://evil.example/callback' },
		]) {
			const { status, text } = await ask(change as Record<string, string>)
			expect([status, text.includes('cannot be connected')], JSON.stringify(change)).toEqual([400, true])
		}
	})
})
