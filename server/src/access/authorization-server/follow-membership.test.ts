import { afterAll, beforeAll, expect, it } from 'vitest'
import type { MembershipChange } from '../../accounts/identity/identity.ts'
import type { TestPerson } from '../../accounts/identity/testing.ts'
import { newWireClient } from '../../gateway/testing-client.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { startModernServer } from '../../servers/testing.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { followMembership } from './consent.ts'
import { authorizeUrl, type OauthStage, startOauthStage } from './testing.ts'

describeWithStore('what a person has by a membership', (store) => {
	let stage: OauthStage
	let agents: AuthorizationContext['agents'] | undefined
	let clientId: string
	beforeAll(async () => {
		stage = await startOauthStage(store(), (core) => {
			agents = core.agents
			return {}
		})
		clientId = await stage.addClient()
	})
	afterAll(() => stage?.close())

	const memberPath = ({ userId }: TestPerson) => `/v1/workspaces/${stage.owner.workspaceId}/members/${userId}`
	const comeBack = ({ userId }: TestPerson) =>
		store()
			.db.insertInto('members')
			.values({ workspace_id: stage.owner.workspaceId, user_id: userId, role: 'member', created_at: 1 })
			.execute()
	const statusWith = async (token: string) =>
		(await newWireClient(`${stage.url}/mcp`, token).initialize()).status
	const refresh = async (refresh_token: string) =>
		(await stage.post('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id: clientId }))
			.status

	it('includes their connected clients: none works again when the person comes back', async () => {
		const person = await stage.memberOf('member')
		const { access_token, refresh_token } = await stage.tokensFor(clientId, person)
		const { form } = await stage.codeFor(clientId, person)
		const page = await stage.open(authorizeUrl(stage, clientId, 'v'.repeat(43)))
		await stage.manage('DELETE', memberPath(person))
		await comeBack(person)
		expect(await statusWith(access_token)).toBe(401)
		expect(await refresh(refresh_token)).toBe(400)
		expect((await stage.post('/oauth/token', form)).status).toBe(400)
		expect((await stage.decide(page, person)).status).toBe(401)
		const { audit } = await stage.manage('GET', '/v1/audit?action=authorizations.revoke&limit=5')
		const detail = { reason: 'no member any more', user_id: person.userId }
		expect(audit.slice(0, 2)).toMatchObject([{ detail }, { detail }])
	})

	it('includes clients that act as an agent of the workspace, as long as the role may choose it', async () => {
		const person = await stage.memberOf('admin')
		const shared = await stage.addAgent('Shared')
		const own = await stage.tokensFor(clientId, person)
		const verifier = 'w'.repeat(43)
		const page = await stage.open(authorizeUrl(stage, clientId, verifier))
		const { body } = await stage.decide(page, person, { decision: 'approve', agent_uuid: shared.id })
		const code = new URL(body.redirect_url).searchParams.get('code') ?? ''
		const form = {
			client_id: clientId,
			redirect_uri: 'http://127.0.0.1:33418/callback',
			code_verifier: verifier,
		}
		const { body: other } = await stage.post('/oauth/token', {
			grant_type: 'authorization_code',
			code,
			...form,
		})
		expect(await statusWith(other.access_token)).toBe(200)
		await stage.manage('PATCH', memberPath(person), { role: 'member' })
		expect(await statusWith(other.access_token)).toBe(401)
		expect(await refresh(other.refresh_token)).toBe(400)
		expect(await statusWith(own.access_token)).toBe(200)
	})

	it("includes the groups of the person's own agent that a provider gives; groups given by hand stay", async () => {
		const upstream = await startModernServer()
		try {
			const { workspaceId, userId, email } = stage.owner
			const server_id = await stage.addServer('Deploying', upstream.url)
			const tools = [{ server_id, tools: ['echo'] }]
			await stage.manage('POST', '/v1/toolsets', { name: 'Deploy', groups: ['deploy'], tools })
			const { id } = await stage.addAgent("Owner's assistant")
			await stage.manage('PATCH', `/v1/agents/${id}`, { groups: ['by-hand'] })
			const row = { workspace_id: workspaceId, user_id: userId, agent_id: id }
			await store().db.insertInto('personal_agents').values(row).execute()
			const by = { kind: 'system', id: null, name: 'groups' } as const
			const follow = (before: string[], after: string[], role: MembershipChange['role'] = 'owner') =>
				store()
					.db.transaction()
					.execute((tx) =>
						followMembership({ agents } as AuthorizationContext, tx, {
							...{ workspaceId, userId, email, role, groups: { before, after }, by, requestId: 'r' },
						}),
					)
			const shown = async () => {
				const { groups } = await stage.manage('GET', `/v1/agents/${id}`)
				const { access } = await stage.manage('GET', `/v1/mcp/servers/${server_id}/access`)
				return { groups, grants: access.length }
			}
			await follow([], ['deploy'])
			expect(await shown()).toEqual({ groups: ['by-hand', 'deploy'], grants: 1 })
			await follow(['deploy'], ['debug'])
			expect(await shown()).toEqual({ groups: ['by-hand', 'debug'], grants: 0 })
			await follow(['debug'], [], null)
			expect(await shown()).toEqual({ groups: ['by-hand'], grants: 0 })
		} finally {
			await upstream.close()
		}
	})
})
