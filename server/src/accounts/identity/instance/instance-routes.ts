import { isDeepStrictEqual } from 'node:util'
import {
	type BodyOf,
	instanceKeyOperations,
	instanceOperations,
	type OutputOf,
	settingOperations,
} from '@signalbox/contract'
import { isNetwork } from '../../../platform/address-rules.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange, lockNumbering } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import type { MasterKeyState } from '../../../platform/crypto/master-key-rotation.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { userIn } from '../../../platform/http/route.ts'
import { paginate } from '../../../platform/paging.ts'
import { actorOf, systemActor } from '../../audit/audit.ts'
import type { IdentityContext } from '../identity-context.ts'
import { listSigningKeys } from '../sessions/session-repository.ts'
import type { SigningKeys } from '../sessions/signing-keys.ts'
import {
	countOperators,
	findInstanceWorkspace,
	forgetSetting,
	type InstanceWorkspaceRow,
	listInstanceWorkspaces,
	listOperators,
	listStoredSettings,
	setStdioAllowed,
	storeSetting,
} from './instance-repository.ts'
import {
	definitions,
	resolveSetting,
	resolveSettings,
	type SettingName,
	type Settings,
} from './instance-view.ts'

export function instanceRoutes(context: IdentityContext): BoundOperation[] {
	const { db } = context.store
	return [
		...bind(settingOperations, {
			get: () => context.instance.settings(),
			update: ({ body, context: request }) =>
				changeSettings(context, userIn(request), body, request.requestId),
		}),
		...bind(instanceOperations, {
			workspaces: async ({ query }) => {
				const { rows, total } = await listInstanceWorkspaces(db, query.q, query)
				return { workspaces: rows.map(presentInstanceWorkspace), pagination: paginate(query, total) }
			},
			rights: async ({ params, body, context: request }) =>
				presentInstanceWorkspace(
					await changeRights(context, userIn(request), params.id, body, request.requestId),
				),
			operators: async ({ query }) => ({
				operators: await listOperators(db, query),
				pagination: paginate(query, await countOperators(db)),
			}),
		}),
	]
}

function presentInstanceWorkspace(
	row: InstanceWorkspaceRow,
): OutputOf<(typeof instanceOperations)['rights']> {
	const { id, name, member_count } = row
	const rights = { stdio: row.stdio_allowed === 1 }
	return { id, name, created_at: toIso(row.created_at), member_count, rights }
}

/** Operators only, across workspaces: grants or revokes a right of a workspace. Recorded in that workspace's audit chain. */
async function changeRights(
	{ mutate, audit, clock }: IdentityContext,
	operator: UserPrincipal,
	workspaceId: string,
	{ stdio }: BodyOf<(typeof instanceOperations)['rights']>,
	requestId: string,
): Promise<InstanceWorkspaceRow> {
	return mutate(async (tx) => {
		await lockNumbering(tx)
		const before = await findInstanceWorkspace(tx, workspaceId)
		if (!before) throw notFound('workspace')
		if ((before.stdio_allowed === 1) === stdio) return before
		await setStdioAllowed(tx, workspaceId, stdio)
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(operator),
			action: 'instance.rights',
			target: { kind: 'workspace', id: workspaceId, name: before.name },
			detail: { stdio: { before: !stdio, after: stdio } },
			requestId,
		})
		await appendChange(tx, 'workspace', workspaceId, clock)
		return { ...before, stdio_allowed: stdio ? 1 : 0 }
	})
}

type Given = BodyOf<(typeof settingOperations)['update']>
interface Wanted {
	name: SettingName
	/** Null: the default. */
	value: Settings[SettingName]['value'] | null
}

/** Stores the given values that differ from the current ones. Throws `set_by_environment`, `invalid_request`. */
async function changeSettings(
	context: IdentityContext,
	operator: UserPrincipal,
	given: Given,
	requestId: string,
): Promise<Settings> {
	for (const network of given.private_networks?.value ?? []) refuseNonNetwork(network)
	await context.mutate(async (tx) => {
		await lockNumbering(tx)
		const stored = await listStoredSettings(tx)
		requireUnchanged(resolveSettings(context.config, stored))
		for (const name of Object.keys(given) as SettingName[]) {
			const present = resolveSetting(name, context.config, stored)
			refuseOtherSource(name, given[name]?.source, present.source)
			const value = given[name]?.value ?? null
			const isDefault = value === null && present.source === 'default'
			if (isDefault || isDeepStrictEqual(value, present.value)) continue
			if (present.source === 'environment') throw setByEnvironment(name)
			await storeOne(context, tx, { name, value })
			const after = await listStoredSettings(tx)
			const detail = { before: present.value, after: resolveSetting(name, context.config, after).value }
			const target = { kind: 'setting', id: name, name }
			const entry = { action: 'settings.update', target, detail, requestId }
			await context.audit.record(tx, {
				workspaceId: operator.workspaceId,
				actor: actorOf(operator),
				...entry,
			})
		}
	})
	return context.instance.settings()
}

async function storeOne(
	{ clock }: IdentityContext,
	tx: DatabaseTransaction,
	{ name, value }: Wanted,
): Promise<void> {
	if (value === null) await forgetSetting(tx, name)
	else await storeSetting(tx, name, value, clock.nowMs())
	await appendChange(tx, 'setting', name, clock)
}

function refuseNonNetwork(network: string): void {
	if (isNetwork(network)) return
	const detail = `"${network}" is not a network like 10.0.0.0/8`
	throw new Problem('invalid_request', `body/private_networks: ${detail}.`, {
		errors: [{ pointer: '/private_networks/value', code: 'format', detail }],
	})
}

function refuseOtherSource(name: SettingName, given: string | undefined, present: string): void {
	if (given === undefined || given === present) return
	const detail = 'is read-only and differs from its present value'
	throw new Problem('invalid_request', `body/${name}/source: ${detail}.`, {
		errors: [{ pointer: `/${name}/source`, code: 'read_only', detail }],
	})
}

function setByEnvironment(name: SettingName): Problem {
	const { variable } = definitions[name]
	return new Problem('set_by_environment', `${variable} sets ${name}; change it there, or unset it.`)
}

type Output<K extends keyof typeof instanceKeyOperations> = OutputOf<(typeof instanceKeyOperations)[K]>

export function instanceKeyRoutes(context: IdentityContext): BoundOperation[] {
	const { masterKey, signingKeys } = context
	return bind(instanceKeyOperations, {
		masterKey: async () => presentMasterKey(await masterKey.state()),
		rotateMasterKey: async ({ context: request }) => {
			masterKey.start()
			await recordStart(context, userIn(request), request.requestId)
			return presentMasterKey(await masterKey.state())
		},
		signingKeys: () => presentSigningKeys(signingKeys),
		rotateSigningKeys: async ({ body, context: request }) => {
			await rotateSigningKeys(context, userIn(request), body?.immediate === true, request.requestId)
			return presentSigningKeys(signingKeys)
		},
	})
}

async function recordStart(
	{ mutate, audit, masterKey }: IdentityContext,
	by: UserPrincipal,
	requestId: string,
): Promise<void> {
	const { keyId } = await masterKey.state()
	const target = { kind: 'master_key', id: keyId, name: keyId }
	const { workspaceId } = by
	const entry = { workspaceId, actor: actorOf(by), action: 'instance.rotate-master-key', target, requestId }
	await mutate((tx) => audit.record(tx, entry))
}

function presentMasterKey({ keyId, source, rotation }: MasterKeyState): Output<'masterKey'> {
	return {
		key_id: keyId,
		source,
		rotation: rotation && {
			state: rotation.state === 'done' ? 'done' : 'running',
			done: rotation.done,
			total: rotation.total,
			error: rotation.error,
			started_at: toIso(rotation.started_at),
			finished_at: rotation.finished_at === null ? null : toIso(rotation.finished_at),
		},
	}
}

function presentSigningKeys(keys: SigningKeys): Output<'signingKeys'> {
	const signer = keys.signer()
	const position = keys.all.indexOf(signer)
	const statusOf = (index: number) => {
		if (index === position) return 'signing' as const
		return index < position ? ('next' as const) : ('verifying' as const)
	}
	return {
		signing_keys: keys.all.map(({ id, createdAtMs }, index) => ({
			id,
			status: statusOf(index),
			created_at: toIso(createdAtMs),
		})),
	}
}

type Context = Pick<IdentityContext, 'signingKeys' | 'mutate' | 'audit' | 'clock' | 'log'>

const action = 'instance.rotate-signing-keys'
const tendEveryMs = 10 * 60_000

async function rotateSigningKeys(
	{ signingKeys, mutate, audit }: Context,
	by: UserPrincipal,
	immediate: boolean,
	requestId: string,
): Promise<void> {
	await mutate(async (tx) => {
		const id = await signingKeys.rotate(tx, immediate)
		const target = { kind: 'signing_key', id, name: id }
		const { workspaceId } = by
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(by),
			action,
			target,
			detail: { immediate },
			requestId,
		})
	})
}

/** Rotates keys that are 90 days old and deletes expired ones, now and every ten minutes. */
export function maintainSigningKeys(context: Context): { stop(): void } {
	const failed = (error: unknown) =>
		context.log.warn(
			{ err: error },
			'identity: cannot maintain the signing keys; the next attempt is in ten minutes',
		)
	const tend = () => void tendOnce(context).catch(failed)
	tend()
	const timer = setInterval(tend, tendEveryMs)
	timer.unref()
	return { stop: () => clearInterval(timer) }
}

/** Idempotent, so that every node may do it. */
async function tendOnce({ signingKeys, mutate, audit }: Context): Promise<void> {
	if (signingKeys.all.length < 2 && !signingKeys.isDue()) return
	await mutate(async (tx) => {
		await lockNumbering(tx)
		if (signingKeys.isDue() && (await isStillNewest(tx, signingKeys.all[0]?.id))) {
			const id = await signingKeys.rotate(tx, false)
			const target = { kind: 'signing_key', id, name: id }
			const actor = systemActor('rotation after 90 days')
			await audit.record(tx, { workspaceId: '', actor, action, target })
		}
		await signingKeys.deleteEnded(tx)
	})
}

/** Another node may have rotated first. */
async function isStillNewest(tx: DatabaseTransaction, id: string | undefined): Promise<boolean> {
	const [newest] = await listSigningKeys(tx)
	return newest?.id === id
}
