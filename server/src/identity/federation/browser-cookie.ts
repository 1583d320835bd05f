import type { IncomingMessage } from 'node:http'
import { cookieValue } from '../sessions/cookies.ts'

export interface BrowserCookie {
	read(request: IncomingMessage): string | null
	/** The `set-cookie` value. */
	set(value: string): string
}

/**
 * Binds what goes on at another address (a sign-in, a consent) to the browser where it began. `Lax`, unlike the cookies of a session: it has to come along when the
 * provider sends the browser back. `__Host-` and Secure where people come by https, as browsers refuse those on plain http.
 */
export function createBrowserCookie(
	publicUrl: string | null,
	maxAgeMs: number,
	purpose = 'sign-in',
): BrowserCookie {
	const secure = publicUrl?.startsWith('https:') ?? false
	const name = `${secure ? '__Host-' : ''}signalbox-${purpose}`
	const attributes = `Path=/; Max-Age=${maxAgeMs / 1000}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
	return {
		read: (request) => {
			const value = cookieValue(request, name)
			return value && /^[\w-]{43}$/.test(value) ? value : null
		},
		set: (value) => `${name}=${value}; ${attributes}`,
	}
}
