import type { IncomingMessage, ServerResponse } from 'node:http'

/** Headers of every page: nothing is guessed, framed or told to other sites. */
export const pageHeaders = {
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cross-origin-opener-policy': 'same-origin',
	'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

interface Content {
	/** Without charset; text is always UTF-8. */
	type: string
	body: string
	status?: number
	headers?: Record<string, string>
}

/** Sends a text made for this request; it is never stored by caches. HEAD gets the same headers. */
export function sendBytes(request: IncomingMessage, response: ServerResponse, content: Content): void {
	const bytes = Buffer.from(content.body)
	response.writeHead(content.status ?? 200, {
		...pageHeaders,
		'content-type': `${content.type}; charset=utf-8`,
		'content-length': bytes.length,
		'cache-control': 'no-store',
		...content.headers,
	})
	response.end(request.method === 'HEAD' ? undefined : bytes)
}
