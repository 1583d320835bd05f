import { lockNumbering } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/index.ts'
import type { Problem } from '../../platform/errors.ts'
import type { BoundOperation, Principal, Route } from '../../platform/http/index.ts'
import { type Log, silentLog } from '../../platform/log.ts'
import { anchorMac, totalsMac } from './anchors.ts'
import { findTotals, listUnsealed, saveAnchor, saveTotals } from './anchors-repository.ts'
import { type Actor, type AuditEntry, appendRecord } from './append-record.ts'
import { auditRoutes, exportRoute } from './audit-routes.ts'
import { DenialCounter, denialRoutes } from './denials/denial-counter.ts'

export interface Audit {
	operations: BoundOperation[]
	/** The export. */
	routes: Route[]
	/** Appends a record to the workspace's chain, in the transaction of the change that it tells of. */
	record(tx: DatabaseTransaction, entry: AuditEntry): Promise<void>
	/** Appends a refused management call, in a transaction of its own; denials of the data plane are telemetry. */
	recordDenial(denial: Denial): Promise<void>
	/** Counts a refusal of somebody unknown; other problems than 401, 403 and 429 are none. */
	countDenial(clientAddress: string, problem: Problem): void
	/** Before the first record of a start: seals the ends of chains that are older than anchors. */
	start(): Promise<void>
	/** Writes what was counted. */
	close(): Promise<void>
}

export interface Denial {
	principal: Principal
	/** The operation that was refused. */
	routeId: string
	problem: Problem
	requestId: string
}

export interface AuditDependencies {
	store: ControlStore
	sealer: Sealer
	clock: Clock
	log?: Log
}

/** For records that belong to no workspace. */
const instance = { workspaceId: '', actor: systemActor('Signalbox') }

const deniedStatuses: ReadonlySet<number> = new Set([401, 403, 429])

export function openAudit({ store, sealer, clock, log = silentLog }: AuditDependencies): Audit {
	const denials = new DenialCounter({ store, clock, log })
	const record: Audit['record'] = (tx, entry) => appendRecord(tx, entry, sealer, clock)
	return {
		operations: [...auditRoutes({ store, sealer, clock }), ...denialRoutes(store, sealer, denials)],
		routes: [exportRoute({ store, clock })],
		record,
		recordDenial: async ({ principal, routeId, problem, requestId }) => {
			const { workspaceId } = principal
			const detail = { operation: routeId, reason: problem.message }
			// What had been sent was not refused: it may have taken effect.
			const action = problem.code === 'call_cut' ? 'cut' : 'denied'
			const entry = { workspaceId, actor: actorOf(principal), action, detail, requestId }
			await store.db.transaction().execute((tx) => record(tx, entry))
		},
		countDenial: (clientAddress, problem) => {
			if (deniedStatuses.has(problem.status)) denials.note(clientAddress, problem.code)
		},
		start: () =>
			sealAnchors(store, sealer, (tx, detail) => record(tx, { ...instance, action: 'audit.seal', detail })),
		close: () => denials.close(),
	}
}

export function actorOf(principal: Principal): Actor {
	if (principal.kind === 'user') return { kind: 'user', id: principal.userId, name: principal.email }
	return { kind: principal.kind, id: principal.keyId, name: principal.name }
}

/** The program or its command line; `name` says which. */
export function systemActor(name: string): Actor {
	return { kind: 'system', id: null, name }
}

/**
 * Seals the ends of chains that are older than anchors. It can happen once in the life of a store, and `note` leaves a
 * record of it: whoever empties the MACs to hide a cut end cannot do so without one more such record.
 */
async function sealAnchors(
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
