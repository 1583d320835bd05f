import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../platform/database/testing.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until, type WireClient } from './testing-client.ts'
import { type ScriptedUpstream, sendText, startScriptedUpstream } from './testing-upstream.ts'

describeWithStore('the session of a legacy client with a legacy server', (store) => {
	let first: TestGateway
	let second: TestGateway
	let upstream: ScriptedUpstream
	let agent: TestAgent

	beforeAll(async () => {
		const masterKey = randomBytes(32)
		first = await openTestGatewayOn(store(), {}, undefined, { masterKey })
		second = await openTestGatewayOn(store(), {}, undefined, { masterKey, withoutOwner: true })
		upstream = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], ({ id, headers }, response) =>
			sendText(response, id, String(headers['mcp-session-id'])),
		)
		agent = await first.addAgent('Rosa')
		await first.grant(agent.id, await first.addServer('Tools', upstream.url), null)
		await second.feed.catchUp()
	})
	afterAll(async () => {
		await second?.close()
		await first?.close()
		await upstream?.close()
	})

	/** A client that can be asked has its own session with the server. */
	const openClient = async (): Promise<{ here: WireClient; there: WireClient }> => {
		const here = newWireClient(`${first.url}/mcp/tools`, agent.key)
		const there = newWireClient(`${second.url}/mcp/tools`, agent.key)
		const { headers } = await here.request('initialize', {
			protocolVersion: '2025-11-25',
			capabilities: { elicitation: {} },
			clientInfo: { name: 'wire', version: '1' },
		})
		here.session = headers.get('mcp-session-id') ?? ''
		there.session = here.session
		upstream.received.length = 0
		return { here, there }
	}
	const call = async (client: WireClient) =>
		(await client.request('tools/call', { name: 'run', arguments: {} })).body.result.content[0].text as string
	const handshakes = () => upstream.received.filter(({ method }) => method === 'initialize').length

	it('is continued by another program, and by the same one after a restart', async () => {
		const { here, there } = await openClient()
		const session = await call(here)
		expect(await call(there)).toBe(session)
		await first.restart()
		expect(await call(here)).toBe(session)
		expect(handshakes()).toBe(1)
		const kept = await store().db.selectFrom('mcp_upstream_sessions').selectAll().execute()
		expect(JSON.stringify(kept)).not.toContain(session)
	})

	it('has a stream that continues after its last event, once, also after a restart', async () => {
		const { here, there } = await openClient()
		const session = await call(here)
		upstream.streamOf = session
		await first.restart()
		upstream.streams = []
		await call(here)
		await until(() => upstream.streams?.length === 1, 10_000)
		const [stream] = upstream.streams as [ServerResponse]
		stream.write('id: 7\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
		await until(() => upstream.received.some(({ method }) => method === 'tools/list'), 10_000)
		const places: unknown[] = []
		const opened = (client: WireClient) => {
			upstream.streams = []
			return call(client).then(async (of) => {
				expect(of).toBe(session)
				await until(() => upstream.streams?.length === 1, 10_000)
				places.push(upstream.streams?.[0]?.req.headers['last-event-id'])
			})
		}
		const lists = () => upstream.received.filter(({ method }) => method === 'tools/list').length
		await first.restart()
		await opened(here)
		await opened(there)
		await first.restart()
		await opened(here)
		expect(places).toEqual(['7', undefined, '7'])
		// Servers of rmcp begin with the event after which the stream is resumed.
		const before = lists()
		const [resumed] = upstream.streams as ServerResponse[]
		resumed?.write('id: 7\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
		await new Promise((resolve) => setTimeout(resolve, 500))
		expect(lists()).toBe(before)
		resumed?.write('id: 8\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
		await until(() => lists() > before, 10_000)
		delete upstream.streams
		delete upstream.streamOf
		const kept = await store().db.selectFrom('mcp_upstream_sessions').selectAll().execute()
		expect(JSON.stringify(kept)).not.toContain(session)
	})

	it('is separate for each client', async () => {
		const [one, other] = [await openClient(), await openClient()]
		const session = await call(one.here)
		expect(await call(other.there)).not.toBe(session)
		expect(await call(other.here)).not.toBe(session)
		expect(await call(one.there)).toBe(session)
	})

	it('is reopened when the server has lost it, and the new one is continued', async () => {
		const { here, there } = await openClient()
		const lost = await call(here)
		upstream.sessions.delete(lost)
		const found = await call(there)
		expect(found).not.toBe(lost)
		expect(await call(here)).toBe(found)
		expect(handshakes()).toBe(2)
	})

	it('is shared by clients that cannot be asked, if they name the same log level: it applies to the whole session', async () => {
		const sessionAt = async (level: string | null) => {
			const client = newWireClient(`${first.url}/mcp/tools`, agent.key)
			await client.initialize()
			if (level) await client.request('logging/setLevel', { level })
			return call(client)
		}
		const ofError = await sessionAt('error')
		const ofAll = await sessionAt(null)
		expect(ofAll).not.toBe(ofError)
		expect(await sessionAt('debug')).not.toBe(ofError)
		expect([await sessionAt('error'), await sessionAt(null)]).toEqual([ofError, ofAll])
	})

	it("ends with the client's session", async () => {
		const { here, there } = await openClient()
		const session = await call(there)
		await fetch(`${second.url}/mcp/tools`, {
			method: 'DELETE',
			headers: { authorization: `Bearer ${agent.key}`, 'mcp-session-id': here.session },
		})
		await until(() => !upstream.sessions.has(session), 10_000)
		const left = await store()
			.db.selectFrom('mcp_upstream_sessions')
			.selectAll()
			.where('session_id', '=', here.session)
			.execute()
		expect(left).toEqual([])
	})
})
