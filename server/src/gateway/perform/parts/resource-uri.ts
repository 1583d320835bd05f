/** A resource of one server among several: `mcp+<slug>:` before its own URI. Templates are written the same way. */
export function qualify(slug: string, uri: string): string {
	return `mcp+${slug}:${uri}`
}

/** The slug and the server's own URI in a qualified one; null for any other. */
export function readQualified(uri: string): { slug: string; uri: string } | null {
	const [whole, slug] = /^mcp\+([a-z0-9-]+):/.exec(uri) ?? []
	return whole === undefined || slug === undefined ? null : { slug, uri: uri.slice(whole.length) }
}
