import { AuthorizationServerFailure } from './failure.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * An address that may be asked, or opened in a person's browser, on the way to a token: https, or http on this machine. Null
 * for any other, for one with credentials in it, and for what is no address at all.
 */
export function oauthAddress(value: unknown): URL | null {
	const url = typeof value === 'string' ? URL.parse(value) : null
	if (url?.username !== '' || url.password !== '') return null
	const isOpen = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname))
	return isOpen ? url : null
}

/** The same, or a failure that says where the address stands. */
export function requireAddress(value: unknown, where: string): URL {
	const url = oauthAddress(value)
	if (url) return url
	const shown = typeof value === 'string' ? `“${value.slice(0, 100).toWellFormed()}”` : 'no text'
	throw new AuthorizationServerFailure(
		`${where} is ${shown}; it must be an https address (http only on this machine). Its operator has to correct it.`,
	)
}
