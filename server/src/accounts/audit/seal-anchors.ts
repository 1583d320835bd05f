import { lockNumbering } from '../../platform/changes.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/index.ts'
import { anchorMac, totalsMac } from './anchors.ts'
import { findTotals, listUnsealed, saveAnchor, saveTotals } from './anchors-repository.ts'

/**
 * Seals the ends of chains that are older than anchors. It can happen once in the life of a store, and `note` leaves a
 * record of it: whoever empties the MACs to hide a cut end cannot do so without one more such record.
 */
export async function sealAnchors(
	store: ControlStore,
	sealer: Sealer,
	note: (tx: DatabaseTransaction, sealed: { chains: number; records: number }) => Promise<void>,
): Promise<void> {
	await store.db.transaction().execute(async (tx) => {
		await lockNumbering(tx)
		const anchors = await listUnsealed(tx)
		const totals = await findTotals(tx)
		if (anchors.length === 0 && totals?.mac !== '') return
		for (const anchor of anchors) await saveAnchor(tx, { ...anchor, mac: anchorMac(sealer, anchor) })
		if (totals?.mac === '') await saveTotals(tx, { ...totals, mac: totalsMac(sealer, totals) })
		await note(tx, { chains: anchors.length, records: anchors.reduce((sum, { seq }) => sum + seq, 0) })
	})
}
