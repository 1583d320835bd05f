import type { ApprovalStatus, Approver, approvalOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { redactText } from '../../platform/redaction/redact.ts'
import type { ApprovalRow, NamedApproval } from './approval-repository.ts'

export type ApprovalDocument = OutputOf<(typeof approvalOperations)['get']>

/** The context to which a call's arguments are bound when they are sealed. */
export function argumentContext({ workspace_id, id }: Pick<ApprovalRow, 'workspace_id' | 'id'>) {
	return { workspaceId: workspace_id, kind: 'approval_arguments', origin: '', id }
}

/** An approval as approvers see it. */
export function presentApproval(row: NamedApproval, sealer: Sealer): ApprovalDocument {
	return {
		...presentEvent(row),
		arguments: shownArguments(sealer.open(row.sealed_arguments, argumentContext(row))),
		approver: row.approver as Approver,
		valid_until: timeOf(row.valid_until),
		for_minutes: row.for_minutes,
		used_at: timeOf(row.used_at),
	}
}

/** The part of an approval that everyone who is notified may see. */
export function presentEvent(row: NamedApproval) {
	return {
		id: row.id,
		agent: { uuid: row.agent_id, name: row.agent_name },
		server: { id: row.server_id, name: row.server_name, slug: row.server_slug },
		tool: row.tool,
		asked_by: askerOf(row),
		status: row.status as ApprovalStatus,
		reason: row.reason,
		decided_at: timeOf(row.decided_at),
		decided_by: deciderOf(row),
		requested_at: toIso(row.requested_at),
		expires_at: toIso(row.expires_at),
	}
}

/** Null for a person who tries a tool, because such a call has no credential. */
function askerOf({ credential_id, credential_name, user_id, user_email }: NamedApproval) {
	if (credential_name === null) return null
	const user = user_id !== null && user_email !== null ? { id: user_id, email: user_email } : null
	return { credential_id, name: credential_name, user }
}

function deciderOf(row: ApprovalRow): ApprovalDocument['decided_by'] {
	if (row.decided_by_kind === null) return null
	return { kind: row.decided_by_kind, id: row.decided_by_id, name: row.decided_by_name ?? '' }
}

function timeOf(ms: number | null): string | null {
	return ms === null ? null : toIso(Number(ms))
}

/** The arguments with everything that looks like a secret removed. */
export function shownArguments(json: string): Record<string, unknown> {
	return JSON.parse(json, (_key, value: unknown) => (typeof value === 'string' ? redactText(value) : value))
}
