import type { Sealer } from '../platform/crypto/seal.ts'
import type { ControlStore } from '../platform/database/index.ts'
import { chainLink } from './chain.ts'
import { type ChainHead, listChain, listChainedWorkspaces } from './repository.ts'

const batchRows = 1000

export interface AuditVerdict {
	intact: boolean
	/** Records that were checked. */
	records: number
	/**
	 * The newest link of every chain. Records cut off the end leave a valid shorter chain: compare with heads kept
	 * elsewhere to see that.
	 */
	heads: { workspaceId: string; seq: number; chain: string }[]
	/** The first record of a workspace that was changed, removed or put in. */
	bad: { workspaceId: string; seq: number; id: string | null; reason: string } | null
}

/** Recomputes every workspace's chain of audit records; stops at the first one that does not hold. */
export async function verifyAudit(store: ControlStore, sealer: Sealer): Promise<AuditVerdict> {
	const verdict: AuditVerdict = { intact: true, records: 0, heads: [], bad: null }
	for (const workspaceId of await listChainedWorkspaces(store.db)) {
		const head = await verifyChain(store, sealer, workspaceId, verdict)
		if (verdict.bad) break
		verdict.heads.push({ workspaceId, ...head })
	}
	return verdict
}

async function verifyChain(
	store: ControlStore,
	sealer: Sealer,
	workspaceId: string,
	verdict: AuditVerdict,
): Promise<ChainHead> {
	let head: ChainHead = { seq: 0, chain: '' }
	for (;;) {
		const rows = await listChain(store.db, workspaceId, head.seq, batchRows)
		for (const row of rows) {
			const reason = reasonAgainst(sealer, row, head)
			if (reason) {
				Object.assign(verdict, {
					intact: false,
					bad: { workspaceId, seq: reason.seq, id: reason.id, reason: reason.text },
				})
				return head
			}
			head = { seq: row.seq, chain: row.chain }
			verdict.records += 1
		}
		if (rows.length < batchRows) return head
	}
}

function reasonAgainst(
	sealer: Sealer,
	row: Parameters<typeof chainLink>[1] & { chain: string },
	head: ChainHead,
) {
	if (row.seq !== head.seq + 1) return { seq: head.seq + 1, id: null, text: 'is missing' }
	if (row.chain !== chainLink(sealer, row, head.chain))
		return { seq: row.seq, id: row.id, text: 'was changed' }
	return null
}
