import { baseUrl } from './base-url.ts'

/** A 401 from these paths is about the request's content, not about the session. */
const openPaths = [
	'/auth/login',
	'/auth/refresh',
	'/auth/setup',
	'/auth/register',
	'/auth/methods',
	'/auth/invitations/accept',
]

/** Marks a request as the dashboard's own. Other sites cannot set it, so their forms cannot use the session. */
export const dashboardHeader = { 'x-signalbox-dashboard': '1' } as const

let pageWorkspace: string | null = null

/** From now on every request of this tab names this workspace by its id; the server refuses requests that it cannot serve there. */
export function setPageWorkspace(id: string | null): void {
	pageWorkspace = id
}

export function hasPageWorkspace(): boolean {
	return pageWorkspace !== null
}

let refreshing: Promise<boolean> | null = null
let onSignedOut: () => void = () => {}

/** The listener is called once when a session has ended and could not be renewed. */
export function whenSignedOut(listener: () => void): void {
	onSignedOut = listener
}

/** Sends a request with the session's cookies; a 401 renews the session once and repeats the request. */
export async function sessionFetch(request: Request): Promise<Response> {
	if (pageWorkspace !== null) request.headers.set('x-signalbox-workspace', pageWorkspace)
	const again = request.clone()
	const response = await globalThis.fetch(request)
	if (response.status !== 401 || openPaths.some((path) => request.url.split('?')[0] === `${baseUrl}${path}`))
		return response
	if (await refreshSession()) return globalThis.fetch(again)
	onSignedOut()
	return response
}

/** Concurrent requests may meet an expired token. A refresh token is valid only once, so they share one renewal. */
function refreshSession(): Promise<boolean> {
	refreshing ??= globalThis
		.fetch(new Request(`${baseUrl}/auth/refresh`, { method: 'POST', headers: dashboardHeader }))
		.then(
			({ ok }) => ok,
			() => false,
		)
		.finally(() => {
			refreshing = null
		})
	return refreshing
}
