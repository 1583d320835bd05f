import { actorOf } from '../../accounts/audit/index.ts'
import { duplicateOf } from '../../platform/database/index.ts'
import { newId } from '../../platform/ids.ts'
import {
	type ApprovalContext,
	argumentBytesMax,
	decidableMs,
	noteChange,
	pendingMax,
} from './approval-context.ts'
import {
	type ApprovalRow,
	countPending,
	findOpen,
	findStanding,
	insertApproval,
} from './approval-repository.ts'
import { canonicalJson, keyOfCall } from './call-key.ts'
import { expireOrClose } from './expire.ts'
import { argumentContext } from './present-approval.ts'
import { type AskedCall, type Standing, standingOf } from './standing.ts'

/** Several processes may ask about the same call at once: the key is unique, and who comes second reads the first one's row. */
export async function ask(approvals: ApprovalContext, call: AskedCall): Promise<Standing> {
	const key = keyOfCall(approvals.sealer, call)
	for (let attempt = 0; attempt < 3; attempt += 1) {
		const open = await findOpen(approvals.store.db, call.workspaceId, key)
		const standing = open && (await standingOf(approvals, open))
		if (standing) return standing
		const made = await begin(approvals, call, key, open)
		if (made) return made
	}
	return { kind: 'full' }
}

/** Null when another process was quicker. */
async function begin(
	approvals: ApprovalContext,
	call: AskedCall,
	key: string,
	stale: ApprovalRow | undefined,
): Promise<Standing | null> {
	const { store, clock } = approvals
	const standing = await findStanding(store.db, call.workspaceId, call, clock.nowMs())
	if (standing !== null) return { kind: 'run', approvalId: standing }
	const json = canonicalJson(call.arguments)
	if (Buffer.byteLength(json) > argumentBytesMax) return { kind: 'too_large' }
	if ((await countPending(store.db, call.workspaceId, call.agentId)) >= pendingMax) return { kind: 'full' }
	return request(approvals, call, key, json, stale).catch((error: unknown) => {
		if (duplicateOf(error) === null) throw error
		return null
	})
}

async function request(
	approvals: ApprovalContext,
	call: AskedCall,
	key: string,
	json: string,
	stale: ApprovalRow | undefined,
): Promise<Standing> {
	const row = newRow(approvals, call, key, json)
	await approvals.mutate(async (tx) => {
		if (stale) await expireOrClose(approvals, tx, stale)
		await insertApproval(tx, row)
		const by = { actor: actorOf(call.principal), requestId: null }
		await noteChange(tx, approvals, by, 'request', { workspaceId: call.workspaceId, id: row.id })
	})
	return { kind: 'pending', approvalId: row.id, expiresAtMs: row.expires_at }
}

function newRow({ clock, sealer }: ApprovalContext, call: AskedCall, key: string, json: string): ApprovalRow {
	const nowMs = clock.nowMs()
	const ids = { id: newId(nowMs), workspace_id: call.workspaceId }
	return {
		...ids,
		agent_id: call.agentId,
		server_id: call.serverId,
		tool: call.tool,
		open_key: key,
		sealed_arguments: sealer.seal(json, argumentContext(ids)),
		credential_id: call.credentialId,
		approver: call.approver,
		status: 'pending',
		reason: null,
		decided_at: null,
		decided_by_kind: null,
		decided_by_id: null,
		decided_by_name: null,
		valid_until: null,
		for_minutes: null,
		used_at: null,
		requested_at: nowMs,
		expires_at: nowMs + decidableMs,
	}
}
