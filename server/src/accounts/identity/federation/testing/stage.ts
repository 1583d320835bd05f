import type { SignInProvider } from '../../../../config/sign-in-providers.ts'
import type { ControlStore } from '../../../../platform/database/database.ts'
import type { IdentityConfig } from '../../instance/instance-view.ts'
import { startTestApp, type TestApp, type TestOptions } from '../../testing.ts'
import { Browser } from './browser.ts'
import { startProvider, type TestProvider } from './start-provider.ts'

export interface SignedIn {
	/** Where the browser was finally redirected: path and query. */
	location: string
	browser: Browser
	// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of `/auth/me`.
	me: any
	/** The access token from the cookie. */
	token: string
}

export interface FederationStage {
	app: TestApp
	provider: TestProvider
	/** The app's settings for the provider; tests may change them. */
	settings: SignInProvider
	startUrl(returnTo?: string): URL
	/** Stops before the browser requests the callback. */
	reachCallback(subject: string, browser?: Browser): Promise<{ browser: Browser; callback: URL }>
	/** Where one of our URLs redirects the browser. */
	locationOf(browser: Browser, url: URL): Promise<string>
	/** The complete sign-in through the provider's pages. */
	signIn(subject: string, returnTo?: string, browser?: Browser): Promise<SignedIn>
	signedIn(browser: Browser, location: string): Promise<SignedIn>
	/** Starts another app with other settings on the same store; this one and its provider are stopped. */
	restart(config: Partial<IdentityConfig>): Promise<FederationStage>
	close(): Promise<void>
}

export function settingsOf(provider: TestProvider, id = 'test'): SignInProvider {
	return {
		id,
		kind: 'oidc',
		label: 'Test',
		issuer: provider.issuer,
		apiUrl: null,
		clientId: provider.clientId,
		clientSecret: provider.clientSecret,
		scopes: 'openid email profile',
		groupsClaim: 'groups',
		groups: [],
		signup: null,
		trustEmail: false,
		assumePkce: false,
	}
}

/** The app with a real provider. */
export async function startStage(
	store: ControlStore,
	options: TestOptions & { more?: SignInProvider[] } = {},
): Promise<FederationStage> {
	const provider = await startProvider()
	const settings = settingsOf(provider)
	const config: Partial<IdentityConfig> = {
		...options.config,
		signInProviders: [settings, ...(options.more ?? [])],
	}
	const app = await startTestApp(store, { ...options, config })
	provider.serve(`${app.url}/auth/oauth/test/callback`)
	const isCallback = (url: URL) => url.origin === app.url && url.pathname.endsWith('/callback')
	const startUrl = (returnTo?: string) => {
		const url = new URL(`${app.url}/auth/oauth/test/start`)
		if (returnTo !== undefined) url.searchParams.set('return_to', returnTo)
		return url
	}
	const locationOf = async (browser: Browser, url: URL) =>
		(await browser.request(url)).headers.get('location') ?? ''
	const stage: FederationStage = {
		app,
		provider,
		settings,
		startUrl,
		locationOf,
		reachCallback: async (subject, browser = new Browser()) => {
			const page = await provider.signIn(browser, startUrl(), subject, isCallback)
			if (!isCallback(page.url)) throw new Error(`The provider stopped at ${page.url}: ${page.text}`)
			return { browser, callback: page.url }
		},
		signIn: async (subject, returnTo, browser = new Browser()) => {
			const page = await provider.signIn(browser, startUrl(returnTo), subject, isCallback)
			if (!isCallback(page.url)) throw new Error(`The provider stopped at ${page.url}: ${page.text}`)
			const location = await locationOf(browser, page.url)
			return stage.signedIn(browser, location)
		},
		signedIn: async (browser, location) => {
			const token = browser.cookie(new URL(app.url), 'signalbox-0') ?? ''
			const { body: me } = await app.request('GET', '/auth/me', { token })
			return { location, browser, me, token }
		},
		restart: async (changed) => {
			await stage.close()
			const next = await startStage(store, {
				...options,
				config: { ...options.config, ...changed },
				withoutOwner: true,
			})
			for (const [subject, account] of provider.accounts) next.provider.accounts.set(subject, account)
			return next
		},
		close: async () => {
			await app.close()
			provider.close()
		},
	}
	return stage
}
