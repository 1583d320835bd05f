import { setTimeout as sleep } from 'node:timers/promises'
import type { BodyOf, ledgerOperations, OutputOf } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/audit.ts'
import { type Dimension, type PriceCall, type PricedCall, presentMoney } from '../../../ledger/ledger.ts'
import { startTimer, toIso } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { Jobs } from '../../../platform/jobs/job.ts'
import { readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import { isShipped, type NewestSource, type RecorderStats } from '../../../telemetry/index.ts'
import { vendorAndKind } from '../../vendor.ts'
import type { PriceContext } from '../change-prices.ts'
import { listVendorFields } from '../price-repository.ts'
import {
	type CallsToPrice,
	countCalls,
	type LedgerStore,
	listCalls,
	type StoredCall,
	writeVersions,
} from './reprice-repository.ts'

type Repricing = OutputOf<(typeof ledgerOperations)['reprice']>
type RepriceTotals = Omit<Repricing['models'][number], 'provider' | 'model'>

class Sums {
	#calls = 0
	#changed = 0
	#before = 0n
	#after = 0n
	#unpricedBefore = 0
	#unpricedAfter = 0

	add({ cost }: StoredCall, { costNanoUsd }: PricedCall, changed: boolean): void {
		this.#calls += 1
		if (changed) this.#changed += 1
		if (cost === null) this.#unpricedBefore += 1
		else this.#before += BigInt(cost)
		if (costNanoUsd === null) this.#unpricedAfter += 1
		else this.#after += costNanoUsd
	}

	get totals(): RepriceTotals {
		return {
			calls: this.#calls,
			changed: this.#changed,
			...presentMoney('cost_before', this.#before),
			...presentMoney('cost_after', this.#after),
			unpriced_before: this.#unpricedBefore,
			unpriced_after: this.#unpricedAfter,
		}
	}
}

/** The sums of a repricing, in total and by model. */
class RepricingSums {
	readonly #all = new Sums()
	readonly #byModel = new Map<string, { provider: string; model: string; sums: Sums }>()

	add(call: StoredCall, priced: PricedCall, changed: boolean): void {
		const { provider, model } = call
		const key = `${provider} ${model}`
		const found = this.#byModel.get(key) ?? { provider, model, sums: new Sums() }
		this.#byModel.set(key, found)
		for (const sums of [this.#all, found.sums]) sums.add(call, priced, changed)
	}

	get totals(): RepriceTotals & Pick<Repricing, 'models'> {
		const models = [...this.#byModel.values()].map(({ sums, ...names }) => ({ ...names, ...sums.totals }))
		return { ...this.#all.totals, models: models.sort((a, b) => b.changed - a.changed || b.calls - a.calls) }
	}
}

type Reprice = (typeof ledgerOperations)['reprice']

export interface RepriceContext extends PriceContext {
	telemetry: LedgerStore
	priceCall: PriceCall
	/** Of two at once, the one with older prices could overwrite what the other one wrote. */
	jobs: Pick<Jobs, 'alone' | 'handle'>
	/** The log, and what the logs of all processes hold. */
	recorder?: Pick<NewestSource, 'storeSoon' | 'watched'>
	statsOfAll?(): Promise<RecorderStats>
}

/** The longest wait for calls that only the log has. Usually the store takes them within a second. */
const storedWithinMs = 10_000

/** The most calls in one request, and in one statement. */
const maxCalls = 100_000
const pageSize = 2000

/**
 * Reprices recorded calls, or computes what that would change. Its audit record is written before the first change, so
 * interrupted work is in the audit log; it is completed by repeating the request.
 */
export async function reprice(
	context: RepriceContext,
	request: RequestContext,
	{ models, own_prices: ownPrices = 'now', dry_run: dryRun = true, ...asked }: BodyOf<Reprice>,
): Promise<OutputOf<Reprice>> {
	const nowMs = context.clock.nowMs()
	const range = readTimeRange(asked, nowMs)
	const calls = { workspaceId: principalIn(request).workspaceId, range, models: models ?? null }
	const found = await countCalls(context.telemetry, calls)
	if (found > maxCalls)
		throw new Problem('conflict', `The range has ${found} calls, and at most ${maxCalls} are priced at once.`)
	const ownAtMs = ownPrices === 'now' ? nowMs : null
	const shown = { start: toIso(range.startMs), end: toIso(range.endMs) }
	if (dryRun) return { revision: null, ...shown, ...(await priceAll(context, calls, ownAtMs, null)) }
	const { workspaceId } = calls
	const done = await context.jobs.alone({ ...leaseOf, workspaceId, key: workspaceId }, async (signal) => {
		const revision = newId(nowMs)
		await note(context, request, revision, { ...shown, models, own_prices: ownPrices })
		await untilStored(context, nowMs)
		return { revision, ...shown, ...(await priceAll(context, calls, ownAtMs, { revision, signal })) }
	})
	if (done) return done
	throw new Problem('conflict', 'Another repricing is running. Wait until it has ended.')
}

const leaseOf = { kind: 'ledger-reprice' }

/** What a kill left of a lease is deleted like a job that is done. */
export function openRepricing({ jobs }: Pick<RepriceContext, 'jobs'>): void {
	jobs.handle(leaseOf.kind, async () => {})
}

/** Calls that only the log has when their range is priced would keep their price. */
async function untilStored({ clock, recorder, statsOfAll }: RepriceContext, atMs: number): Promise<void> {
	const waitedMs = startTimer()
	while (statsOfAll && waitedMs() < storedWithinMs) {
		if (await isShipped({ stats: statsOfAll }, clock, atMs).catch(() => false)) return
		recorder?.storeSoon()
		await sleep(50)
	}
}

async function priceAll(
	{ store, telemetry, priceCall }: RepriceContext,
	calls: CallsToPrice,
	ownAtMs: number | null,
	writes: { revision: string; signal: AbortSignal } | null,
): Promise<RepricingSums['totals']> {
	const sums = new RepricingSums()
	const { workspaceId } = calls
	const connections = new Map(
		(await listVendorFields(store.db, workspaceId)).map((connection) => [connection.name, connection]),
	)
	let page = await listCalls(telemetry, calls, null, pageSize)
	for (let part = 0; page.length > 0; part += 1) {
		const versions: string[] = []
		for (const call of page) {
			const { provider, connection_kind: kind } = call
			const whose =
				kind === '' ? vendorAndKind(provider, connections.get(call.connection)) : { provider, kind }
			const priced = priceAnew(priceCall, { workspaceId, ...whose }, call, ownAtMs)
			const changed = differs(call, priced)
			sums.add(call, priced, changed)
			if (changed) versions.push(versionOf(call, priced))
		}
		const rows = `[${versions.join(',')}]`
		if (writes?.signal.aborted) throw interrupted()
		if (writes && versions.length > 0)
			await writeVersions(telemetry, {
				...{ workspaceId, range: rangeOf(page), revision: writes.revision, part, rows },
			})
		page = await listCalls(telemetry, calls, page.at(-1) ?? null, pageSize)
	}
	return sums.totals
}

/** The program stops, or has lost its lease. */
function interrupted(): Problem {
	return new Problem('conflict', 'The repricing was interrupted. Send the request again.')
}

/** The range of calls ordered by start. */
function rangeOf(page: readonly StoredCall[]): TimeRange {
	const startMs = (call?: StoredCall) => Number(BigInt(call?.start_ns ?? 0) / 1_000_000n)
	return { startMs: startMs(page[0]), endMs: startMs(page.at(-1)) + 1 }
}

async function note(
	{ mutate, audit }: RepriceContext,
	request: RequestContext,
	revision: string,
	detail: Record<string, unknown>,
): Promise<void> {
	await mutate((tx) =>
		audit.record(tx, {
			workspaceId: principalIn(request).workspaceId,
			actor: actorOf(principalIn(request)),
			action: 'ledger.reprice',
			target: { kind: 'ledger_revision', id: revision, name: revision },
			detail,
			requestId: request.requestId,
		}),
	)
}

/** The price of a recorded call as of now. `ownAtMs`: see `CallTerms`. */
function priceAnew(
	priceCall: PriceCall,
	whose: { workspaceId: string; provider: string; kind: string },
	call: StoredCall,
	ownAtMs: number | null,
): PricedCall {
	const { model, connection, service_tier: serviceTier, speed, geo } = call
	const lines = call.dimensions.map((dimension, at) => ({
		dimension: dimension as Dimension,
		quantity: Number(call.quantities[at]),
		iteration: call.iterations[at] ?? 0,
		model: call.models[at] ?? '',
	}))
	const terms = { serviceTier, speed, geo, batch: call.batch === 1 }
	const startNs = BigInt(call.start_ns)
	const asked = { ...whose, model, lines, terms, startNs, connection }
	return priceCall(ownAtMs === null ? asked : { ...asked, ownAtMs })
}

/** Whether any amount, rate, factor or source differs. */
function differs(call: StoredCall, { costNanoUsd, ledger }: PricedCall): boolean {
	if (textOf(costNanoUsd) !== call.cost) return true
	return ledger.some(
		({ costNanoUsd: cost, rate, factor, price }, at) =>
			textOf(cost) !== call.costs[at] ||
			textOf(rate) !== call.rates[at] ||
			factor !== call.factors[at] ||
			price !== call.prices[at],
	)
}

/** A row of `VersionPart.rows`. Numbers are serialized here, because they may be larger than JSON.stringify supports. */
function versionOf({ trace, span }: StoredCall, { costNanoUsd, ledger }: PricedCall): string {
	const list = (values: readonly (bigint | number | null)[]) => `[${values.map(String).join(',')}]`
	const texts = {
		key: trace + span,
		factors: ledger.map(({ factor }) => factor),
		prices: ledger.map(({ price }) => price),
	}
	const costs = list(ledger.map(({ costNanoUsd: cost }) => cost))
	const rates = list(ledger.map(({ rate }) => rate))
	return `{"cost":${costNanoUsd},"costs":${costs},"rates":${rates},${JSON.stringify(texts).slice(1)}`
}

function textOf(amount: bigint | number | null): string | null {
	return amount === null ? null : String(amount)
}
