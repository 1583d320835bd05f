import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestAgent } from '../../gateway/testing.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import {
	type BrokerStage,
	type ProtectedServer,
	startAuthorizationServer,
	startBrokerStage,
	startProtectedServer,
	type TestAuthorizationServer,
} from './testing.ts'

describeWithStore('a server that requires more permissions', (store) => {
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
})
