import { costOf, type LedgerEntry, multiply, type Ratio, whole } from './cost.ts'
import {
	bundledPrices,
	type FindOwnPrice,
	type FindPrice,
	openPriceBook,
	originOfFactor,
	originOfOwn,
	type Price,
	publishedRate,
	type Rate,
	tableProvider,
	withOwnPrice,
} from './prices/price-book.ts'
import { type Dimension, dimensions, isContext, type UsageLine } from './usage.ts'

export { type LedgerEntry, presentFactor, presentMoney, type Ratio, toDecimalUsd } from './cost.ts'
export {
	bundledTable,
	type FindOwnPrice,
	type KnowsModel,
	type OwnPrice,
	openKnownModels,
	type PriceQuery,
	type Rates,
	tableProvider,
} from './prices/price-book.ts'
export {
	type Dimension,
	dimensions,
	linesOf,
	type TokenBuckets,
	tokenBuckets,
	type Usage,
	type UsageLine,
} from './usage.ts'

/** A row of the ledger: a quantity, its cost, and the price that was used. */
interface LedgerRow extends UsageLine {
	/** Nano-dollars for 1,000,000 units, before the factor; null if unpriced. */
	rate: number | null
	factor: Ratio
	/** Null if unpriced, which is not free. */
	costNanoUsd: bigint | null
	price: Omit<Price, 'rates' | 'own'> | null
}

interface UsageOfCall {
	/** The provider's name in the price table. */
	provider: string
	/** The model for lines that name none. */
	model: string
	lines: readonly UsageLine[]
	terms: Terms
	atMs: number
}

/** Prices a call with one row per quantity. Zero quantities get no row, except a reported cost. */
export function priceUsage(
	find: FindPrice,
	{ provider, model, lines, terms, atMs }: UsageOfCall,
): LedgerRow[] {
	const context = contextLengths(lines)
	const rows: LedgerRow[] = []
	// Caches the price of the last model: usually all lines have the same one.
	let of: string | null = null
	let found: Price | null = null
	for (const line of lines) {
		const { dimension, quantity, iteration } = line
		// A reported cost of zero is the only zero quantity with a meaning: the call was free.
		if (quantity <= 0 && dimension !== 'reported_cost') continue
		const named = line.model || model
		if (named !== of) {
			of = named
			found = find(provider, of, atMs)
		}
		const term = factorOf(provider, of, terms, dimension)
		const inTable = found && pricedBy(found, dimension, context.get(iteration) ?? 0, term)
		const priced = inTable ?? pricedAsPublished(provider, of, dimension, found)
		rows.push({
			dimension,
			quantity,
			iteration,
			model: of,
			rate: priced?.rate ?? null,
			factor: priced?.factor ?? whole,
			price: priced?.price ?? null,
			costNanoUsd: priced && costOf(quantity, priced.rate, priced.factor),
		})
	}
	return rows
}

type Priced = Pick<LedgerRow, 'factor' | 'price'> & { rate: number }

/**
 * A cache write for one hour costs twice the input, one for five minutes one and a quarter, wherever Claude runs. The table has
 * only the latter for most resellers.
 */
const oneHourFactor: Ratio = [8, 5]

/** A workspace's own rate applies under unknown terms too, because the workspace knows its terms. */
function pricedBy(found: Price, dimension: Dimension, context: number, term: Ratio | null): Priced | null {
	const { rates, own } = found
	const table = originOf(found)
	for (const name of [dimension, ...dimensions[dimension].instead]) {
		const ownRate = own?.rates[name]
		if (own && ownRate !== undefined)
			return { rate: inTier(ownRate, context), factor: term ?? whole, price: originOfOwn(own) }
		const rate = rates[name]
		if (rate === undefined) continue
		if (!term) return null
		const lasting = dimension === 'cache_write_1h' && name === 'cache_write_5m'
		const ofTable = lasting ? multiply(term, oneHourFactor) : term
		if (!own?.factor) return { rate: inTier(rate, context), factor: ofTable, price: table }
		const factor = multiply(ofTable, own.factor)
		return { rate: inTier(rate, context), factor, price: originOfFactor(own, table) }
	}
	return null
}

type Origin = Omit<Price, 'rates' | 'own'>

/** Caches the origins of the table's prices, which are the same objects for all calls. */
const origins = new WeakMap<Price, Origin>()

/** The source of a price. */
function originOf(price: Price): Origin {
	const known = origins.get(price)
	if (known) return known
	const { rates: _rates, own, ...origin } = price
	if (!own) origins.set(price, origin)
	return origin
}

/** Services other than tokens. Terms do not change their price. */
function pricedAsPublished(
	provider: string,
	model: string,
	dimension: Dimension,
	found: Price | null,
): Priced | null {
	const published = publishedRate(provider, model, dimension)
	if (!published) return null
	const { rate, ...price } = published
	const own = found?.own
	if (!own?.factor) return { rate, factor: whole, price }
	return { rate, factor: own.factor, price: originOfFactor(own, price) }
}

/** No call costs a million dollars. The sums of less fit into 64 bits. */
const maxNanoUsd = 1_000_000_000_000_000n
const unpriced = { rate: null, factor: whole, costNanoUsd: null, price: null }

/** Quantities that would cost more were not used: the cost is unknown, and could not be stored. */
function withoutAbsurd(rows: LedgerRow[]): LedgerRow[] {
	return totalOf(rows).nanoUsd > maxNanoUsd ? rows.map((row) => ({ ...row, ...unpriced })) : rows
}

/** The sum of the priced rows, and whether all rows are priced. */
export function totalOf(rows: readonly LedgerRow[]): { nanoUsd: bigint; complete: boolean } {
	let nanoUsd = 0n
	let complete = true
	for (const { costNanoUsd } of rows) {
		if (costNanoUsd === null) complete = false
		else nanoUsd += costNanoUsd
	}
	return { nanoUsd, complete }
}

/** Input tokens by iteration, including cached ones. */
function contextLengths(lines: readonly UsageLine[]): Map<number, number> {
	const lengths = new Map<number, number>()
	for (const { dimension, quantity, iteration } of lines) {
		if (isContext(dimension)) lengths.set(iteration, (lengths.get(iteration) ?? 0) + quantity)
	}
	return lengths
}

function inTier(rate: Rate, context: number): number {
	if (typeof rate === 'number') return rate
	return rate.tiers.findLast(({ above }) => context > above)?.rate ?? rate.base
}

/** The part of a call that the ledger needs. */
interface CallTerms {
	/** The provider whose prices apply. */
	provider: string
	/** As in `PriceQuery`. */
	kind?: string
	/** The model for lines that name none. */
	model: string
	lines: readonly UsageLine[]
	/** Absent terms mean the ordinary ones. */
	terms?: Partial<Terms>
	startNs: bigint
	/** For the prices that workspaces set: the call's workspace and connection. */
	workspaceId?: string
	connection?: string
	/** The time at which a workspace's own prices must be in force; by default the start of the call. */
	ownAtMs?: number
}

/** A call with its price. */
export interface PricedCall {
	/** Null if a part of it has no known price: unpriced is not free. */
	costNanoUsd: bigint | null
	ledger: LedgerEntry[]
}

export type PriceCall = (call: CallTerms) => PricedCall

const nsPerMs = 1_000_000n

/** Prices calls by the workspace's own prices, otherwise by the bundled table. */
export function createPriceCall(findOwn: FindOwnPrice | null = null): PriceCall {
	// Loaded at the first call: many instances carry no model traffic.
	let find: FindPrice | undefined
	return (call) => {
		const { provider, kind, model, lines, workspaceId = '', connection = '' } = call
		const atMs = Number(call.startNs / nsPerMs)
		find ??= openPriceBook(bundledPrices())
		const table = find
		const both: FindPrice = (provider, model, at) => {
			const asked = { workspaceId, connection, provider, kind, model, atMs: call.ownAtMs ?? at }
			const own = findOwn?.(asked) ?? null
			return withOwnPrice(own, table(provider, model, at))
		}
		const terms = call.terms ? { ...defaultTerms, ...call.terms } : defaultTerms
		const rows = withoutAbsurd(priceUsage(findOwn ? both : table, { provider, model, lines, terms, atMs }))
		const reported = withReportedCost(rows, tableProvider(provider))
		const { nanoUsd, complete } = totalOf(reported?.rows ?? rows)
		const costNanoUsd = reported?.nanoUsd ?? (complete ? nanoUsd : null)
		return { costNanoUsd, ledger: (reported?.rows ?? rows).map(toEntry) }
	}
}

function toEntry(row: LedgerRow): LedgerEntry {
	const [numerator, denominator] = row.factor
	return {
		dimension: row.dimension,
		quantity: row.quantity,
		iteration: row.iteration,
		model: row.model,
		rate: row.rate,
		costNanoUsd: row.costNanoUsd,
		factor: numerator === denominator ? '' : `${numerator}/${denominator}`,
		price: row.price ? textOf(row.price) : '',
	}
}

const texts = new WeakMap<Origin, string>()

function textOf(origin: Origin): string {
	let text = texts.get(origin)
	if (text === undefined) {
		text = [origin.source, origin.version, origin.model, origin.effectiveFrom].join(' ').trim()
		texts.set(origin, text)
	}
	return text
}

/** The terms under which a provider served a call, by its answer; '' if it names none. */
interface Terms {
	serviceTier: string
	speed: string
	geo: string
	batch: boolean
}

export const defaultTerms: Terms = { serviceTier: '', speed: '', geo: '', batch: false }

interface Rule {
	providers: readonly string[]
	/** Only for models whose name contains this. */
	model?: string
	when: Partial<Terms>
	factor: Ratio
}

/** Terms under which the table's price applies. */
const ordinaryTiers = new Set([
	'',
	'auto',
	'default',
	'standard',
	'on_demand',
	'scale',
	'provisioned_throughput',
])

/**
 * Published factors on token prices that the imported table lacks. A call under unknown terms stays unpriced; an operator can set
 * a price for it.
 */
const rules: readonly Rule[] = [
	{ providers: ['openai', 'azure'], when: { batch: true }, factor: [1, 2] },
	{ providers: ['openai', 'azure'], when: { serviceTier: 'flex' }, factor: [1, 2] },
	{ providers: ['anthropic'], when: { batch: true }, factor: [1, 2] },
	{ providers: ['anthropic'], when: { serviceTier: 'batch' }, factor: [1, 2] },
	{ providers: ['anthropic'], model: 'opus', when: { speed: 'fast' }, factor: [2, 1] },
	{ providers: ['anthropic'], when: { geo: 'us' }, factor: [11, 10] },
	{ providers: ['google'], when: { batch: true }, factor: [1, 2] },
	{ providers: ['google'], when: { serviceTier: 'flex' }, factor: [1, 2] },
	{ providers: ['google'], when: { serviceTier: 'on_demand_flex' }, factor: [1, 2] },
	{ providers: ['google'], when: { serviceTier: 'priority' }, factor: [9, 5] },
	{ providers: ['google'], when: { serviceTier: 'on_demand_priority' }, factor: [9, 5] },
	{ providers: ['aws'], when: { batch: true }, factor: [1, 2] },
]

/** The factor on the price of a dimension under these terms. Null if the terms have no known price. */
function factorOf(provider: string, model: string, terms: Terms, dimension: Dimension): Ratio | null {
	if (dimensions[dimension].bucket === null || isOrdinary(terms)) return whole
	const table = tableProvider(provider)
	let factor: Ratio = whole
	for (const [name, ordinary] of ordinaryRules) {
		const value = terms[name]
		if (ordinary(value as never)) continue
		// A batch is also reported as a service tier. The reduction applies once.
		if (name === 'serviceTier' && value === 'batch' && terms.batch) continue
		const rule = rules.find(
			(candidate) =>
				candidate.providers.includes(table) &&
				candidate.when[name] === value &&
				(candidate.model === undefined || model.includes(candidate.model)),
		)
		if (!rule) return null
		factor = multiply(factor, rule.factor)
	}
	return factor
}

const ordinaryValues: { [Name in keyof Terms]: (value: Terms[Name]) => boolean } = {
	serviceTier: (tier) => ordinaryTiers.has(tier),
	speed: (speed) => speed === '' || speed === 'standard',
	geo: (geo) => geo === '' || geo === 'global' || geo === 'not_available',
	batch: (batch) => !batch,
}
/** Nearly all calls have ordinary terms. */
function isOrdinary({ serviceTier, speed, geo, batch }: Terms): boolean {
	return serviceTier === '' && speed === '' && geo === '' && !batch
}

const ordinaryRules = Object.entries(ordinaryValues) as [keyof Terms, (value: never) => boolean][]

/** The rate that takes a reported nano-dollar as one nano-dollar. */
const atItsWord = 1_000_000
const origin = { source: 'reported', version: '', model: '', effectiveFrom: '' }

/** Providers that bill the cost they report, by their names in the price table. The table is used for calls without a report. */
const billedAsReported: ReadonlySet<string> = new Set(['openrouter', 'perplexity', 'x-ai'])

/**
 * The rows of a call with the cost that its provider reports. The reported cost alone counts, and the other rows are unpriced, if a part of
 * the call has no price, or only a table's price and the provider bills what it reports. Otherwise it counts for nothing. Null if the provider
 * reports no cost.
 */
function withReportedCost(
	rows: readonly LedgerRow[],
	provider: string,
): { rows: LedgerRow[]; nanoUsd: bigint | null } | null {
	const reported = rows.find(({ dimension }) => dimension === 'reported_cost')
	if (!reported) return null
	const parts = rows.filter((row) => row !== reported)
	const goesBefore = ({ costNanoUsd, price }: LedgerRow) =>
		costNanoUsd !== null && (!billedAsReported.has(provider) || price?.source === 'operator')
	const isPriced = parts.length > 0 && parts.every(goesBefore)
	if (isPriced) {
		const beside = { ...reported, rate: 0, factor: whole, costNanoUsd: 0n, price: origin }
		return { rows: rows.map((row) => (row === reported ? beside : row)), nanoUsd: null }
	}
	const rate = reported.rate ?? atItsWord
	const costNanoUsd = costOf(reported.quantity, rate, reported.factor)
	const counted = { ...reported, rate, costNanoUsd, price: reported.price ?? origin }
	return {
		rows: rows.map((row) => (row === reported ? counted : { ...row, ...unpriced })),
		nanoUsd: costNanoUsd,
	}
}
