import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestAgent } from '../../gateway/testing.ts'
import { systemClock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import {
	type BrokerStage,
	type ProtectedServer,
	startAuthorizationServer,
	startBrokerStage,
	startProtectedServer,
	type TestAuthorizationServer,
} from './testing.ts'
import { NoToken } from './upstream-credentials.ts'

describeWithStore('a server whose token does not suffice', (store) => {
	let stage: BrokerStage
	let issuer: TestAuthorizationServer
	let upstream: ProtectedServer
	let agent: TestAgent
	let serverId: string
	const asked: { message: string; url: string }[] = []

	beforeAll(async () => {
		issuer = await startAuthorizationServer()
		stage = await startBrokerStage(store(), issuer)
		upstream = await startProtectedServer(() => issuer.issuer, issuer.isGood)
		serverId = await stage.addServer('Guarded', upstream.url)
		agent = await stage.addAgent('Rosa')
		const settings = { mode: 'authorization_code', owner: 'workspace' }
		await stage.manage('PUT', `/v1/mcp/servers/${serverId}/oauth`, settings)
		await stage.connect(serverId, stage.owner)
		await stage.manage('POST', `/v1/mcp/servers/${serverId}/tools/refresh`)
		await stage.grant(agent.id, serverId, null)
	})
	afterAll(async () => {
		await stage?.close()
		upstream?.close()
		issuer?.close()
	})

	/** Calls as a client that opens pages; `consent` is what its person does there. */
	async function callLed(consent: () => Promise<void>) {
		asked.length = 0
		upstream.seen = []
		upstream.wantsScope = 'more'
		const client = new Client({ name: 'led', version: '1' }, { capabilities: { elicitation: { url: {} } } })
		client.setRequestHandler('elicitation/create', async ({ params }) => {
			asked.push(params as { message: string; url: string })
			await consent()
			return { action: 'accept' }
		})
		const requestInit = { headers: { authorization: `Bearer ${agent.key}` } }
		await client.connect(
			new StreamableHTTPClientTransport(new URL(`${stage.url}/mcp/guarded`), { requestInit }),
		)
		try {
			return await client.callTool({ name: 'whose' })
		} finally {
			await client.close()
		}
	}

	it('has the page opened in a client that supports it, and gets the call once more with the new token', async () => {
		const { content } = await callLed(async () => {
			upstream.wantsScope = null
			await stage.connect(serverId, stage.owner)
		})
		expect(asked).toHaveLength(1)
		expect(asked[0]?.message).toContain('requires more permissions')
		expect(new URL(asked[0]?.url ?? '').searchParams.get('scope')).toContain('more')
		expect(upstream.seen).toHaveLength(2)
		expect(new Set(upstream.seen).size).toBe(2)
		expect(content).toMatchObject([{ text: upstream.seen[1] }])
	})

	it('is not asked a third time if the new token does not suffice either', async () => {
		const called = callLed(() => stage.connect(serverId, stage.owner).then(() => {}))
		await expect(called).rejects.toThrow(/requires more permissions .* connect it again/)
		expect(asked).toHaveLength(1)
		expect(upstream.seen).toHaveLength(2)
	})

	const path = () => `/v1/mcp/servers/${serverId}/oauth`
	const server = () => ({ id: serverId, name: 'Guarded', url: upstream.url })
	const connections = async () => (await stage.manage('GET', `${path()}/connections`)).connections

	it('does not ask for consent because another process has got no new one, or ended before it had one', async () => {
		issuer.accessTokenS = 1
		await stage.connect(serverId, stage.owner)
		const other = await startBrokerStage(store(), issuer)
		await new Promise((resolve) => setTimeout(resolve, 1100))
		const both = () =>
			Promise.allSettled(
				[stage, other].map(({ credentials }) =>
					credentials.credentialFor(server(), { agentId: agent.id, userId: null }),
				),
			)
		issuer.isDown = true
		for (const outcome of await both()) expect(outcome).toMatchObject({ reason: expect.any(NoToken) })
		Object.assign(issuer, { isDown: false, accessTokenS: 3600 })
		const lease = { lease_until: systemClock.nowMs() + 1000 }
		await store().db.updateTable('upstream_tokens').set(lease).execute()
		const found = (await both()).map((outcome) => outcome.status === 'fulfilled' && outcome.value?.headers)
		expect(found).toEqual([{ authorization: expect.any(String) }, found[0]])
		await other.close()
	})

	it('gets none by settings that are replaced while the authorization server answers', async () => {
		const machine = { issuer: issuer.issuer, client_id: 'machine', client_secret: 'a secret of the machine' }
		const settings = [
			{ mode: 'authorization_code', owner: 'workspace' },
			{ mode: 'client_credentials', ...machine },
		]
		for (const wanted of settings) {
			await stage.manage('PUT', path(), wanted)
			issuer.onToken = async () => void (await stage.manage('PUT', path(), { ...wanted, scope: 'tools' }))
			if (wanted.mode === 'authorization_code')
				expect((await stage.connect(serverId, stage.owner)).pathname).toBe('/ui/connect/failed')
			else await expect(stage.credentials.credentialForChecks(server())).rejects.toThrow('settings')
			issuer.onToken = async () => {}
			expect(await connections()).toEqual([])
		}
	})

	it('is connected whatever ID token comes with the access token, also when that is renewed', async () => {
		await stage.manage('PUT', path(), { mode: 'authorization_code', owner: 'workspace' })
		const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
		const ofAnother = { iss: 'https://id.example.org', aud: 'a proxy', sub: 'somebody', iat: 1, exp: 2 }
		const idToken = `${encode({ alg: 'ES256' })}.${encode(ofAnother)}.${encode({})}`
		issuer.tokens = { id_token: idToken, scope: null }
		issuer.accessTokenS = 1
		expect((await stage.connect(serverId, stage.owner)).pathname).toBe(`/ui/connect/${serverId}`)
		await new Promise((resolve) => setTimeout(resolve, 1100))
		issuer.accessTokenS = 3600
		const found = await stage.credentials.credentialForChecks(server())
		expect(await issuer.isGood(found?.authorization?.replace('Bearer ', '') ?? '')).toBe(true)
		issuer.tokens = {}
	})

	it.each(['bad_refresh_token', 'invalid_refresh_token', 'invalid_grant'])(
		'needs a consent when the renewal is refused with a status of 200: %s',
		async (error) => {
			issuer.accessTokenS = 1
			await stage.connect(serverId, stage.owner)
			issuer.tokens = { access_token: undefined, error }
			await new Promise((resolve) => setTimeout(resolve, 1100))
			const sent = stage.credentials.credentialFor(server(), { agentId: agent.id, userId: null })
			await expect(sent).rejects.not.toBeInstanceOf(NoToken)
			expect(await connections()).toMatchObject([{ status: 'needs_consent' }])
			Object.assign(issuer, { tokens: {}, accessTokenS: 3600 })
		},
	)

	it.each([
		['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
		['client_secret_jwt', 'client_secret_post'],
	])('is connected with a way of authentication that Signalbox has, after %s', async (...methods) => {
		await stage.manage('PUT', path(), { mode: 'authorization_code', owner: 'workspace' })
		issuer.metadata = { token_endpoint_auth_methods_supported: methods }
		expect((await stage.connect(serverId, stage.owner)).pathname).toBe(`/ui/connect/${serverId}`)
		issuer.metadata = {}
	})

	it('is checked with no token of a person who has left', async () => {
		await stage.manage('PUT', path(), { mode: 'authorization_code', owner: 'user' })
		const member = await stage.memberOf('member')
		await stage.connect(serverId, member)
		expect(await stage.credentials.credentialForChecks(server())).not.toBeNull()
		await stage.manage('DELETE', `/v1/workspaces/${stage.owner.workspaceId}/members/${member.userId}`)
		expect(await stage.credentials.credentialForChecks(server())).toBeNull()
	})
})
