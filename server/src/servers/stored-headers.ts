import type { Sealer } from '../platform/crypto/seal.ts'
import type { ServerRow } from './server-repository.ts'

type Bound = Pick<ServerRow, 'id' | 'workspace_id' | 'endpoint_url'>

/** Sealed for the origin of the server's URL: they cannot be opened for another one. */
export function sealHeaders(
	sealer: Sealer,
	server: Bound,
	headers: ReadonlyMap<string, string>,
): string | null {
	return headers.size === 0 ? null : sealer.seal(JSON.stringify([...headers]), contextOf(server))
}

export function openHeaders(
	sealer: Sealer,
	server: Bound & Pick<ServerRow, 'sealed_headers'>,
): Map<string, string> {
	if (server.sealed_headers === null) return new Map()
	return new Map(JSON.parse(sealer.open(server.sealed_headers, contextOf(server))) as [string, string][])
}

function contextOf(server: Bound) {
	return {
		workspaceId: server.workspace_id,
		kind: 'server_headers',
		origin: new URL(server.endpoint_url).origin,
		id: server.id,
	}
}
