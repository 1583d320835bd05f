import { costOf, type LedgerEntry, multiply, type Ratio, whole } from './cost.ts'
import { type Dimension, dimensions, isContext } from './dimensions.ts'
import { bundledPrices } from './prices/bundled-prices.ts'
import { type FindPrice, openPriceBook } from './prices/find-price.ts'
import {
	type FindOwnPrice,
	originOfFactor,
	originOfOwn,
	type Price,
	type Rate,
	tableProvider,
	withOwnPrice,
} from './prices/price-book.ts'
import { withReportedCost } from './reported-cost.ts'
import type { UsageLine } from './usage.ts'

export { type LedgerEntry, presentMoney, type Ratio, toDecimalUsd } from './cost.ts'
export { type Dimension, dimensions } from './dimensions.ts'
export { bundledTable } from './prices/bundled-prices.ts'
export { type KnowsModel, openKnownModels } from './prices/find-price.ts'
export {
	type FindOwnPrice,
	type OwnPrice,
	type PriceQuery,
	type Rates,
	tableProvider,
} from './prices/price-book.ts'
export { linesOf, type TokenBuckets, tokenBuckets, type Usage, type UsageLine } from './usage.ts'

interface PublishedRate {
	provider: string
	model: RegExp
	dimension: Dimension
	/** Nano-dollars for 1,000,000 units. Zero is a price too: the provider says that it asks for nothing. */
	rate: number
}

/** When these were written down. Providers change theirs without a word: an own price goes before each. */
const version = '2026-11-21'

/** What providers publish and the imported table does not hold. What an account has free is not taken off. The first that fits counts. */
const published: readonly PublishedRate[] = [
	// Fetched pages are billed as the tokens that they become, and as nothing else.
	{ provider: 'anthropic', model: /^claude-/, dimension: 'web_fetch', rate: 0 },
	{
		provider: 'google',
		model: /^gemini-[12]/,
		dimension: 'grounding_query',
		rate: 35_000_000_000_000,
	},
	{ provider: 'google', model: /^gemini-/, dimension: 'grounding_query', rate: 14_000_000_000_000 },
	{ provider: 'openai', model: /^whisper-1$/, dimension: 'audio_s', rate: 100_000_000_000 },
]

type Published = Omit<Price, 'rates' | 'own'> & { rate: number }

/** Null where nobody publishes a price. */
function publishedRate(provider: string, model: string, dimension: Dimension): Published | null {
	const table = tableProvider(provider)
	const found = published.find(
		(one) => one.dimension === dimension && one.provider === table && one.model.test(model),
	)
	if (!found) return null
	return { source: 'published', version, model: found.model.source, effectiveFrom: '', rate: found.rate }
}

/** A row of the ledger: a quantity, what it costs, and by which price. */
interface LedgerRow extends UsageLine {
	/** Nano-dollars for 1,000,000 units before the factor; null when unpriced. */
	rate: number | null
	factor: Ratio
	/** Null: unpriced, which is not free. */
	costNanoUsd: bigint | null
	price: Omit<Price, 'rates' | 'own'> | null
}

interface UsageOfCall {
	/** As the price table names the provider. */
	provider: string
	/** The model of the lines that name none. */
	model: string
	lines: readonly UsageLine[]
	terms: Terms
	atMs: number
}

/** Prices a call, a row for each quantity; quantities of zero have none, except a cost that is reported. */
export function priceUsage(
	find: FindPrice,
	{ provider, model, lines, terms, atMs }: UsageOfCall,
): LedgerRow[] {
	const context = contextLengths(lines)
	const rows: LedgerRow[] = []
	// All lines are of one model, mostly.
	let of: string | null = null
	let found: Price | null = null
	for (const line of lines) {
		const { dimension, quantity, iteration } = line
		// That a call costs nothing is told by the one quantity of zero that says something.
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

/** An own rate holds under terms that no rule knows too: whoever set it knows them. */
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
		if (!own?.factor) return { rate: inTier(rate, context), factor: term, price: table }
		const factor = multiply(term, own.factor)
		return { rate: inTier(rate, context), factor, price: originOfFactor(own, table) }
	}
	return null
}

type Origin = Omit<Price, 'rates' | 'own'>

/** Of the table's own prices, which are the same objects for all calls. */
const origins = new WeakMap<Price, Origin>()

/** Where a price is from. */
function originOf(price: Price): Origin {
	const known = origins.get(price)
	if (known) return known
	const { rates: _rates, own, ...origin } = price
	if (!own) origins.set(price, origin)
	return origin
}

/** Services beside the tokens, which no terms change. */
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

/** The sum of what has a price, and whether all has one. */
export function totalOf(rows: readonly LedgerRow[]): { nanoUsd: bigint; complete: boolean } {
	let nanoUsd = 0n
	let complete = true
	for (const { costNanoUsd } of rows) {
		if (costNanoUsd === null) complete = false
		else nanoUsd += costNanoUsd
	}
	return { nanoUsd, complete }
}

/** Tokens of input by iteration, cached ones included. */
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

/** A call as the ledger sees it. */
interface CallTerms {
	/** As the price table names the provider. */
	provider: string
	/** The model of the lines that name none. */
	model: string
	lines: readonly UsageLine[]
	/** Absent terms are the ordinary ones. */
	terms?: Partial<Terms>
	startNs: bigint
	/** Whose call it was, over which connection: for the prices that workspaces set themselves. */
	workspaceId?: string
	connection?: string
	/** When prices of their own must hold; absent: when the call started. */
	ownAtMs?: number
}

/** A call with its price. */
export interface PricedCall {
	/** Null when a part of it has no known price: unpriced is not free. */
	costNanoUsd: bigint | null
	ledger: LedgerEntry[]
}

export type PriceCall = (call: CallTerms) => PricedCall

const nsPerMs = 1_000_000n

/** Prices calls by what their workspace set itself, else by the table that comes with the program. */
export function createPriceCall(findOwn: FindOwnPrice | null = null): PriceCall {
	// Read at the first call: many instances carry no model traffic.
	let find: FindPrice | undefined
	return (call) => {
		const { provider, model, lines, workspaceId = '', connection = '' } = call
		const atMs = Number(call.startNs / nsPerMs)
		find ??= openPriceBook(bundledPrices())
		const table = find
		const both: FindPrice = (provider, model, at) => {
			const own = findOwn?.({ workspaceId, connection, provider, model, atMs: call.ownAtMs ?? at }) ?? null
			return withOwnPrice(own, table(provider, model, at))
		}
		const terms = call.terms ? { ...ordinaryTerms, ...call.terms } : ordinaryTerms
		const rows = priceUsage(findOwn ? both : table, { provider, model, lines, terms, atMs })
		const reported = withReportedCost(rows)
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

/** Under which terms a provider served a call, as its answer says; '' where it says nothing. */
interface Terms {
	serviceTier: string
	speed: string
	geo: string
	batch: boolean
}

export const ordinaryTerms: Terms = { serviceTier: '', speed: '', geo: '', batch: false }

interface Rule {
	providers: readonly string[]
	/** Only models whose name has this in it. */
	model?: string
	when: Partial<Terms>
	factor: Ratio
}

/** Terms under which the table's price holds. */
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
 * Published factors on the prices of tokens that the imported table does not hold. Terms that no rule knows leave a
 * call unpriced: an operator's own price settles them.
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

/** The factor on the price of a dimension under these terms; null when the terms have no known price. */
function factorOf(provider: string, model: string, terms: Terms, dimension: Dimension): Ratio | null {
	if (dimensions[dimension].bucket === null || isOrdinary(terms)) return whole
	const table = tableProvider(provider)
	let factor: Ratio = whole
	for (const [name, ordinary] of ordinaryRules) {
		const value = terms[name]
		if (ordinary(value as never)) continue
		// A batch is also reported by the tier: the two are one reduction.
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
/** As nearly all calls are. */
function isOrdinary({ serviceTier, speed, geo, batch }: Terms): boolean {
	return serviceTier === '' && speed === '' && geo === '' && !batch
}

const ordinaryRules = Object.entries(ordinaryValues) as [keyof Terms, (value: never) => boolean][]
