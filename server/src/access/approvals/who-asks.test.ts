import { afterAll, beforeAll, expect, it } from 'vitest'
import { newWireClient } from '../../gateway/testing-client.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../gateway/testing-upstream.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { type OauthStage, startOauthStage } from '../authorization-server/testing.ts'

describeWithStore('a call that waits for approval', (store) => {
	let stage: OauthStage
	let upstream: ScriptedUpstream
	let serverId: string
	beforeAll(async () => {
		stage = await startOauthStage(store())
		upstream = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], () => {})
		serverId = await stage.addServer('Tools', upstream.url)
	})
	afterAll(async () => {
		await stage?.close()
		await upstream?.close()
	})
	const grant = (agent_uuid: string) =>
		stage.manage('POST', `/v1/mcp/servers/${serverId}/access`, {
			...{ agent_uuid, access_mode: 'all', approval: { run: 'ask' }, approval_wait_ms: 0 },
		})
	const newest = async () => {
		const { approvals } = await stage.manage('GET', '/v1/approvals?limit=1')
		const { audit } = await stage.manage('GET', '/v1/audit?limit=1&action=approvals.request')
		return { approval: approvals[0], audit: audit[0] }
	}
	const call = async (key: string) => {
		const { body } = await newWireClient(`${stage.url}/mcp`, key).modern('tools/call', { name: 'tools__run' })
		expect(body.error.data.code).toBe('approval_pending')
	}

	it('shows the person, the agent and the client to the approver and in the audit log', async () => {
		const person = await stage.memberOf('member')
		const { access_token } = await stage.tokensFor(await stage.addClient(), person)
		const { agents } = await stage.manage('GET', '/v1/agents?limit=1&sort=created_at&order=desc')
		await grant(agents[0].id)
		await call(access_token)
		const { approval, audit } = await newest()
		const { user: shown } = (await stage.manage('GET', '/v1/authorizations')).authorizations[0]
		expect(approval.agent).toEqual({ uuid: agents[0].id, name: agents[0].name })
		expect(approval.asked_by).toMatchObject({
			name: 'Test client',
			user: { id: person.userId, email: shown.email },
		})
		expect(audit.detail).toMatchObject({ agent: approval.agent, asked_by: approval.asked_by })
		const { data } = await store()
			.db.selectFrom('events')
			.select('data')
			.where('type', '=', 'approval.requested')
			.orderBy('id', 'desc')
			.executeTakeFirstOrThrow()
		expect(JSON.parse(data).asked_by).toEqual(approval.asked_by)
	})

	it('shows the key of an agent that acts for itself', async () => {
		const { id, key, keyId } = await stage.addAgent('Rosa')
		await grant(id)
		await call(key)
		expect((await newest()).approval.asked_by).toEqual({ credential_id: keyId, name: 'first', user: null })
	})
})
