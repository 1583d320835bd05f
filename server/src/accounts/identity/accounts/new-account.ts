import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/ids.ts'
import type { Actor } from '../../audit/audit.ts'
import type { IdentityContext } from '../identity-context.ts'
import {
	findWorkspaceByName,
	insertMember,
	insertUser,
	insertWorkspace,
	listMemberships,
} from './account-repository.ts'

interface NewAccount {
	email: string
	/** PHC string. */
	passwordHash: string
	name: string
	operator: boolean
	/** The workspace that the person owns. It is created, or for an operator joined if it exists. */
	workspaceName: string
}

type AccountContext = Pick<IdentityContext, 'clock' | 'audit' | 'config' | 'instance'>

/** Addresses are compared in lower case. */
export function normaliseEmail(email: string): string {
	return email.trim().toLowerCase()
}

/** Creates a person as the owner of a workspace. A duplicate e-mail address fails on the unique column. */
export async function insertAccount(
	context: AccountContext,
	tx: DatabaseTransaction,
	account: NewAccount,
	entry: { action: string; requestId: string | null; actor?: Actor },
): Promise<{ userId: string; workspaceId: string }> {
	const { clock, audit } = context
	const nowMs = clock.nowMs()
	const userId = newId(nowMs)
	await insertUser(tx, {
		id: userId,
		email: account.email,
		name: account.name,
		password_hash: account.passwordHash,
		verified: 0,
		operator: account.operator ? 1 : 0,
		time_zone: null,
		created_at: nowMs,
		updated_at: nowMs,
	})
	const workspaceId = await ownWorkspace(context, tx, account, nowMs)
	await insertMember(tx, workspaceId, { userId, role: 'owner' }, nowMs)
	const actor: Actor = entry.actor ?? { kind: 'user', id: userId, name: account.email }
	const target = { kind: 'user', id: userId, name: account.email }
	const detail = { operator: account.operator, role: 'owner' }
	await audit.record(tx, {
		workspaceId,
		actor,
		action: entry.action,
		target,
		detail,
		requestId: entry.requestId,
	})
	await appendChange(tx, 'user', userId, clock)
	return { userId, workspaceId }
}

async function ownWorkspace(
	{ config, instance, clock }: AccountContext,
	tx: DatabaseTransaction,
	account: NewAccount,
	nowMs: number,
): Promise<string> {
	const known = account.operator ? await findWorkspaceByName(tx, account.workspaceName) : undefined
	if (known) return known.id
	const id = newId(nowMs)
	// An operator of an instance that is not exposed could start programs on the machine anyway.
	const stdio = account.operator ? !config.exposed : instance.value('stdio_programs_default')
	await insertWorkspace(tx, { id, name: account.workspaceName, stdio }, nowMs)
	await appendChange(tx, 'workspace', id, clock)
	return id
}

/** The workspace whose audit log records a person's own changes: the first they joined, '' if there is none. */
export async function homeWorkspaceOf(db: Queryable, userId: string): Promise<string> {
	const [first] = await listMemberships(db, userId)
	return first?.id ?? ''
}
