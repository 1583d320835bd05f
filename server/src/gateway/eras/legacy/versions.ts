import type { IncomingMessage } from 'node:http'
import { invalidRequest, legacyVersions } from '../../../mcp-client/index.ts'

/** The version of a handshake: the client's when we speak it, else our newest with a handshake. */
export function negotiateVersion(asked: unknown): string {
	return legacyVersions.find((version) => version === asked) ?? (legacyVersions[0] as string)
}

/** Clients since 2025-06-18 repeat the version in a header; one that we do not speak is refused. */
export function checkVersionHeader(request: IncomingMessage): void {
	const named = request.headers['mcp-protocol-version']
	if (named === undefined || (typeof named === 'string' && legacyVersions.includes(named.trim()))) return
	throw invalidRequest(
		`The protocol version ${String(named).slice(0, 32)} is not supported; these are: ${legacyVersions.join(', ')}.`,
	)
}
