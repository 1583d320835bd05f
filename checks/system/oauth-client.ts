import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

interface Tokens {
	access_token: string
	refresh_token?: string
	token_type: string
}

/** The official MCP client (SDK v2) with OAuth, as a desktop application uses it. */
export interface OauthClient {
	/** Connects with the stored tokens; rejects with `UnauthorizedError` if the user has to authorize the client first. */
	connect(): Promise<Client>
	/** The authorization URL that the client asked to open in the user's browser. */
	asked(): string
	/** The query parameters with which the browser was redirected back. */
	answer(): Promise<URLSearchParams>
	/** Exchanges the code in these parameters for tokens. */
	finish(answer: URLSearchParams): Promise<void>
	close(): void
}

export async function startOauthClient(url: string): Promise<OauthClient> {
	let arrived: (answer: URLSearchParams) => void
	let answered = new Promise<URLSearchParams>((done) => {
		arrived = done
	})
	const listener = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://client')
		if (pathname === '/callback') arrived(searchParams)
		response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>Back at the client</h1>')
	})
	await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening))
	const { port } = listener.address() as AddressInfo
	const keeper = createKeeper(`http://127.0.0.1:${port}/callback`)
	const transport = () =>
		new StreamableHTTPClientTransport(new URL(url), { authProvider: keeper.provider as never })
	return {
		connect: async () => {
			const client = new Client({ name: 'stock', version: '1' })
			await client.connect(transport())
			return client
		},
		asked: () => keeper.asked(),
		answer: async () => {
			const answer = await answered
			answered = new Promise((done) => {
				arrived = done
			})
			return answer
		},
		finish: (answer) => transport().finishAuth(answer),
		close: () => {
			listener.closeAllConnections()
			listener.close()
		},
	}
}

/** The SDK's `authProvider`, which keeps the client registration, tokens and PKCE verifier in memory. */
function createKeeper(redirectUrl: string) {
	let client: object | undefined
	let tokens: Tokens | undefined
	let discovered: unknown
	let verifier = ''
	let asked = ''
	const provider = {
		redirectUrl,
		clientMetadata: {
			client_name: 'Stock client',
			redirect_uris: [redirectUrl],
			grant_types: ['authorization_code', 'refresh_token'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
		},
		state: () => 'state of the client',
		clientInformation: () => client,
		saveClientInformation: (given: object) => {
			client = given
		},
		tokens: () => tokens,
		saveTokens: (given: Tokens) => {
			tokens = given
		},
		redirectToAuthorization: (url: URL) => {
			asked = url.href
		},
		saveCodeVerifier: (given: string) => {
			verifier = given
		},
		codeVerifier: () => verifier,
		saveDiscoveryState: (state: unknown) => {
			discovered = state
		},
		discoveryState: () => discovered,
		invalidateCredentials: () => {
			tokens = undefined
		},
	}
	return { provider, asked: () => asked }
}
