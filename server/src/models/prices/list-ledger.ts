import type { ledgerOperations, OutputOf, QueryOf } from '@signalbox/contract'
import { presentMoney } from '../../ledger/index.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { createCursors } from '../../platform/paging.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { type LedgerPlace, listLedger, type StoredLedgerRow, sumLedger } from './ledger-repository.ts'

type List = (typeof ledgerOperations)['list']
type Row = OutputOf<List>['ledger'][number]

export interface LedgerDependencies {
	telemetry: Pick<TelemetryStore, 'query'>
	sealer: Sealer
	clock: Clock
}

/** A page of the ledger with the sums of the whole range. */
export async function readLedger(
	{ telemetry, sealer, clock }: LedgerDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...filter }: QueryOf<List>,
): Promise<OutputOf<List>> {
	const cursors = createCursors(sealer, 'ledger_cursor')
	const position = cursor === undefined ? null : parsePosition(cursors.open(workspaceId, cursor))
	const asked = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
	const range = position?.range ?? readTimeRange(asked, clock.nowMs())
	const page = { after: position?.after ?? null, limit: limit + 1 }
	const [rows, sums] = await Promise.all([
		listLedger(telemetry, workspaceId, range, filter, page),
		sumLedger(telemetry, workspaceId, range, filter),
	])
	const last = rows.length > limit ? rows[limit - 1] : undefined
	return {
		ledger: rows.slice(0, limit).map(presentRow),
		sums: {
			rows: Number(sums.line_count),
			...presentMoney('cost', sums.cost_sum),
			unpriced_rows: Number(sums.unpriced),
		},
		next_cursor: last ? cursors.seal(workspaceId, positionOf(last, range)) : null,
	}
}

/** `-24h` must not move from page to page, so the range is in the cursor. */
function positionOf({ start_ns, trace, span, line }: StoredLedgerRow, { startMs, endMs }: TimeRange): string {
	return [start_ns, trace, span, line, startMs, endMs].join(' ')
}

function parsePosition(text: string): { after: LedgerPlace; range: TimeRange } {
	const [startNs = '', trace = '', span = '', line = '', startMs, endMs] = text.split(' ')
	return { after: [startNs, trace, span, line], range: { startMs: Number(startMs), endMs: Number(endMs) } }
}

function presentRow(row: StoredLedgerRow): Row {
	return {
		started_at: toIso(Number(BigInt(row.start_ns) / 1_000_000n)),
		trace_id: row.trace,
		span_id: row.span,
		line: Number(row.line),
		agent_uuid: row.agent_id || null,
		key_id: row.credential_id || null,
		session_id: row.session_id || null,
		user_id: row.user_id || null,
		connection: row.connection,
		provider: row.provider,
		model: row.billed_model,
		dimension: row.dimension,
		quantity: Number(row.quantity),
		iteration: row.iteration,
		nano_usd_per_million: row.rate,
		factor: row.factor,
		...presentMoney('cost', row.cost),
		price: row.price || null,
	}
}
