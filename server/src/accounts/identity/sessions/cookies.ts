import type { IncomingMessage } from 'node:http'
import { Problem } from '../../../platform/errors.ts'
import { isKnownOrigin } from '../../../platform/http/cors.ts'

export interface SessionCookies {
	/** Whether the caller is the dashboard, which keeps its tokens in cookies. */
	wanted(request: IncomingMessage): boolean
	access(request: IncomingMessage): string | null
	refresh(request: IncomingMessage): string | null
	/** `set-cookie` values. With a null refresh token that cookie is not changed. */
	set(access: string, refresh: { token: string; maxAgeS: number } | null): string[]
	clear(): string[]
}

const accessMaxAgeS = 60 * 60

/**
 * The name and attributes of our cookies: `__Host-` and Secure if people connect by https. Browsers refuse those over plain http.
 * There the name includes the port instead: a browser sends the cookies of a host to all of its ports, so two instances on one host
 * would overwrite each other's cookies.
 */
export function cookieForm(address: string): { name: string; secure: string } {
	const { protocol, port } = new URL(address)
	return protocol === 'https:'
		? { name: '__Host-signalbox', secure: '; Secure' }
		: { name: `signalbox-${port || '80'}`, secure: '' }
}

/** The dashboard's cookies; `address` returns the URL at which people reach us, which is known once we listen. */
export function createSessionCookies(address: () => string): SessionCookies {
	const nameOf = (suffix: string) => `${cookieForm(address()).name}${suffix}`
	const cookie = (suffix: string, value: string, maxAgeS: number) =>
		`${nameOf(suffix)}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${cookieForm(address()).secure}`
	return {
		wanted: (request) => request.headers['x-signalbox-dashboard'] === '1',
		access: (request) => cookieValue(request, nameOf('')),
		refresh: (request) => cookieValue(request, nameOf('-refresh')),
		set: (access, refresh) => [
			cookie('', access, accessMaxAgeS),
			...(refresh ? [cookie('-refresh', refresh.token, refresh.maxAgeS)] : []),
		],
		clear: () => [cookie('', '', 0), cookie('-refresh', '', 0)],
	}
}

export function cookieValue(request: IncomingMessage, name: string): string | null {
	const pairs = request.headers.cookie?.split(';') ?? []
	const pair = pairs.map((text) => text.trim()).find((text) => text.startsWith(`${name}=`))
	return pair ? pair.slice(name.length + 1) || null : null
}

/**
 * Refuses a change that another site may have caused. A browser attaches cookies automatically, so a request authenticated by them
 * must prove that it comes from our own pages. Other ports of this machine count as other sites too.
 */
export function refuseForeignPage(request: IncomingMessage): void {
	if (request.method === 'GET' || request.method === 'HEAD') return
	const site = request.headers['sec-fetch-site']
	const { origin, host } = request.headers
	if (site === 'same-origin') return
	const ours = { publicHost: null, loopbackOnly: false, corsOrigins: [] }
	if (site === undefined && origin !== undefined && isKnownOrigin(ours, origin, host ?? '')) return
	throw new Problem('forbidden', 'A request signed in by cookie must come from the dashboard itself.')
}
