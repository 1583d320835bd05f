/** Schemes that a browser runs or opens by itself, so that a code in them would be lost or worse. */
const refused =
	/^(javascript|data|file|blob|about|vbscript|ftp|ws|wss|view-source|filesystem|chrome|mailto|tel):$/

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Whether a client may have this redirect URI: https, http on the own computer, or a scheme of an app of its own. */
export function isRedirectUri(text: string): boolean {
	if (text.length > 512 || !/^[!-~]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
	const url = new URL(text)
	if (url.username !== '' || url.password !== '' || refused.test(url.protocol)) return false
	if (url.protocol === 'https:') return true
	if (url.protocol === 'http:') return loopback.has(url.hostname)
	return /^[a-z][a-z0-9+.-]{2,}:$/.test(url.protocol)
}

/**
 * The redirect URI of a request must be one of the client's, character by character; only the port of a loopback
 * address may differ, since such a program gets a free one at each start (RFC 8252 §7.3).
 */
export function allowsRedirect(allowed: readonly string[], asked: string): boolean {
	return isRedirectUri(asked) && allowed.some((uri) => uri === asked || sameButPort(uri, asked))
}

export function isLoopbackUri(text: string): boolean {
	return withoutPort(text) !== null
}

function sameButPort(uri: string, asked: string): boolean {
	const plain = withoutPort(uri)
	return plain !== null && plain === withoutPort(asked)
}

/** Cut from the text itself: a parser would make different texts equal. */
function withoutPort(text: string): string | null {
	const [, host, port = '', rest] =
		text.match(/^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?([/?].*)?$/) ?? []
	if (host === undefined || Number(port.slice(1)) > 65_535) return null
	return `${host}${rest ?? ''}`
}
