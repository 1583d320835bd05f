import type { Sealer } from '../../platform/crypto/seal.ts'

/** A call as a person decides about it. */
export interface CallIdentity {
	workspaceId: string
	agentId: string
	serverId: string
	/** The server's own name of the tool. */
	tool: string
	arguments: unknown
}

/**
 * The same text for the same call, whatever the order of its keys. A MAC and no plain hash: arguments are often guessable.
 */
export function keyOfCall(sealer: Sealer, call: CallIdentity): string {
	const { workspaceId, agentId, serverId, tool } = call
	const parts = [workspaceId, agentId, serverId, tool, canonicalJson(call.arguments)]
	return sealer.mac('approval-call', JSON.stringify(parts))
}

/** JSON with sorted keys; numbers stay as they were written. */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (typeof value !== 'object' || value === null || isRaw(value)) return JSON.stringify(value) ?? 'null'
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
	return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}

/** Kept by its source text (`JSON.rawJSON`). */
function isRaw(value: object): boolean {
	return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value)
}
