import { type BodyOf, hookOperations, type OutputOf } from '@signalbox/contract'
import { type Audit, type RequestedChange, recordChange } from '../../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import type { View } from '../../../platform/changes.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { newSecret } from '../../../platform/crypto/webhook-secret.ts'
import {
	type ControlStore,
	type Database,
	duplicateOf,
	type Queryable,
} from '../../../platform/database/database.ts'
import { ownedRows, requireRoom } from '../../../platform/database/owned-rows.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { paginate } from '../../../platform/paging.ts'
import { requireOwnPattern } from '../../../platform/redaction/own-pattern.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import { type Hook, type HookRow, hookSecretContext, toHook } from './hook.ts'

const {
	find: findHook,
	list: listHooks,
	count: countHooks,
	insert: insertHook,
	update: updateHook,
	remove: deleteHook,
} = ownedRows('hooks')

interface HookContext {
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

/** Each call may be checked by all of them. */
const maxHooks = 20
const defaultTimeoutMs = 2000
const readOnly = ['id', 'action', 'old_secret_expires_at', 'created_at', 'updated_at']
/** How long the old secret of a webhook stays valid after a rotation. */
const oldSecretLivesMs = 24 * 60 * 60 * 1000

/** A hook of the workspace. Throws the same 404 for malformed ids and for hooks of other workspaces. */
async function hookOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<HookRow> {
	const row = await findHook(db, workspaceId, id)
	if (!row) throw notFound('hook')
	return row
}

async function createHook(hooks: HookContext, request: RequestContext, body: Created): Promise<Changed> {
	const { row, secret } = withAddress(
		hooks,
		newRow(principalIn(request).workspaceId, body, hooks.clock.nowMs()),
		null,
	)
	checkHook(row)
	return hooks.mutate(async (tx) => {
		await requireRoom(tx, row.workspace_id, { most: maxHooks, what: 'hooks', count: countHooks })
		await insertHook(tx, row).catch(rethrowNameTaken)
		await recordChange(tx, hooks, request, changeOf('create', row, hooks.clock.nowMs()))
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
		timeout_ms: body.timeout_ms ?? defaultTimeoutMs,
		fail_mode: body.fail_mode ?? 'open',
		created_at: nowMs,
		updated_at: nowMs,
	}
}

function changeHook(
	hooks: HookContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<Changed> {
	const nowMs = hooks.clock.nowMs()
	return hooks.mutate(async (tx) => {
		const before = await hookOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentHook(before, nowMs)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const { row, secret } = withAddress(hooks, changedRow(before, body, nowMs), before)
		checkHook(row)
		await updateHook(tx, row.workspace_id, row.id, row).catch(rethrowNameTaken)
		await recordChange(tx, hooks, request, changeOf('update', row, hooks.clock.nowMs()))
		return { ...presentHook(row, nowMs), ...secret }
	})
}

/** For a day requests are signed with both secrets, so that the receiver can change its own without a gap. */
function rotateHookSecret(hooks: HookContext, request: RequestContext, id: string): Promise<Changed> {
	const nowMs = hooks.clock.nowMs()
	return hooks.mutate(async (tx) => {
		const before = await hookOrNotFound(tx, principalIn(request).workspaceId, id)
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
		await recordChange(tx, hooks, request, changeOf('rotate-secret', row, hooks.clock.nowMs()))
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

/** A secret belongs to one origin: otherwise the owner of the previous address could forge signatures for the new one. */
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

function removeHook(hooks: HookContext, request: RequestContext, id: string): Promise<void> {
	return hooks.mutate(async (tx) => {
		const row = await hookOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentHook(row, hooks.clock.nowMs()))
		await deleteHook(tx, row.workspace_id, id)
		await recordChange(tx, hooks, request, changeOf('delete', row, hooks.clock.nowMs()))
	})
}

/** Records only the origin of an address: its path may be a secret of the receiver. */
function changeOf(verb: string, row: HookRow, nowMs: number): RequestedChange {
	const { id, name, created_at: _at, updated_at: _then, url, ...detail } = presentHook(row, nowMs)
	const target = { kind: 'hook', id, name }
	const origin = url && new URL(url).origin
	return { action: `hooks.${verb}`, target, detail: { ...detail, url: origin }, viewKind: 'hook' }
}

function rethrowNameTaken(error: unknown): never {
	if (duplicateOf(error) !== null)
		throw new Problem('name_taken', 'Another hook has this name.', { cause: error })
	throw error
}

/** Throws Problem 400 unless the hook has exactly what its action needs. */
function checkHook({ action, pattern, url, stages }: HookRow): void {
	if (action === 'webhook') {
		if (url === null) throw refused('url', 'is what a webhook needs')
		if (pattern !== null) throw refused('pattern', 'is not for a webhook')
		return
	}
	if (url !== null) throw refused('url', 'is for webhooks')
	if (pattern === null) throw refused('pattern', `is what ${action} needs`)
	if (action === 'redact' && (JSON.parse(stages) as string[]).includes('stream'))
		throw refused('stages', 'with redact cannot have stream: what has gone out cannot be changed')
	requireOwnPattern(pattern, refused)
}

function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'hook', detail }],
	})
}

type HookDocument = OutputOf<(typeof hookOperations)['get']>

/** A hook as the API returns it, without its secret. */
function presentHook(row: HookRow, nowMs: number): HookDocument {
	const { previous_expires_at: oldEndsAt } = row
	return {
		id: row.id,
		name: row.name,
		enabled: row.enabled === 1,
		mode: row.mode as HookDocument['mode'],
		action: row.action as HookDocument['action'],
		stages: JSON.parse(row.stages) as HookDocument['stages'],
		connections: JSON.parse(row.connections) as string[],
		models: JSON.parse(row.models) as string[],
		agents: JSON.parse(row.agents) as string[],
		pattern: row.pattern,
		label: row.label,
		url: row.url,
		timeout_ms: row.timeout_ms,
		fail_mode: row.fail_mode as HookDocument['fail_mode'],
		old_secret_expires_at: oldEndsAt !== null && oldEndsAt > nowMs ? toIso(oldEndsAt) : null,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

export function hookRoutes(hooks: HookContext): BoundOperation[] {
	const { db } = hooks.store
	return bind(hookOperations, {
		list: async ({ query, context }) => {
			const listing = { ...query, sort: 'created_at' } as const
			const { rows, total } = await listHooks(db, principalIn(context).workspaceId, listing)
			return {
				hooks: rows.map((row) => presentHook(row, hooks.clock.nowMs())),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createHook(hooks, context, body),
		get: async ({ params, context }) =>
			presentHook(await hookOrNotFound(db, principalIn(context).workspaceId, params.id), hooks.clock.nowMs()),
		update: ({ params, body, context }) => changeHook(hooks, context, params.id, body),
		rotateSecret: ({ params, context }) => rotateHookSecret(hooks, context, params.id),
		delete: async ({ params, context }) => void (await removeHook(hooks, context, params.id)),
	})
}

/** The enabled hooks of all workspaces, in memory. */
export interface HookView {
	/** In the order in which they run; undefined if a workspace has none. */
	of(workspaceId: string): readonly Hook[] | undefined
}

export function createHookView(db: Database, sealer: Sealer): HookView & View {
	const open = (row: HookRow, sealed: string) => sealer.open(sealed, hookSecretContext(row))
	let byId = new Map<string, Hook>()
	let byWorkspace = new Map<string, Hook[]>()
	const replaceAll = (hooks: readonly Hook[]) => {
		byId = new Map(hooks.map((hook) => [hook.id, hook]))
		byWorkspace = Map.groupBy(hooks, ({ workspaceId }) => workspaceId)
	}
	const enabledIn = (rows: readonly HookRow[]) =>
		rows.filter(({ enabled }) => enabled === 1).map((row) => toHook(row, open))
	return {
		kinds: ['hook'],
		load: async () => replaceAll(enabledIn(await readHooks(db))),
		apply: async (_kind, id) => {
			const [hook] = enabledIn(await readHooks(db, id))
			const known = new Map(byId)
			if (hook) known.set(id, hook)
			else known.delete(id)
			// Ids are ordered by creation time.
			replaceAll([...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1)))
		},
		of: (workspaceId) => byWorkspace.get(workspaceId),
	}
}

/** For the in-memory view, across workspaces: all hooks in the order in which they run, or one that changed. */
function readHooks(db: Queryable, id?: string): Promise<HookRow[]> {
	const all = db.selectFrom('hooks').selectAll().orderBy('created_at').orderBy('id')
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}
