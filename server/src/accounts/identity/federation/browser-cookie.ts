import type { IncomingMessage } from 'node:http'
import { cookieForm, cookieValue } from '../sessions/cookies.ts'

export interface BrowserCookie {
	read(request: IncomingMessage): string | null
	/** The `set-cookie` value. */
	set(value: string): string
}

/**
 * Binds what goes on at another address (a sign-in, a consent) to the browser where it began. `Lax`, unlike the cookies of a session: it has to come along when the
 * provider sends the browser back.
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
