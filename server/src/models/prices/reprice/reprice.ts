import type { BodyOf, ledgerOperations, OutputOf } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import type { PriceCall } from '../../../ledger/index.ts'
import { toIso } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import type { Change, PriceContext } from '../change-prices.ts'
import { differs, priceAnew, versionOf } from './price-anew.ts'
import {
	type CallsToPrice,
	countCalls,
	type LedgerStore,
	listCalls,
	type StoredCall,
	writeVersions,
} from './repository.ts'
import { RepricingSums } from './repricing-sums.ts'

type Reprice = (typeof ledgerOperations)['reprice']

export interface RepriceContext extends PriceContext {
	telemetry: LedgerStore
	priceCall: PriceCall
}

/** What a request may take, and what one statement writes. */
const mostCalls = 100_000
const pageSize = 2000

/**
 * Prices recorded calls anew, or tells what that would change. The record of it comes before the first change: work that is
 * cut off is in the audit log, and is done again by asking again.
 */
export async function reprice(
	context: RepriceContext,
	by: Change,
	{ models, own_prices: ownPrices = 'now', dry_run: dryRun = true, ...asked }: BodyOf<Reprice>,
): Promise<OutputOf<Reprice>> {
	const nowMs = context.clock.nowMs()
	const range = readTimeRange(asked, nowMs)
	const calls = { workspaceId: by.principal.workspaceId, range, models: models ?? null }
	const found = await countCalls(context.telemetry, calls)
	if (found > mostCalls)
		throw new Problem(
			'conflict',
			`The range has ${found} calls, and at most ${mostCalls} are priced at once.`,
		)
	const ownAtMs = ownPrices === 'now' ? nowMs : null
	const revision = dryRun ? null : newId(nowMs)
	const shown = { start: toIso(range.startMs), end: toIso(range.endMs) }
	if (revision !== null) await note(context, by, revision, { ...shown, models, own_prices: ownPrices })
	return { revision, ...shown, ...(await priceAll(context, calls, ownAtMs, revision)) }
}

async function priceAll(
	{ telemetry, priceCall }: RepriceContext,
	calls: CallsToPrice,
	ownAtMs: number | null,
	revision: string | null,
): Promise<RepricingSums['told']> {
	const sums = new RepricingSums()
	const { workspaceId } = calls
	let page = await listCalls(telemetry, calls, null, pageSize)
	for (let part = 0; page.length > 0; part += 1) {
		const versions: string[] = []
		for (const call of page) {
			const priced = priceAnew(priceCall, workspaceId, call, ownAtMs)
			const changed = differs(call, priced)
			sums.add(call, priced, changed)
			if (changed) versions.push(versionOf(call, priced))
		}
		const rows = `[${versions.join(',')}]`
		if (revision !== null && versions.length > 0)
			await writeVersions(telemetry, { workspaceId, range: rangeOf(page), revision, part, rows })
		page = await listCalls(telemetry, calls, page.at(-1) ?? null, pageSize)
	}
	return sums.told
}

/** Of calls in the order of their start. */
function rangeOf(page: readonly StoredCall[]): TimeRange {
	const startMs = (call?: StoredCall) => Number(BigInt(call?.start_ns ?? 0) / 1_000_000n)
	return { startMs: startMs(page[0]), endMs: startMs(page.at(-1)) + 1 }
}

async function note(
	{ mutate, audit }: RepriceContext,
	by: Change,
	revision: string,
	detail: Record<string, unknown>,
): Promise<void> {
	await mutate((tx) =>
		audit.record(tx, {
			workspaceId: by.principal.workspaceId,
			actor: actorOf(by.principal),
			action: 'ledger.reprice',
			target: { kind: 'ledger_revision', id: revision, name: revision },
			detail,
			requestId: by.requestId,
		}),
	)
}
