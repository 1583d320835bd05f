/** An MCP server and how to reach it. */
export interface McpServer {
	name: string
	/** For a hosted program `program://…`, an address inside this process. */
	url: string
	/** Decrypted secrets: for requests to the server only, never for logs or answers. */
	headers: ReadonlyMap<string, string>
	/** `sse` is the 2024 transport. */
	transportType: string
	protocolVersion: string | null
	/** The owner of the token among the headers, if it is an individual token. */
	credentialOwner?: string
}

/**
 * The header of an `initialize` to a hosted program that must not reach the process that clients share while that is starting. It is
 * sent inside this process only.
 */
export const ownProcessHeader = 'signalbox-own-process'

/** Where a server is, and the headers of every request to it. */
export interface Target {
	origin: string
	path: string
	headers: Readonly<Record<string, string>>
}

const ours =
	/^(host|connection|content-length|content-type|content-encoding|transfer-encoding|accept|accept-encoding|expect|upgrade|te|trailer|keep-alive|mcp-.*|last-event-id)$/i
const known = new WeakMap<McpServer, Target>()

/** Contains the server's configured headers, except those of the exchange, which are set here. Nothing comes from the caller. */
export function targetOf(server: McpServer): Target {
	const found = known.get(server)
	if (found) return found
	const url = new URL(server.url)
	const given = [...server.headers]
		.filter(([name]) => !ours.test(name))
		.map(([name, value]) => [name.toLowerCase(), value] as const)
	const headers = {
		...Object.fromEntries(given),
		'content-type': 'application/json',
		accept: 'application/json, text/event-stream',
		'accept-encoding': 'identity',
		'user-agent': 'signalbox',
	}
	const target = { origin: originOf(server, url), path: url.pathname + url.search, headers }
	known.set(server, target)
	return target
}

/** Programs and the 2024 transport have schemes of Signalbox's own, by which the dispatcher is chosen. */
function originOf({ transportType }: McpServer, url: URL): string {
	if (url.protocol === 'program:') return `program://${url.host}`
	return transportType === 'sse' ? `sse+${url.origin}` : url.origin
}

/** Whether sessions of one entry can be used with the other: the same target, also if the token was renewed. */
export function isSamePlace(a: McpServer, b: McpServer): boolean {
	const isOfOne = a.credentialOwner !== undefined && a.credentialOwner === b.credentialOwner
	return isOfOne ? a.url === b.url && a.protocolVersion === b.protocolVersion : isSameTarget(a, b)
}

/** Whether two entries lead to the same place with the same authorization. */
export function isSameTarget(a: McpServer, b: McpServer): boolean {
	if (a === b) return true
	return (
		a.url === b.url &&
		a.protocolVersion === b.protocolVersion &&
		JSON.stringify([...a.headers]) === JSON.stringify([...b.headers])
	)
}
