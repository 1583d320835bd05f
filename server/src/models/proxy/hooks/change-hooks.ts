import type { BodyOf, hookOperations } from '@signalbox/contract'
import { type Audit, actorOf } from '../../../accounts/audit/index.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange } from '../../../platform/changes.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { newSecret } from '../../../platform/crypto/webhook-secret.ts'
import {
	type ControlStore,
	type DatabaseTransaction,
	duplicateOf,
	type Queryable,
} from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import type { Change } from '../connections/service.ts'
import { checkHook } from './check-hook.ts'
import { type HookRow, hookSecretContext } from './hook.ts'
import { type HookDocument, presentHook } from './present-hook.ts'
import { countHooks, deleteHook, findHook, insertHook, updateHook } from './repository.ts'

export interface HookContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	sealer: Sealer
	safeFetch: Pick<SafeFetch, 'assertUrl'>
}

type Created = BodyOf<(typeof hookOperations)['create']>
type Updated = BodyOf<(typeof hookOperations)['update']>
type Changed = HookDocument & { secret?: string }

/** Each call may pass all of them. */
const mostHooks = 20
const usualTimeoutMs = 2000
const readOnly = ['id', 'action', 'old_secret_expires_at', 'created_at', 'updated_at']
/** As long as the old secret of a webhook lives. */
const oldSecretLivesMs = 24 * 60 * 60 * 1000

/** A hook of the workspace, or the 404 that also stands for malformed ids and other workspaces. */
export async function hookOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<HookRow> {
	const row = await findHook(db, workspaceId, id)
	if (!row) throw notFound('hook')
	return row
}

export async function createHook(hooks: HookContext, by: Change, body: Created): Promise<Changed> {
	const { row, secret } = withAddress(
		hooks,
		newRow(by.principal.workspaceId, body, hooks.clock.nowMs()),
		null,
	)
	checkHook(row)
	return hooks.mutate(async (tx) => {
		if ((await countHooks(tx, row.workspace_id)) >= mostHooks)
			throw new Problem('conflict', `A workspace has at most ${mostHooks} hooks.`)
		await insertHook(tx, row).catch(rethrowNameTaken)
		await note(tx, hooks, by, 'create', row)
		return { ...presentHook(row, row.created_at), ...secret }
	})
}

function newRow(workspace_id: string, body: Created, nowMs: number): HookRow {
	return {
		id: newId(nowMs),
		workspace_id,
		name: body.name,
		enabled: body.enabled === false ? 0 : 1,
		mode: body.mode ?? 'dry_run',
		action: body.action,
		stages: JSON.stringify(body.stages),
		connections: JSON.stringify(body.connections ?? ['*']),
		models: JSON.stringify(body.models ?? ['*']),
		agents: JSON.stringify(body.agents ?? ['*']),
		pattern: body.pattern ?? null,
		label: body.label ?? 'hook',
		url: body.url ?? null,
		sealed_secret: null,
		sealed_previous_secret: null,
		previous_expires_at: null,
		timeout_ms: body.timeout_ms ?? usualTimeoutMs,
		fail_mode: body.fail_mode ?? 'open',
		created_at: nowMs,
		updated_at: nowMs,
	}
}

export function changeHook(hooks: HookContext, by: Change, id: string, body: Updated): Promise<Changed> {
	const nowMs = hooks.clock.nowMs()
	return hooks.mutate(async (tx) => {
		const before = await hookOrNotFound(tx, by.principal.workspaceId, id)
		const current = presentHook(before, nowMs)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const { row, secret } = withAddress(hooks, changedRow(before, body, nowMs), before)
		checkHook(row)
		await updateHook(tx, row.workspace_id, row.id, row).catch(rethrowNameTaken)
		await note(tx, hooks, by, 'update', row)
		return { ...presentHook(row, nowMs), ...secret }
	})
}

/** For a day both secrets sign, so that the receiver can change its own without a gap. */
export function rotateHookSecret(hooks: HookContext, by: Change, id: string): Promise<Changed> {
	const nowMs = hooks.clock.nowMs()
	return hooks.mutate(async (tx) => {
		const before = await hookOrNotFound(tx, by.principal.workspaceId, id)
		if (before.url === null) throw new Problem('conflict', 'Only a hook that asks a webhook has a secret.')
		const secret = newSecret()
		const row = {
			...before,
			sealed_secret: hooks.sealer.seal(secret, hookSecretContext(before)),
			sealed_previous_secret: before.sealed_secret,
			previous_expires_at: nowMs + oldSecretLivesMs,
			updated_at: nowMs,
		}
		await updateHook(tx, row.workspace_id, row.id, row)
		await note(tx, hooks, by, 'rotate-secret', row)
		return { ...presentHook(row, nowMs), secret }
	})
}

function changedRow(before: HookRow, body: Updated, nowMs: number): HookRow {
	const { enabled, stages, connections, models, agents, ...rest } = body
	const { created_at: _at, old_secret_expires_at: _ends, ...plain } = rest
	const lists = { stages, connections, models, agents }
	const given = Object.entries(lists).filter(([, value]) => value !== undefined)
	return {
		...before,
		...plain,
		...Object.fromEntries(given.map(([name, value]) => [name, JSON.stringify(value)])),
		enabled: enabled === undefined ? before.enabled : Number(enabled),
		updated_at: nowMs,
	}
}

/** A secret is for one origin: at another one, whoever had the address before could sign what the new one gets. */
function withAddress(
	{ safeFetch, sealer }: HookContext,
	given: HookRow,
	before: HookRow | null,
): { row: HookRow; secret?: { secret: string } } {
	if (given.url === null) return { row: { ...given, sealed_secret: null } }
	const url = safeFetch.assertUrl(given.url)
	const row = { ...given, url: url.href }
	if (before?.url && new URL(before.url).origin === url.origin) return { row }
	const secret = newSecret()
	const sealed_secret = sealer.seal(secret, hookSecretContext(row))
	const fresh = { sealed_secret, sealed_previous_secret: null, previous_expires_at: null }
	return { row: { ...row, ...fresh }, secret: { secret } }
}

export function removeHook(hooks: HookContext, by: Change, id: string): Promise<void> {
	return hooks.mutate(async (tx) => {
		const row = await hookOrNotFound(tx, by.principal.workspaceId, id)
		requireUnchanged(presentHook(row, hooks.clock.nowMs()))
		await deleteHook(tx, row.workspace_id, id)
		await note(tx, hooks, by, 'delete', row)
	})
}

/** Of an address only the origin: a path may be a secret of the receiver. */
async function note(
	tx: DatabaseTransaction,
	{ audit, clock }: HookContext,
	by: Change,
	verb: string,
	row: HookRow,
): Promise<void> {
	const {
		id: _id,
		name,
		created_at: _at,
		updated_at: _then,
		url,
		...detail
	} = presentHook(row, clock.nowMs())
	await audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: actorOf(by.principal),
		action: `hooks.${verb}`,
		target: { kind: 'hook', id: row.id, name },
		detail: { ...detail, url: url && new URL(url).origin },
		requestId: by.requestId,
	})
	await appendChange(tx, 'hook', row.id, clock)
}

function rethrowNameTaken(error: unknown): never {
	if (duplicateOf(error) !== null)
		throw new Problem('name_taken', 'Another hook has this name.', { cause: error })
	throw error
}
