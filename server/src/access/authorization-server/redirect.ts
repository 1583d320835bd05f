import type { ServerResponse } from 'node:http'

/** Where the answer to a client goes. */
export interface Back {
	issuer: string
	redirectUri: string
	state: string | null
}

/** The redirect URI with the answer: its own query stays, and `iss` says who answers (RFC 9207). */
export function responseUrl({ issuer, redirectUri, state }: Back, answer: Record<string, string>): string {
	const url = new URL(redirectUri)
	const fields = { ...answer, ...(state !== null && { state }), iss: issuer }
	for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
	return url.href
}

export function redirectTo(response: ServerResponse, location: string): void {
	response
		.writeHead(302, {
			location,
			'cache-control': 'no-store',
			'referrer-policy': 'no-referrer',
			'content-length': 0,
		})
		.end()
}
