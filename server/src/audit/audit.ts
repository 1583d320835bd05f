import { lockNumbering } from '../platform/changes.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../platform/database/index.ts'
import type { Problem } from '../platform/errors.ts'
import type { BoundOperation, Principal } from '../platform/http/index.ts'
import { newId } from '../platform/ids.ts'
import { type Log, redactText, silentLog } from '../platform/log.ts'
import { type Actor, actorOf } from './actor.ts'
import { chainLink } from './chain.ts'
import { DenialCounter } from './denials/denial-counter.ts'
import { denialRoutes } from './denials/routes.ts'
import { findHead, insertRecord } from './repository.ts'
import { auditRoutes } from './routes.ts'

export interface AuditEntry {
	workspaceId: string
	actor: Actor
	/** `area.verb`, as in `agents.create`. */
	action: string
	target?: { kind: string; id: string; name: string } | null
	/** What changed. Never a secret. */
	detail?: Record<string, unknown>
	requestId?: string | null
}

export interface Audit {
	operations: BoundOperation[]
	/** Appends a record to the workspace's chain, in the transaction of the change that it tells of. */
	record(tx: DatabaseTransaction, entry: AuditEntry): Promise<void>
	/** Appends a refused management call, in a transaction of its own; denials of the data plane are telemetry. */
	recordDenial(denial: Denial): Promise<void>
	/** Counts a refusal of somebody unknown; other problems than 401, 403 and 429 are none. */
	countDenial(clientAddress: string, problem: Problem): void
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

const deniedStatuses: ReadonlySet<number> = new Set([401, 403, 429])

export function openAudit({ store, sealer, clock, log = silentLog }: AuditDependencies): Audit {
	const denials = new DenialCounter({ store, clock, log })
	const record: Audit['record'] = (tx, entry) => appendRecord(tx, entry, sealer, clock)
	return {
		operations: [...auditRoutes(store, sealer), ...denialRoutes(store, sealer, denials)],
		record,
		recordDenial: async ({ principal, routeId, problem, requestId }) => {
			const { workspaceId } = principal
			const detail = { operation: routeId, reason: problem.message }
			const entry = { workspaceId, actor: actorOf(principal), action: 'denied', detail, requestId }
			await store.db.transaction().execute((tx) => record(tx, entry))
		},
		countDenial: (clientAddress, problem) => {
			if (deniedStatuses.has(problem.status)) denials.note(clientAddress, problem.code)
		},
		close: () => denials.close(),
	}
}

async function appendRecord(
	tx: DatabaseTransaction,
	entry: AuditEntry,
	sealer: Sealer,
	clock: Clock,
): Promise<void> {
	await lockNumbering(tx)
	const head = await findHead(tx, entry.workspaceId)
	const row = {
		workspace_id: entry.workspaceId,
		seq: head.seq + 1,
		id: newId(clock.nowMs()),
		at: clock.nowMs(),
		actor_kind: entry.actor.kind,
		actor_id: entry.actor.id,
		actor_name: entry.actor.name,
		action: entry.action,
		target_kind: entry.target?.kind ?? null,
		target_id: entry.target?.id ?? null,
		target_name: entry.target?.name ?? null,
		detail: JSON.stringify(entry.detail ?? {}, redactValue),
		request_id: entry.requestId ?? null,
	}
	await insertRecord(tx, { ...row, chain: chainLink(sealer, row, head.chain) })
}

function redactValue(_name: string, value: unknown): unknown {
	return typeof value === 'string' ? redactText(value) : value
}
