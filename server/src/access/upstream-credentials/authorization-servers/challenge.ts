/** What a `WWW-Authenticate: Bearer` says (RFC 6750 §3, RFC 9728 §5.1). */
export interface Challenge {
	metadata: string | null
	scope: string | null
	error: string | null
}

export function readChallenge(header: string | null | undefined): Challenge {
	const text = header && /\bbearer\b/i.test(header) ? header : ''
	const parameter = (name: string) =>
		text
			.match(new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, 'i'))
			?.slice(1)
			.find(Boolean) ?? null
	return { metadata: parameter('resource_metadata'), scope: parameter('scope'), error: parameter('error') }
}
