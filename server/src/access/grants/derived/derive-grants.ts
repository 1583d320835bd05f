import type { Clock } from '../../../platform/clock.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/ids.ts'
import {
	type DerivedScope,
	deleteUnjustifiedGrants,
	type GrantRow,
	insertGrants,
	listMissing,
	type MissingGrant,
	updateTools,
} from '../grant-repository.ts'
import { listToolsIn } from '../toolsets/toolset-repository.ts'

export interface Derivation {
	added: number
	changed: number
	removed: number
}

/**
 * Brings the grants derived from a toolset, or those of some agents, in line with the toolsets and groups just written, in a
 * transaction that began with `lockGroups`.
 */
export async function deriveGrants(
	tx: DatabaseTransaction,
	workspaceId: string,
	scope: DerivedScope,
	clock: Clock,
): Promise<Derivation> {
	const nowMs = clock.nowMs()
	const removed = await deleteUnjustifiedGrants(tx, workspaceId, scope)
	const changed = 'toolsetId' in scope ? await renewTools(tx, workspaceId, scope.toolsetId, nowMs) : 0
	const missing = await listMissing(tx, workspaceId, scope)
	await insertGrants(
		tx,
		missing.map((grant) => toRow(workspaceId, grant, nowMs)),
	)
	return { added: missing.length, changed, removed }
}

async function renewTools(
	tx: DatabaseTransaction,
	workspaceId: string,
	toolsetId: string,
	nowMs: number,
): Promise<number> {
	let changed = 0
	const inToolset = await listToolsIn(tx, workspaceId, [toolsetId])
	for (const { serverId, tools } of inToolset.get(toolsetId) ?? []) {
		const now = { toolsetId, serverId, tools: JSON.stringify(tools) }
		changed += await updateTools(tx, workspaceId, now, nowMs)
	}
	return changed
}

function toRow(workspaceId: string, missing: MissingGrant, nowMs: number): GrantRow {
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		server_id: missing.server_id,
		agent_id: missing.agent_id,
		source: missing.toolset_id,
		access_mode: 'selected',
		allowed_tools: missing.tools,
		allowed_prompts: null,
		allowed_resources: null,
		enabled: 1,
		expires_at: null,
		constraints: null,
		approval: null,
		approver: null,
		approval_wait_ms: null,
		denied_hints: null,
		call_limits: null,
		created_at: nowMs,
		updated_at: nowMs,
	}
}
