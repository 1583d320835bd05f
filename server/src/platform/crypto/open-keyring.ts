import type { Clock } from '../clock.ts'
import type { ControlStore } from '../database/database.ts'
import type { MasterKeys } from './master-key-file.ts'
import { createKeyring, createSealer, type Keyring, macRootOf } from './seal.ts'
import { sealedColumns } from './sealed-columns.ts'

const macRootId = 'mac-root'
const context = { workspaceId: '', kind: 'instance_key', origin: '', id: macRootId }
const wrongKey =
	'The master key is not the one of this store. Give back the right one: master.key of the data directory, or SIGNALBOX_MASTER_KEY.'

/**
 * The sealer of a store. The keys of `mac` are derived from the store's first master key; that root is kept sealed, so that audit
 * chains and sessions survive a rotation. Throws one readable sentence when the key does not belong to this store.
 */
export async function openKeyring(store: ControlStore, keys: MasterKeys, clock: Clock): Promise<Keyring> {
	const ring = createKeyring(keys.previous ? [keys.newest, keys.previous] : [keys.newest])
	const sealed = (await readMacRoot(store)) ?? (await keepMacRoot(store, ring, keys, clock))
	ring.useMacRoot(Buffer.from(openMacRoot(ring, sealed), 'hex'))
	return ring
}

/** Checks, without changing anything, that the keys belong to this store; throws the readable sentence if not. */
export async function checkMasterKeys(store: ControlStore, keys: MasterKeys): Promise<void> {
	const sealed = await readMacRoot(store)
	const ring = createKeyring(keys.previous ? [keys.newest, keys.previous] : [keys.newest])
	if (sealed !== null) openMacRoot(ring, sealed)
	else await refuseForeign(store, keys.previous ?? keys.newest)
}

function openMacRoot(ring: Keyring, sealed: string): string {
	try {
		return ring.open(sealed, context)
	} catch {
		throw new Error(wrongKey)
	}
}

async function readMacRoot({ db }: ControlStore): Promise<string | null> {
	const row = await db
		.selectFrom('instance_keys')
		.select('sealed_value')
		.where('id', '=', macRootId)
		.executeTakeFirst()
	return row?.sealed_value ?? null
}

/** A store from before this table was sealed by the oldest of the keys, if by any of them. */
async function keepMacRoot(
	store: ControlStore,
	ring: Keyring,
	{ newest, previous }: MasterKeys,
	clock: Clock,
): Promise<string> {
	const first = previous ?? newest
	await refuseForeign(store, first)
	const sealed_value = ring.seal(macRootOf(first).toString('hex'), context)
	await store.db
		.insertInto('instance_keys')
		.values({ id: macRootId, sealed_value, created_at: clock.nowMs() })
		.onConflict((conflict) => conflict.doNothing())
		.execute()
	return (await readMacRoot(store)) ?? sealed_value
}

async function refuseForeign({ db }: ControlStore, key: Buffer): Promise<void> {
	const row = await db.selectFrom('signing_keys').selectAll().limit(1).executeTakeFirst()
	const binding = sealedColumns.find(({ table }) => table === 'signing_keys')
	if (!row || !binding) return
	try {
		createSealer(key).open(row.sealed_private_jwk, binding.contextOf(row as never))
	} catch {
		throw new Error(wrongKey)
	}
}
