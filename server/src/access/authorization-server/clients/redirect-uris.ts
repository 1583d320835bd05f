/**
 * Schemes of known MCP clients. Any other app takes one of its own that is a domain in reverse, as RFC 8252 §7.1 asks: what
 * a system opens by itself (`ms-msdt:`, `search-ms:`, `intent:`, `javascript:`, …) is more than a list can refuse.
 */
const knownApps = new Set([
	...['claude', 'cursor', 'cursor-nightly', 'vscode', 'vscode-insiders', 'vscodium', 'code-oss', 'windsurf'],
	...[
		'windsurf-next',
		'zed',
		'kiro',
		'trae',
		'warp',
		'warppreview',
		'goose',
		'raycast',
		'jetbrains',
		'lmstudio',
	],
	...['cherrystudio', 'librechat', 'chatbox', 'postman', 'insomnia'],
])

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Whether a client may have this redirect URI: https, http on the own computer, or the scheme of an app. */
export function isRedirectUri(text: string): boolean {
	if (text.length > 512 || !/^[!-~]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
	const url = new URL(text)
	if (url.username !== '' || url.password !== '') return false
	if (url.protocol === 'https:') return true
	if (url.protocol === 'http:') return loopback.has(url.hostname)
	const scheme = url.protocol.slice(0, -1)
	return knownApps.has(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(scheme)
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
