import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type KoaContext } from 'oidc-provider'
import type { Browser, Page } from './browser.ts'

export type Account = Record<string, unknown>

export interface TestProvider {
	issuer: string
	clientId: string
	clientSecret: string
	/** Subject → claims; tests may change it at any time. */
	accounts: Map<string, Account>
	/** Changes the provider's responses; null: nothing is changed. */
	tamper: ((context: KoaContext) => Promise<void> | void) | null
	/** Sets the client's redirect URL; calling it again creates new keys. */
	serve(redirectUri: string): void
	/** While false, connections are closed. */
	up: boolean
	jwk(): Jwk
	/** Follows a sign-in as `subject` through the provider's pages, up to the URL that `stop` matches. */
	signIn(browser: Browser, start: URL, subject: string, stop: (url: URL) => boolean): Promise<Page>
	close(): void
}

type Jwk = Record<string, unknown> & { kid: string }

const clientId = 'signalbox'
const clientSecret = 'secret-with-%-+-and-:-inside-it'

function newJwk(): Jwk {
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
	const kid = crypto.randomUUID()
	return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } as Jwk
}

/** `oidc-provider`, a certified OpenID provider, on a free port of 127.0.0.1, with its own sign-in pages. */
export async function startProvider(): Promise<TestProvider> {
	let handle: RequestListener = (_request, response) => response.writeHead(503).end()
	let jwk = newJwk()
	const server = createServer((request, response) => {
		if (provider.up) handle(request, response)
		else request.socket.destroy()
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	const provider: TestProvider = {
		issuer,
		clientId,
		clientSecret,
		accounts: new Map(),
		tamper: null,
		up: true,
		jwk: () => jwk,
		serve: (redirectUri) => {
			jwk = newJwk()
			handle = createHandler(provider, redirectUri, jwk)
		},
		signIn: (browser, start, subject, stop) => signIn(browser, start, subject, issuer, stop),
		close: () => {
			server.closeAllConnections()
			server.close()
		},
	}
	return provider
}

function createHandler(provider: TestProvider, redirectUri: string, jwk: object): RequestListener {
	const oidc = new Provider(provider.issuer, {
		clients: [
			{
				client_id: clientId,
				client_secret: clientSecret,
				redirect_uris: [redirectUri],
			},
		],
		jwks: { keys: [jwk] },
		claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
		findAccount: (_context: unknown, id: string) => ({
			accountId: id,
			claims: () => ({ sub: id, ...provider.accounts.get(id) }),
		}),
		cookies: { keys: ['a key of the tests'] },
		pkce: { required: () => true },
		features: { devInteractions: { enabled: true } },
	})
	oidc.use(async (context, next) => {
		await next()
		await provider.tamper?.(context)
	})
	return oidc.callback()
}

async function signIn(
	browser: Browser,
	start: URL,
	subject: string,
	issuer: string,
	stop: (url: URL) => boolean,
): Promise<Page> {
	let page = await browser.open(start, stop)
	for (let forms = 0; forms < 3 && page.url.origin === issuer && page.status === 200; forms += 1) {
		const prompt = page.text.match(/name="prompt" value="(\w+)"/)?.[1]
		const action = page.text.match(/<form[^>]* action="([^"]+)"/)?.[1]
		if (!prompt || !action) return page
		const login = prompt === 'login' ? { login: subject, password: 'any' } : {}
		page = await browser.open(new URL(action, page.url), stop, { prompt, ...login })
	}
	return page
}
