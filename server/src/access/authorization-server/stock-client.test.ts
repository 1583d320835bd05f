import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestPerson } from '../../accounts/identity/testing.ts'
import { openTestSqlite } from '../../platform/database/testing.ts'
import { startEverythingServer, type TestMcpServer } from '../../servers/testing.ts'
import { type OauthStage, redirectUri, startOauthStage } from './testing.ts'

/** Stores the authorization of the official client, as an application would. */
class Keeper {
	readonly redirectUrl = redirectUri
	readonly clientMetadata = {
		client_name: 'Stock client',
		redirect_uris: [redirectUri],
		grant_types: ['authorization_code', 'refresh_token'],
		response_types: ['code'],
		token_endpoint_auth_method: 'none',
	}
	clientMetadataUrl?: string
	client: { client_id: string } | undefined
	saved: { access_token: string; refresh_token?: string; token_type: string } | undefined
	asked: URL | undefined
	verifier = ''

	state() {
		return 'state of the client'
	}
	clientInformation() {
		return this.client
	}
	saveClientInformation(client: { client_id: string }) {
		this.client = client
	}
	tokens() {
		return this.saved
	}
	saveTokens(tokens: NonNullable<Keeper['saved']>) {
		this.saved = tokens
	}
	redirectToAuthorization(url: URL) {
		this.asked = url
	}
	saveCodeVerifier(verifier: string) {
		this.verifier = verifier
	}
	codeVerifier() {
		return this.verifier
	}
	discovered: unknown
	saveDiscoveryState(state: unknown) {
		this.discovered = state
	}
	discoveryState() {
		return this.discovered
	}
	invalidateCredentials() {
		this.saved = undefined
	}
}

describe('the official client (SDK v2) with its OAuth', () => {
	let stage: OauthStage
	let end: () => Promise<void>
	let upstream: TestMcpServer
	let person: TestPerson
	beforeAll(async () => {
		const opened = await openTestSqlite()
		end = opened.end
		stage = await startOauthStage(opened.store)
		upstream = await startEverythingServer()
		const serverId = await stage.addServer('Tools', upstream.url)
		person = await stage.memberOf('member')
		const clientId = await stage.addClient()
		await stage.tokensFor(clientId, person)
		const { agents } = await stage.manage('GET', '/v1/agents')
		await stage.grant(agents[0].id, serverId, ['echo'])
	})
	afterAll(async () => {
		await stage?.close()
		await end?.()
		await upstream?.close()
	})

	const connect = async (keeper: Keeper, path: string) => {
		const transport = new StreamableHTTPClientTransport(new URL(stage.url + path), {
			authProvider: keeper as never,
		})
		const client = new Client({ name: 'stock', version: '1' })
		await client.connect(transport)
		return client
	}
	/** The whole flow: discovery, registration, consent page, tokens. */
	const authorize = async (keeper: Keeper, path: string) => {
		await expect(connect(keeper, path)).rejects.toThrow(UnauthorizedError)
		const page = await stage.open(keeper.asked as URL)
		const { body } = await stage.decide(page, person)
		const transport = new StreamableHTTPClientTransport(new URL(stage.url + path), {
			authProvider: keeper as never,
		})
		await transport.finishAuth(new URL(body.redirect_url).searchParams)
	}

	it.each(['/mcp', '/mcp/tools'])('goes all the way at %s', async (path) => {
		const keeper = new Keeper()
		await authorize(keeper, path)
		expect(keeper.client?.client_id).toMatch(/^dcr\./)
		const client = await connect(keeper, path)
		const name = path === '/mcp' ? 'tools__echo' : 'echo'
		const answer = await client.callTool({ name, arguments: { message: 'hello' } })
		expect(JSON.stringify(answer.content)).toContain('hello')
		await client.close()
		const before = keeper.saved
		keeper.saved = { ...(before as NonNullable<Keeper['saved']>), access_token: 'at_service_forgotten' }
		const again = await connect(keeper, path)
		expect(keeper.saved?.refresh_token).not.toBe(before?.refresh_token)
		expect((await again.listTools()).tools.map((tool) => tool.name)).toEqual([name])
		await again.close()
		await stage.post('/oauth/revoke', { token: keeper.saved?.refresh_token ?? '' })
		await expect(connect(keeper, path)).rejects.toThrow(UnauthorizedError)
	})

	it('is known by the metadata document that it publishes', async () => {
		const { server, url } = await publish()
		const keeper = new Keeper()
		keeper.client = { client_id: url }
		await authorize(keeper, '/mcp')
		const client = await connect(keeper, '/mcp')
		expect((await client.listTools()).tools).toHaveLength(1)
		await client.close()
		server.close()
	})

	it('is not known by the metadata document of another client, or an unreachable one', async () => {
		const { server, url } = await publish({ client_id: 'https://other.example/client.json' })
		const asked = new URL(`${stage.url}/oauth/authorize?client_id=${encodeURIComponent(url)}`)
		expect(await stage.open(asked)).toMatchObject({
			status: 400,
			text: expect.stringContaining('another client_id'),
		})
		server.close()
		server.closeAllConnections()
		const gone = new URL(`${stage.url}/oauth/authorize?client_id=${encodeURIComponent(`${url}2`)}`)
		expect(await stage.open(gone)).toMatchObject({
			status: 400,
			text: expect.stringContaining('cannot be read'),
		})
	})
})

/** Publishes a client's metadata document on this machine. */
async function publish(change: object = {}): Promise<{ server: Server; url: string }> {
	const server = createServer((_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
		response.end(
			JSON.stringify({ client_id: url, client_name: 'Published', redirect_uris: [redirectUri], ...change }),
		)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
	return { server, url }
}
