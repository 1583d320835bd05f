import type { IncomingMessage } from 'node:http'
import { type SignInErrorCode, signInErrors } from '@signalbox/contract'
import type { CustomFetch } from 'openid-client'
import type { SignInProvider } from '../../../config/sign-in-providers.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import type { IdentityContext } from '../identity-context.ts'
import { cookieForm, cookieValue } from '../sessions/cookies.ts'

export const flowLifetimeMs = 10 * 60 * 1000

/** The context of all federation operations. */
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

export interface BrowserCookie {
	read(request: IncomingMessage): string | null
	/** The `set-cookie` value. */
	set(value: string): string
}

/**
 * Binds a process at another site (a sign-in, a consent) to the browser in which it began. The cookie is `Lax`, unlike those of a
 * session, because it must be sent when the provider redirects the browser back.
 */
export function createBrowserCookie(
	address: () => string,
	maxAgeMs: number,
	purpose = 'sign-in',
): BrowserCookie {
	const nameNow = () => `${cookieForm(address()).name}-${purpose}`
	const attributes = `Path=/; Max-Age=${maxAgeMs / 1000}; HttpOnly; SameSite=Lax`
	return {
		read: (request) => {
			const value = cookieValue(request, nameNow())
			return value && /^[\w-]{43}$/.test(value) ? value : null
		},
		set: (value) => `${nameNow()}=${value}; ${attributes}${cookieForm(address()).secure}`,
	}
}

/** The provider could not be reached or reported a failure of its own, which is not an error on our side. */
export class ProviderUnreachable extends Error {}

const limits = { redirects: 0, timeoutMs: 10_000, maxBytes: 1024 * 1024 }

/** Sends the requests of openid-client through safe-fetch: addresses are checked, redirects are not followed. */
export function createProviderFetch(safeFetch: SafeFetch): CustomFetch {
	return async (url, { method, headers, body, signal }) => {
		const sent = body === undefined || body === null ? {} : { body: String(body) }
		const answer = await safeFetch
			.fetch(url, { method, headers, ...sent, ...(signal && { signal }), ...limits })
			.catch((error: unknown) => {
				throw new ProviderUnreachable(`${new URL(url).origin} cannot be reached`, { cause: error })
			})
		if (answer.status >= 500) {
			await answer.body?.cancel()
			throw new ProviderUnreachable(`${new URL(url).origin} answered ${answer.status}`)
		}
		const bytes = answer.body ? await answer.arrayBuffer() : null
		return new Response(bytes, { status: answer.status, headers: [...answer.headers] })
	}
}

/** Why a sign-in at a provider failed, by its code in `contract/src/federation.ts`. */
export class SignInError extends Error {
	readonly code: SignInErrorCode

	constructor(code: SignInErrorCode, cause?: unknown) {
		super(signInErrors[code].title, cause === undefined ? undefined : { cause })
		this.code = code
	}
}
