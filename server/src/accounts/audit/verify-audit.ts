import { setImmediate as turn } from 'node:timers/promises'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/database.ts'
import {
	type Anchor,
	findAnchor,
	findNewest,
	findTotals,
	hasAnchors,
	listAnchors,
	saveAnchor,
	saveTotals,
	type Totals,
} from './anchors-repository.ts'
import { type AuditRow, listChain, listChainedWorkspaces } from './audit-repository.ts'

/** Small enough not to block the event loop. */
const batchRows = 250

export interface BadRecord {
	workspaceId: string
	/** 0 if no single record is invalid, but the totals of all chains are. */
	seq: number
	id: string | null
	reason: string
}

export interface AuditReport {
	intact: boolean
	/** Number of checked records. */
	records: number
	/** The newest link of every chain. Copies stored elsewhere even reveal that the whole store was replaced by an older copy. */
	heads: { workspaceId: string; seq: number; chain: string }[]
	/** The first record that was changed, removed, moved or inserted. */
	bad: BadRecord | null
}

export interface ChainReport {
	records: number
	head: { seq: number; chain: string }
	bad: BadRecord | null
}

/** Recomputes every chain of audit records and compares it with its anchor; stops at the first mismatch. */
export async function verifyAudit(store: ControlStore, sealer: Sealer): Promise<AuditReport> {
	const { anchors, totals } = await listAnchors(store.db)
	const anchored = new Map(anchors.map((anchor) => [anchor.workspace_id, anchor]))
	const chained = await listChainedWorkspaces(store.db)
	const report: AuditReport = { intact: true, records: 0, heads: [], bad: null }
	for (const workspaceId of [...new Set([...anchored.keys(), ...chained])].sort()) {
		const chain = await verifyChain(store, sealer, workspaceId, anchored.get(workspaceId))
		report.records += chain.records
		report.heads.push({ workspaceId, ...chain.head })
		report.bad ??= chain.bad
		if (report.bad) break
	}
	report.bad ??= faultOfTotals(sealer, anchors, totals)
	return { ...report, intact: report.bad === null }
}

/** The same for one workspace; its anchor is read if none is given. */
export async function verifyChain(
	store: ControlStore,
	sealer: Sealer,
	workspaceId: string,
	given?: Anchor,
): Promise<ChainReport> {
	let anchor = given ?? (await findAnchor(store.db, workspaceId))
	const walk = new Walk(sealer, workspaceId, anchor)
	for (;;) {
		if (!(await walkOn(store, workspaceId, walk))) return walk.report()
		// Records written meanwhile are beyond the anchor that was read first, but not beyond one that is read now.
		if (walk.head.seq <= (anchor?.seq ?? 0)) break
		anchor = await findAnchor(store.db, workspaceId)
		if (!anchor || anchor.seq <= walk.head.seq) break
	}
	walk.end(anchor)
	return walk.report()
}

/** Verifies up to the current end of the chain; false if a record is invalid. */
async function walkOn(store: ControlStore, workspaceId: string, walk: Walk): Promise<boolean> {
	for (;;) {
		const rows = await listChain(store.db, workspaceId, walk.head.seq, batchRows)
		for (const row of rows) if (!walk.take(row)) return false
		if (rows.length < batchRows) return true
		await turn()
	}
}

/** Verifies one chain, link by link. */
class Walk {
	readonly #sealer: Sealer
	readonly #workspaceId: string
	readonly #anchor: Anchor | undefined
	#bad: BadRecord | null = null
	head = { seq: 0, chain: '' }

	constructor(sealer: Sealer, workspaceId: string, anchor: Anchor | undefined) {
		this.#sealer = sealer
		this.#workspaceId = workspaceId
		this.#anchor = anchor
	}

	/** Whether the record is valid. */
	take(row: AuditRow): boolean {
		const { seq, chain } = this.head
		if (row.seq !== seq + 1) this.#accuse(seq + 1, null, 'is missing')
		else if (row.chain !== chainLink(this.#sealer, row, chain)) this.#accuse(row.seq, row.id, 'was changed')
		else if (row.seq === this.#anchor?.seq && row.chain !== this.#anchor.chain)
			this.#accuse(row.seq, row.id, 'is not the one that its anchor names')
		else this.head = { seq: row.seq, chain: row.chain }
		return this.#bad === null
	}

	/** Compares the end of the chain with its anchor. */
	end(anchor: Anchor | undefined): void {
		const { seq } = this.head
		if (!anchor) {
			if (seq > 0) this.#accuse(seq, null, 'has lost its anchor')
		} else if (anchor.seq > seq) this.#accuse(seq + 1, null, 'is missing')
		else if (anchor.seq < seq) this.#accuse(anchor.seq + 1, null, 'lies behind the anchor')
		else if (anchor.mac !== anchorMac(this.#sealer, anchor))
			this.#accuse(seq, null, anchor.mac === '' ? 'has an unsealed anchor' : 'has an anchor that was changed')
	}

	report(): ChainReport {
		return { records: this.head.seq, head: this.head, bad: this.#bad }
	}

	#accuse(seq: number, id: string | null, reason: string): void {
		this.#bad ??= { workspaceId: this.#workspaceId, seq, id, reason }
	}
}

/** The totals reveal a chain that was deleted together with its anchor. */
function faultOfTotals(
	sealer: Sealer,
	anchors: readonly Anchor[],
	totals: Totals | undefined,
): BadRecord | null {
	const fault = (reason: string): BadRecord => ({ workspaceId: '', seq: 0, id: null, reason })
	if (!totals) return anchors.length === 0 ? null : fault('the counts of all chains are missing')
	if (totals.mac !== totalsMac(sealer, totals)) return fault('the counts of all chains were changed')
	const records = anchors.reduce((sum, { seq }) => sum + seq, 0)
	if (anchors.length === totals.chains && records === totals.records) return null
	return fault(
		`${totals.chains} chains with ${totals.records} records were written, ${anchors.length} with ${records} are left`,
	)
}

/**
 * The link of a record: an HMAC over all its fields and the previous link ('' for the first), so that no change goes undetected.
 */
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

/** The newest link of a chain, and whether its anchor proves that the chain was not truncated. */
interface ChainHead {
	seq: number
	chain: string
	/** `unsealed`: from before anchors were kept. `broken`: the anchor or the log was tampered with. */
	state: 'sealed' | 'unsealed' | 'broken'
}

/** Replaces the MAC of an anchor that the program can no longer confirm. */
const brokenMac = 'broken'

export function anchorMac(sealer: Sealer, { workspace_id, seq, chain }: Omit<Anchor, 'mac'>): string {
	return sealer.mac('audit-head', JSON.stringify([workspace_id, seq, chain]))
}

export function totalsMac(sealer: Sealer, { chains, records }: Pick<Totals, 'chains' | 'records'>): string {
	return sealer.mac('audit-totals', JSON.stringify([chains, records]))
}

/** Where the next record is appended. Appending does not repair a broken anchor: verification keeps reporting the chain. */
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

/** Advances the anchors to a new record, in its transaction. */
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
