import type { CustomFetch } from 'openid-client'
import type { SignInProvider } from '../../../config/config.ts'
import type { IdentityContext } from '../identity-context.ts'
import { type BrowserCookie, createBrowserCookie } from './browser-cookie.ts'
import { createProviderFetch } from './provider-fetch.ts'
import { SignInError } from './sign-in-error.ts'

export const flowLifetimeMs = 10 * 60 * 1000

/** What the verbs of federation work with. */
export interface FederationContext extends IdentityContext {
	browserCookie: BrowserCookie
	fetch: CustomFetch
}

export function toFederationContext(context: IdentityContext): FederationContext {
	return {
		...context,
		browserCookie: createBrowserCookie(context.publicAddress, flowLifetimeMs),
		fetch: createProviderFetch(context.safeFetch),
	}
}

export function providerOf({ config }: FederationContext, id: string): SignInProvider {
	const provider = config.signInProviders.find((candidate) => candidate.id === id)
	if (!provider) throw new SignInError('provider_unknown')
	return provider
}
