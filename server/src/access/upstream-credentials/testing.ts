import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { Browser } from '../../accounts/identity/federation/testing/browser.ts'
import type { TestPerson } from '../../accounts/identity/testing.ts'
import { openTestGatewayOn, type TestGateway } from '../../gateway/testing.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { openUpstreamCredentials, type UpstreamCredentials } from './upstream-credentials.ts'

/** An MCP server that accepts tokens of one authorization server only. Its tool returns the owner of the token. */
export interface ProtectedServer {
	url: string
	/** Whether a token is valid: those that the authorization server issued for it. */
	accepts(token: string): Promise<boolean>
	/** The `Authorization` header of each call, oldest first. */
	seen: string[]
	/** If set, calls get 403 for lack of this scope. */
	wantsScope: string | null
	close(): void
}

export interface TestAuthorizationServer {
	issuer: string
	/** Fields that override its metadata. */
	metadata: Record<string, unknown>
	/** How often tokens were refreshed. */
	refreshes: number
	accessTokenS: number
	/** Fields that override those of its answers with tokens. With an `error`, its status is 200 nevertheless, as GitHub's is. */
	tokens: Record<string, unknown>
	/** Whether it answers everything with 503. */
	isDown: boolean
	/** Runs while a request for tokens is waiting. */
	onToken(): Promise<void>
	/** Consents as `subject` on the pages of the server. Resolves with the final redirect target. */
	agree(browser: Browser, start: URL, subject: string, stop: (url: URL) => boolean): Promise<URL>
	isGood(token: string): Promise<boolean>
	/** Invalidates every token. */
	forget(): void
	close(): void
}

/** `oidc-provider`, a certified authorization server, with registration, PKCE, resource indicators and rotation. */
export async function startAuthorizationServer(): Promise<TestAuthorizationServer> {
	let handle: RequestListener = (_request, response) => response.writeHead(503).end()
	const server = createServer((request, response) => void serve(request, response))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	// biome-ignore lint/suspicious/noExplicitAny: the package has no types.
	let oidc: any
	const stage: TestAuthorizationServer = {
		issuer,
		metadata: {},
		refreshes: 0,
		accessTokenS: 3600,
		tokens: {},
		isDown: false,
		onToken: async () => {},
		agree: (browser, start, subject, stop) => agree(issuer, browser, start, subject, stop),
		isGood: async (token) =>
			(await oidc.AccessToken.find(token)) !== undefined ||
			(await oidc.ClientCredentials.find(token)) !== undefined,
		forget: () => {
			oidc = newProvider(stage)
			handle = oidc.callback()
		},
		close: () => {
			server.closeAllConnections()
			server.close()
		},
	}
	stage.forget()
	const serve = async (request: IncomingMessage, response: ServerResponse) => {
		if (request.url === '/token') await stage.onToken()
		if (stage.isDown) return void response.writeHead(503).end()
		if (request.url !== '/.well-known/oauth-authorization-server') return handle(request, response)
		const { port } = server.address() as AddressInfo
		const found = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)
		const document = { ...((await found.json()) as object), ...stage.metadata }
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
	}
	return stage
}

function newProvider(stage: TestAuthorizationServer) {
	const oidc = new Provider(stage.issuer, {
		clients: [
			{
				client_id: 'machine',
				client_secret: 'a secret of the machine',
				grant_types: ['client_credentials'],
				redirect_uris: [],
				response_types: [],
			},
		],
		scopes: ['tools', 'more', 'offline_access'],
		// As FastMCP does, it gives clients that register for no scope only the default one.
		clientDefaults: { token_endpoint_auth_method: 'client_secret_basic', scope: 'tools' },
		findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
		cookies: { keys: ['a key of the tests'] },
		pkce: { required: () => true },
		rotateRefreshToken: true,
		issueRefreshToken: () => true,
		ttl: { AccessToken: () => stage.accessTokenS, ClientCredentials: () => stage.accessTokenS },
		features: {
			devInteractions: { enabled: true },
			registration: { enabled: true },
			revocation: { enabled: true },
			clientCredentials: { enabled: true },
			resourceIndicators: {
				enabled: true,
				defaultResource: (_context: unknown, _client: unknown, oneOf: string[]) => oneOf,
				useGrantedResource: () => true,
				getResourceServerInfo: () => ({
					scope: 'tools more',
					accessTokenFormat: 'opaque',
					accessTokenTTL: stage.accessTokenS,
				}),
			},
		},
	})
	oidc.use(async (context, next) => {
		await next()
		if (context.path === '/token') Object.assign(context.body, stage.tokens)
		if (context.path === '/token' && stage.tokens.error !== undefined) context.status = 200
		if (context.path === '/token' && /grant_type=refresh_token/.test(bodyOf(context))) stage.refreshes += 1
	})
	return oidc
}

function bodyOf(context: unknown): string {
	const { oidc } = context as { oidc?: { params?: Record<string, string> } }
	return new URLSearchParams(oidc?.params ?? {}).toString()
}

async function agree(
	issuer: string,
	browser: Browser,
	start: URL,
	subject: string,
	stop: (url: URL) => boolean,
) {
	let page = await browser.open(start, stop)
	for (let forms = 0; forms < 3 && page.url.origin === issuer && page.status === 200; forms += 1) {
		const prompt = page.text.match(/name="prompt" value="(\w+)"/)?.[1]
		const action = page.text.match(/<form[^>]* action="([^"]+)"/)?.[1]
		if (!prompt || !action) throw new Error(`The authorization server stopped: ${page.text.slice(0, 2000)}`)
		const login = prompt === 'login' ? { login: subject, password: 'any' } : {}
		page = await browser.open(new URL(action, page.url), stop, { prompt, ...login })
	}
	return page.url
}

/** A hand-written MCP server of the legacy era that requires a token. */
export async function startProtectedServer(issuer: () => string, accepts: ProtectedServer['accepts']) {
	const stage: ProtectedServer = { url: '', accepts, seen: [], wantsScope: null, close: () => {} }
	const server = createServer((request, response) => void serve(request, response))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	stage.url = `${origin}/mcp`
	stage.close = () => {
		server.closeAllConnections()
		server.close()
	}
	const serve = async (request: IncomingMessage, response: ServerResponse) => {
		const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
			response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
		const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
		if (request.url === '/.well-known/oauth-protected-resource/mcp')
			return send(200, {
				resource: stage.url,
				authorization_servers: [issuer()],
				scopes_supported: ['tools'],
			})
		const authorization = request.headers.authorization ?? ''
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk as Buffer)
		if (!(await stage.accepts(authorization.replace('Bearer ', ''))))
			return send(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="tools"` })
		const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as {
			id?: number
			method?: string
		}
		if (method === 'tools/call') stage.seen.push(authorization)
		if (method === 'tools/call' && stage.wantsScope)
			return send(
				403,
				{},
				{ 'www-authenticate': `Bearer error="insufficient_scope", scope="${stage.wantsScope}"` },
			)
		const result = resultOf(method, authorization)
		if (id === undefined) return response.writeHead(202).end()
		send(
			200,
			result
				? { jsonrpc: '2.0', id, result }
				: { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } },
		)
	}
	return stage
}

function resultOf(method: string | undefined, authorization: string) {
	if (method === 'initialize')
		return {
			protocolVersion: '2025-06-18',
			capabilities: { tools: {} },
			serverInfo: { name: 'protected', version: '1' },
		}
	if (method === 'tools/list') return { tools: [{ name: 'whose', inputSchema: { type: 'object' } }] }
	if (method === 'tools/call') return { content: [{ type: 'text', text: authorization }] }
	return null
}

export interface BrokerStage extends TestGateway {
	credentials: UpstreamCredentials
	/** A person's whole flow from Signalbox's page to the authorization server and back. Resolves with the final URL. */
	connect(serverId: string, person: TestPerson, body?: object): Promise<URL>
}

export async function startBrokerStage(
	store: ControlStore,
	server: TestAuthorizationServer,
): Promise<BrokerStage> {
	let credentials: UpstreamCredentials | undefined
	const gateway = await openTestGatewayOn(store, {}, (core) => {
		credentials = openUpstreamCredentials({
			...core,
			publicUrl: null,
			publicAddress: () => 'http://box.test',
		})
		return { ...credentials, upstreamCredentials: credentials }
	})
	const connect = connectAt(gateway, server)
	return Object.assign(gateway, { connect, credentials: credentials as UpstreamCredentials })
}

/** The function with which people connect servers at a gateway with the broker; see `BrokerStage.connect`. */
export function connectAt(
	gateway: Pick<TestGateway, 'url' | 'request'>,
	server: TestAuthorizationServer,
): BrokerStage['connect'] {
	return async (serverId, { token }, body) => {
		const path = `/v1/mcp/servers/${serverId}/oauth/authorize`
		const begun = await gateway.request('POST', path, { token, ...(body && { body }) })
		if (begun.status !== 200) throw new Error(`${path} answered ${begun.status}: ${begun.text}`)
		const browser = new Browser()
		browser.keep(new URL(gateway.url), begun.headers.getSetCookie())
		const isBack = (url: URL) => url.origin === gateway.url && url.pathname === '/oauth/callback'
		const back = await server.agree(browser, new URL(begun.body.url), 'somebody', isBack)
		const ended = await browser.request(back)
		return new URL(ended.headers.get('location') ?? back, gateway.url)
	}
}
