import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlSchema, DatabaseTransaction } from '../../platform/database/index.ts'
import {
	type Anchor,
	findAnchor,
	findNewest,
	findTotals,
	hasAnchors,
	saveAnchor,
	saveTotals,
	type Totals,
} from './anchors-repository.ts'

export type AuditRow = ControlSchema['audit_log']

/** The link of a record: an HMAC over all its fields and the link before it ('' for the first), so none can change unseen. */
export function chainLink(sealer: Sealer, row: Omit<AuditRow, 'chain'>, previous: string): string {
	return sealer.mac(
		'audit',
		JSON.stringify([
			previous,
			row.workspace_id,
			row.seq,
			row.id,
			row.at,
			[row.actor_kind, row.actor_id, row.actor_name],
			row.action,
			[row.target_kind, row.target_id, row.target_name],
			row.detail,
			row.request_id,
		]),
	)
}

/** The newest link of a chain, and whether its anchor proves that nothing was cut off behind it. */
interface ChainHead {
	seq: number
	chain: string
	/** `unsealed`: from before anchors were kept. `broken`: somebody has changed the anchor or the log. */
	state: 'sealed' | 'unsealed' | 'broken'
}

/** What an anchor holds that the program no longer vouches for. */
const brokenMac = 'broken'

export function anchorMac(sealer: Sealer, { workspace_id, seq, chain }: Omit<Anchor, 'mac'>): string {
	return sealer.mac('audit-head', JSON.stringify([workspace_id, seq, chain]))
}

export function totalsMac(sealer: Sealer, { chains, records }: Pick<Totals, 'chains' | 'records'>): string {
	return sealer.mac('audit-totals', JSON.stringify([chains, records]))
}

/** Where the next record goes. A broken anchor is not mended by going on: verification keeps naming the chain. */
export async function readHead(
	tx: DatabaseTransaction,
	sealer: Sealer,
	workspaceId: string,
): Promise<ChainHead> {
	const anchor = await findAnchor(tx, workspaceId)
	const newest = await findNewest(tx, workspaceId)
	if (!anchor) return newest ? { ...newest, state: 'broken' } : { seq: 0, chain: '', state: 'sealed' }
	const { seq, chain } = anchor
	if (newest && newest.seq > seq) return { ...newest, state: 'broken' }
	return { seq, chain, state: stateOf(anchor.mac, anchorMac(sealer, anchor)) }
}

/** Moves the anchors on to a new record, in its transaction. */
export async function anchorRecord(
	tx: DatabaseTransaction,
	sealer: Sealer,
	record: Pick<AuditRow, 'workspace_id' | 'seq' | 'chain'>,
	before: ChainHead,
): Promise<void> {
	const { workspace_id, seq, chain } = record
	const isNew = before.seq === 0
	const anchor = { workspace_id, seq, chain }
	const { state, ...totals } = await nextTotals(tx, sealer, isNew)
	await saveAnchor(tx, { ...anchor, mac: macFor(before.state, anchorMac(sealer, anchor)) })
	await saveTotals(tx, { id: 'all', ...totals, mac: macFor(state, totalsMac(sealer, totals)) })
}

async function nextTotals(tx: DatabaseTransaction, sealer: Sealer, isNewChain: boolean) {
	const found = await findTotals(tx)
	const added = isNewChain ? 1 : 0
	if (found) {
		const state = stateOf(found.mac, totalsMac(sealer, found))
		return { chains: found.chains + added, records: found.records + 1, state }
	}
	const state: ChainHead['state'] = isNewChain && !(await hasAnchors(tx)) ? 'sealed' : 'broken'
	return { chains: added, records: 1, state }
}

function stateOf(mac: string, expected: string): ChainHead['state'] {
	if (mac === '') return 'unsealed'
	return mac === expected ? 'sealed' : 'broken'
}

function macFor(state: ChainHead['state'], mac: string): string {
	if (state === 'sealed') return mac
	return state === 'unsealed' ? '' : brokenMac
}
