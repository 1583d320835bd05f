import type { Sealer } from '../../platform/crypto/seal.ts'

/** What identifies a call for an approval. */
export interface CallIdentity {
	workspaceId: string
	agentId: string
	serverId: string
	/** The server's own name of the tool. */
	tool: string
	arguments: unknown
}

/**
 * The same key for the same call, whatever the order of its arguments' keys. A MAC instead of a plain hash, because arguments can
 * often be guessed.
 */
export function keyOfCall(sealer: Sealer, call: CallIdentity): string {
	const { workspaceId, agentId, serverId, tool } = call
	const parts = [workspaceId, agentId, serverId, tool, canonicalJson(call.arguments)]
	return sealer.mac('approval-call', JSON.stringify(parts))
}

/** JSON with sorted keys; numbers are kept as they were written. */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (typeof value !== 'object' || value === null || isRaw(value)) return JSON.stringify(value) ?? 'null'
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
	return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}

/** Whether it is a number kept as source text (`JSON.rawJSON`). */
function isRaw(value: object): boolean {
	return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value)
}
