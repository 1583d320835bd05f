import { beforeAll, describe, expect, inject, it } from 'vitest'
import { newWireClient } from '../../server/src/gateway/testing-client.ts'
import { asOwner, bearer, make, makeStranger, send } from './attack.ts'
import { useVictim } from './victim.ts'

const victim = useVictim()
const unknown = '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'

// MetaMCP accepted a session id alone as a credential (CVE-2026-79537). So did the Python SDK (CVE-2026-52869) and consul-mcp-server
// (CVE-2026-16326). A shared transport of the TypeScript SDK answered the wrong client (CVE-2026-25536); server/src/gateway/mix-up.test.ts
// tests this.
describe('the session of another agent', () => {
	let session: string
	let thief: { id: string; key: string }
	let address: string
	beforeAll(async () => {
		const agent = await victim.newAgent()
		thief = await victim.newAgent()
		address = `${inject('program').url}/mcp/${victim.slug}`
		const client = newWireClient(address, agent.key)
		await client.initialize()
		session = client.session
		expect(session).not.toBe('')
		expect((await client.request('tools/call', { name: 'read' })).status).toBe(200)
	})

	const withSession = (id: string, key: string, method = 'POST') =>
		send(new URL(address).pathname, {
			method,
			headers: { ...bearer(key), 'mcp-session-id': id, accept: 'application/json, text/event-stream' },
			...(method === 'POST' && {
				body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } },
			}),
		})

	it('gets the same response as a session that does not exist', async () => {
		victim.upstream.received.length = 0
		for (const method of ['POST', 'GET', 'DELETE']) {
			const stolen = await withSession(session, thief.key, method)
			const made = await withSession(`${session.slice(0, -4)}AAAA`, thief.key, method)
			expect(stolen.status).toBeOneOf([400, 404])
			expect([stolen.status, stolen.text]).toEqual([made.status, made.text])
		}
		expect(victim.upstream.received).toEqual([])
	})

	it('is not a credential', async () => {
		for (const method of ['POST', 'GET', 'DELETE']) {
			const headers = { 'mcp-session-id': session }
			expect((await send(new URL(address).pathname, { method, headers })).status).toBe(401)
		}
	})

	it('is not listed anywhere', async () => {
		for (const path of [
			'/health/sessions',
			'/sessions',
			'/mcp/sessions',
			'/metrics',
			'/healthz',
			'/readyz',
			'/version',
		])
			expect((await send(path)).text).not.toContain(session)
		expect((await send('/health/sessions')).status).toBe(404)
	})

	it('is not used for a request without a session id, even if it is the only session (byterover-cli #329)', async () => {
		const answer = await send(new URL(address).pathname, {
			headers: { ...bearer(thief.key), accept: 'application/json, text/event-stream' },
			body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
		})
		expect(JSON.stringify(answer.body?.result ?? {})).not.toContain('delete')
	})
})

// oatpp-mcp used memory addresses as session ids, which are reused (CVE-2025-6515).
describe('the id of a session', () => {
	it('cannot be guessed from other ids', async () => {
		const { key } = await victim.newAgent()
		const ids: string[] = []
		for (let turn = 0; turn < 60; turn += 1) {
			const client = newWireClient(`${inject('program').url}/mcp/${victim.slug}`, key)
			await client.initialize()
			ids.push(client.session)
		}
		expect(new Set(ids).size).toBe(60)
		// Of the last 22 characters, no more are the same as in the previous id than random ids have in common.
		const random = ids.map((id) => id.slice(-22))
		const same = random
			.slice(1)
			.map((id, at) => [...id].filter((letter, i) => letter === random[at]?.[i]).length)
		expect(Math.min(...ids.map(({ length }) => length))).toBeGreaterThanOrEqual(22)
		expect(same.reduce((sum, each) => sum + each, 0) / same.length).toBeLessThan(6)
	})
})

// checks/system/tenancy.test.ts tries every route with an id. This test compares the responses byte for byte.
describe('an id of another workspace (CVE-2026-10560)', () => {
	it('gets the same response as an id that does not exist', async () => {
		const stranger = bearer(await makeStranger())
		const agent = await make('/v1/agents', { name: `hidden ${Date.now()}` })
		const key = await make('/v1/keys', { name: 'hidden' })
		const token = await make('/v1/ingest-tokens', { name: 'hidden' })
		for (const [path, id] of [
			['/v1/agents', agent.uuid],
			['/v1/mcp/servers', victim.serverId],
			['/v1/keys', key.id],
			['/v1/ingest-tokens', token.id],
		])
			for (const method of ['GET', 'DELETE', 'PATCH']) {
				const body = method === 'PATCH' ? { name: 'stolen' } : undefined
				const theirs = await send(`${path}/${id}`, { method, headers: stranger, body })
				const none = await send(`${path}/${unknown}`, { method, headers: stranger, body })
				expect(theirs.status).toBe(404)
				const plain = ({ text }: { text: string }) =>
					text.replaceAll(/"request_id":"[^"]*"|[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
				expect(plain(theirs)).toBe(plain(none))
			}
		expect((await asOwner(`/v1/agents/${agent.uuid}`)).status).toBe(200)
	})

	// Langfuse listed the members of another organization to anyone who named one of its projects (CVE-2025-64504).
	it('gets the same response also for members and invitations', async () => {
		const stranger = bearer(await makeStranger())
		const { id } = (await asOwner('/auth/me')).body.workspace
		for (const part of ['', '/members', '/invitations', '/rights']) {
			const theirs = await send(`/v1/workspaces/${id}${part}`, { headers: stranger })
			const none = await send(`/v1/workspaces/${unknown}${part}`, { headers: stranger })
			expect([part, theirs.status]).toEqual([part, none.status])
			expect(theirs.status).toBeOneOf([404, 405])
			expect(theirs.text).not.toContain('@')
		}
	})
})
