import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OauthStage, startOauthStage } from '../access/authorization-server/testing.ts'
import {
	connectAt,
	startAuthorizationServer,
	type TestAuthorizationServer,
} from '../access/upstream-credentials/testing.ts'
import {
	openUpstreamCredentials,
	type UpstreamCredentials,
} from '../access/upstream-credentials/upstream-credentials.ts'
import type { TestPerson } from '../accounts/identity/testing.ts'
import type { ControlStore } from '../platform/database/database.ts'
import { openTestSqlite } from '../platform/database/testing.ts'
import { type OwningServer, startOwningServer } from './own-tokens.testing.ts'
import { newWireClient, until, type WireClient } from './testing-client.ts'

interface Connected {
	person: TestPerson
	/** The Signalbox token of the client. */
	token: string
	/** The tag in the names of what the server shows this user. */
	tag: string
	client(path: string): WireClient
}

let stage: OauthStage
let issuer: TestAuthorizationServer
let end: () => Promise<void>
let control: ControlStore
let credentials: UpstreamCredentials

beforeAll(async () => {
	issuer = await startAuthorizationServer()
	const opened = await openTestSqlite()
	end = opened.end
	control = opened.store
	stage = await startOauthStage(opened.store, (core) => {
		credentials = openUpstreamCredentials({
			...core,
			publicUrl: null,
			publicAddress: () => 'http://box.test',
		})
		return { ...credentials, upstreamCredentials: credentials }
	})
})
afterAll(async () => {
	await stage?.close()
	await end?.()
	issuer?.close()
})

/** Reads a stream event by event. */
async function listen(path: string, token: string, init: RequestInit = {}) {
	const headers = { accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` }
	const stop = new AbortController()
	const all = { ...headers, ...init.headers }
	const response = await fetch(stage.url + path, { ...init, headers: all, signal: stop.signal })
	const heard: string[] = []
	const done = (async () => {
		for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
			for (const [, data] of Buffer.from(chunk)
				.toString()
				.matchAll(/^data: (.+)$/gm)) {
				const { method, params } = JSON.parse(data as string)
				heard.push(params?.uri ? `${method} ${params.uri}` : method)
			}
	})().catch(() => {})
	const end = () => {
		stop.abort()
		return done
	}
	return { status: response.status, heard, end }
}

describe.each(['legacy', 'modern'] as const)('a %s server with a token of each person', (era) => {
	const slug = `owning-${era}`
	let server: OwningServer
	let serverId: string
	let ada: Connected
	let bob: Connected
	beforeAll(async () => {
		server = await startOwningServer(era, issuer)
		serverId = await stage.addServer(slug, server.url)
		await stage.manage('PUT', `/v1/mcp/servers/${serverId}/oauth`, {
			mode: 'authorization_code',
			owner: 'user',
		})
		ada = await connected()
		bob = await connected()
		const tools = async () => (await stage.manage('GET', `/v1/mcp/servers/${serverId}/tools`)).tools
		await until(async () => (await tools()).length === 1, 10_000)
	})
	afterAll(() => server?.close())

	const connected = async (): Promise<Connected> => {
		const person = await stage.memberOf('member')
		await connectAt(stage, issuer)(serverId, person)
		const { access_token: token } = await stage.tokensFor(await stage.addClient(), person)
		const { agents } = await stage.manage('GET', '/v1/agents?limit=100&sort=created_at&order=desc')
		await stage.grant(agents[0].id, serverId, null)
		const owner = { agentId: agents[0].id, userId: person.userId }
		const own = await credentials.credentialFor({ id: serverId, name: slug, url: server.url }, owner)
		const tag = server.tagOf((own?.headers.authorization ?? '').replace('Bearer ', ''))
		return { person, token, tag, client: (path) => newWireClient(stage.url + path, token) }
	}
	const modern = async ({ client }: Connected, method: string, params: Record<string, unknown> = {}) => {
		const named = typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {}
		return (await client('/mcp').modern(method, params, named)).body
	}

	it('deletes the token of a person who leaves, and the consents that they have begun', async () => {
		const { person } = await connected()
		const path = `/v1/mcp/servers/${serverId}/oauth`
		await stage.request('POST', `${path}/authorize`, { token: person.token })
		const heldBy = async () => {
			const { connections } = await stage.manage('GET', `${path}/connections`)
			return connections.map(({ owner_id }: { owner_id: string }) => owner_id)
		}
		expect(await heldBy()).toContain(person.userId)
		await stage.manage('DELETE', `/v1/workspaces/${stage.owner.workspaceId}/members/${person.userId}`)
		expect(await heldBy()).toEqual([ada, bob].map((other) => other.person.userId).sort())
		const owner = { agentId: '', userId: person.userId }
		const known = { id: serverId, name: slug, url: server.url }
		await expect(credentials.credentialFor(known, owner)).rejects.toThrow()
		const flows = control.db.selectFrom('upstream_flows').selectAll().where('user_id', '=', person.userId)
		expect(await flows.execute()).toEqual([])
	})

	it('shows each user their own items, in both eras', async () => {
		expect(ada.tag).not.toBe(bob.tag)
		for (const { tag, client } of [ada, bob]) {
			const legacy = client('/mcp')
			await legacy.initialize()
			const { result } = (await legacy.request('prompts/list')).body
			expect(result).toEqual({ prompts: [{ name: `${slug}__prompt-${tag}` }] })
			const uri = `note://${tag}`
			expect((await legacy.request('resources/list')).body.result.resources).toEqual([{ name: tag, uri }])
			expect((await legacy.request('resources/read', { uri })).body.result.contents[0].text).toBe(tag)
		}
		for (const each of [ada, bob]) {
			const { result } = await modern(each, 'resources/list')
			expect(result).toMatchObject({ resources: [{ name: each.tag }], cacheScope: 'private' })
			expect(result._meta).toBeUndefined()
			const read = await modern(each, 'resources/read', { uri: `note://${each.tag}` })
			expect(read.result.contents[0].text).toBe(each.tag)
		}
	})

	it('notifies each user of their own changes, on their own streams', async () => {
		const streams = []
		for (const { token, tag, client } of [ada, bob]) {
			const legacy = client('/mcp')
			await legacy.initialize()
			const session = { 'mcp-session-id': legacy.session, 'mcp-protocol-version': '2025-11-25' }
			const stream = await listen('/mcp', token, { headers: session })
			const uri = `note://${tag}`
			expect((await legacy.request('resources/subscribe', { uri })).body).toMatchObject({ result: {} })
			await until(() => server.streamsOf(tag) > 0, 10_000)
			streams.push({ stream, uri, tag })
		}
		for (const { tag, stream, uri } of streams) {
			server.touch(tag)
			await until(() => stream.heard.includes(`notifications/resources/updated ${uri}`), 10_000)
		}
		for (const { stream, uri } of streams)
			expect(stream.heard.filter((each) => each.includes('updated'))).toEqual([
				`notifications/resources/updated ${uri}`,
			])
		for (const { stream } of streams) await stream.end()
	})

	it('is subscribed to by a modern client with the token of its user', async () => {
		const uri = `note://${ada.tag}`
		const stream = await listen('/mcp', ada.token, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'mcp-protocol-version': '2026-07-28',
				'mcp-method': 'subscriptions/listen',
			},
			body: JSON.stringify({
				...{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' },
				params: {
					notifications: { resourceSubscriptions: [uri, `note://${bob.tag}`] },
					_meta: {
						'io.modelcontextprotocol/protocolVersion': '2026-07-28',
						'io.modelcontextprotocol/clientCapabilities': {},
					},
				},
			}),
		})
		await until(() => stream.heard.length > 0, 10_000)
		await until(() => server.streamsOf(ada.tag) > 0, 10_000)
		server.touch(ada.tag)
		await until(() => stream.heard.includes(`notifications/resources/updated ${uri}`), 10_000)
		await stream.end()
	})

	it('tells a user without a token where to connect, and nothing about others', async () => {
		const person = await stage.memberOf('member')
		const { access_token: token } = await stage.tokensFor(await stage.addClient(), person)
		const { agents } = await stage.manage('GET', '/v1/agents?limit=100&sort=created_at&order=desc')
		await stage.grant(agents[0].id, serverId, null)
		const client = newWireClient(`${stage.url}/mcp`, token)
		await client.initialize()
		const { result } = (await client.request('resources/list')).body
		expect(result.resources).toEqual([])
		expect(result._meta['signalbox/unavailable_servers']).toMatchObject([{ server: slug }])
		const { error } = (await client.request('resources/subscribe', { uri: `note://${ada.tag}` })).body
		expect(error.data).toMatchObject({ code: 'upstream_consent_required' })
		expect(error.data.url).toContain(`/ui/connect/${serverId}`)
	})
})

describe('a token that is renewed', () => {
	let server: OwningServer
	let client: WireClient
	let key: string
	let round = 0
	beforeEach(async () => {
		round += 1
		server = await startOwningServer('legacy', issuer)
		const serverId = await stage.addServer(`Renewing ${round}`, server.url)
		const auth = { mode: 'authorization_code', owner: 'workspace' }
		await stage.manage('PUT', `/v1/mcp/servers/${serverId}/oauth`, auth)
		issuer.accessTokenS = 62
		await connectAt(stage, issuer)(serverId, stage.owner)
		const agent = await stage.addAgent(`Rosa ${round}`)
		key = agent.key
		await stage.grant(agent.id, serverId, null)
		const tools = async () => (await stage.manage('GET', `/v1/mcp/servers/${serverId}/tools`)).tools
		await until(async () => (await tools()).length === 1, 10_000)
		client = newWireClient(`${stage.url}/mcp/renewing-${round}`, key)
		await client.initialize()
	})
	afterEach(() => {
		server?.close()
		issuer.accessTokenS = 3600
	})
	const call = async () =>
		(await client.request('tools/call', { name: 'whose' })).body.result?.content[0].text
	const tagOfCall = (at: number) => server.tagOf(server.tokens.at(at) as string)
	/** A token is renewed one minute before it expires, during a call. */
	const renewed = async () => {
		await call()
		const old = tagOfCall(0)
		server.ended = 0
		await until(async () => (await call()) !== old, 10_000)
		return { old, now: tagOfCall(-1) }
	}

	it('ends no session at its server, and the stream continues with the new token', async () => {
		const headers = { 'mcp-session-id': client.session }
		const stream = await listen(`/mcp/renewing-${round}`, key, { headers })
		await call()
		await until(() => server.streamsOf(tagOfCall(0)) > 0, 10_000)
		const { old, now } = await renewed()
		expect(server.ended).toBe(0)
		server.breakStreams()
		await until(() => server.streamsOf(now) > 0, 10_000)
		expect(server.streamsOf(old)).toBe(0)
		await stream.end()
	})

	it('gets a new session where its server binds sessions to tokens', async () => {
		server.bindsSessions = true
		const { now } = await renewed()
		expect(await call()).toBe(now)
	})
})
