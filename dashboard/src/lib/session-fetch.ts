import { baseUrl } from './base-url.ts'
import { noteServerTime } from './clock.ts'

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

let refreshing: Promise<Response> | null = null
let onSignedOut: () => void = () => {}
let refusal: Response | null = null
let isPaused = false

/** The listener is called once when a session has ended and could not be renewed. */
export function whenSignedOut(listener: () => void): void {
	onSignedOut = listener
}

/** Until the person has signed in again, every request is refused like the last one, without being sent. */
export function pauseRequests(paused: boolean): void {
	isPaused = paused
}

/** Sends a request with the session's cookies; a 401 renews the session once and repeats the request. */
export async function sessionFetch(request: Request): Promise<Response> {
	const isOpen = openPaths.some((path) => request.url.split('?')[0] === `${baseUrl}${path}`)
	if (isPaused && refusal && !isOpen) return refusal.clone()
	if (pageWorkspace !== null) request.headers.set('x-signalbox-workspace', pageWorkspace)
	const again = request.clone()
	const sentMs = Date.now()
	const response = await globalThis.fetch(request)
	noteServerTime(response, sentMs)
	if (response.status !== 401 || isOpen) return response
	const renewal = await refreshSession()
	if (renewal.ok) return globalThis.fetch(again)
	// A server that is too busy to renew it has not ended the session: what was typed stays, and the caller tries again.
	if (renewal.status === 429 || renewal.status >= 500) return renewal.clone()
	refusal = response.clone()
	onSignedOut()
	return response
}

/**
 * Concurrent requests may meet an expired token. A refresh token is valid only once, so they share one renewal. It is rejected when no
 * server answers.
 */
function refreshSession(): Promise<Response> {
	refreshing ??= globalThis
		.fetch(new Request(`${baseUrl}/auth/refresh`, { method: 'POST', headers: dashboardHeader }))
		.finally(() => {
			refreshing = null
		})
	return refreshing
}
