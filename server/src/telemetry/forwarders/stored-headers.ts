import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import type { ForwarderRow } from './repository.ts'

type Bound = Pick<ForwarderRow, 'id' | 'workspace_id' | 'url'>

/** Sealed for the origin of the address: under another one they do not open. */
export function sealHeaders(
	sealer: Sealer,
	row: Bound,
	headers: ReadonlyMap<string, string>,
): Pick<ForwarderRow, 'sealed_headers' | 'header_names'> {
	return {
		sealed_headers: headers.size === 0 ? null : sealer.seal(JSON.stringify([...headers]), contextOf(row)),
		header_names: JSON.stringify([...headers.keys()]),
	}
}

export function openHeaders(
	sealer: Sealer,
	row: Bound & Pick<ForwarderRow, 'sealed_headers'>,
): Map<string, string> {
	return new Map(
		row.sealed_headers === null ? [] : JSON.parse(sealer.open(row.sealed_headers, contextOf(row))),
	)
}

function contextOf({ workspace_id: workspaceId, url, id }: Bound): SealContext {
	return { workspaceId, kind: 'forwarder_headers', origin: new URL(url).origin, id }
}
