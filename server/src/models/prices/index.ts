import {
	ledgerOperations,
	type OutputOf,
	priceDimensions,
	priceOperations,
	type QueryOf,
} from '@signalbox/contract'
import {
	bundledTable,
	createPriceCall,
	type Dimension,
	type FindOwnPrice,
	type PriceCall,
	presentFactor,
	presentMoney,
} from '../../ledger/ledger.ts'
import type { ChangeFeed, View } from '../../platform/changes.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { Database } from '../../platform/database/database.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn } from '../../platform/http/route.ts'
import { createCursors, paginate } from '../../platform/paging.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { ledgerList, readStore } from '../../telemetry/index.ts'
import { vendorAndKind } from '../vendor.ts'
import { createPrice, type PriceContext, presentPrice, presentUnpriced, setEnd } from './change-prices.ts'
import { type OwnPriceRow, OwnPrices } from './own-prices.ts'
import {
	listPrices,
	listPricesForView,
	listUnpriced,
	listVendorFields,
	type PriceRow,
} from './price-repository.ts'
import { openRepricing, type RepriceContext, reprice } from './reprice/reprice.ts'
import { listVersions, type StoredVersion } from './reprice/reprice-repository.ts'

export type { OwnPriceRow } from './own-prices.ts'

interface PriceView extends View {
	find: FindOwnPrice
	/** The rows of a workspace, for use in another thread. */
	rowsOf(workspaceId: string): readonly PriceRow[]
}

const none: readonly PriceRow[] = []

/** The prices set by workspaces, in memory. */
function createPriceView(db: Database): PriceView {
	let rows: PriceRow[] = []
	let byWorkspace = new Map<string, PriceRow[]>()
	let prices = new OwnPrices([])
	const set = (next: PriceRow[]) => {
		rows = next
		byWorkspace = Map.groupBy(rows, ({ workspace_id }) => workspace_id)
		prices = new OwnPrices(rows)
	}
	return {
		kinds: ['price'],
		load: async () => set(await listPricesForView(db)),
		apply: async (_kind, id) => {
			const changed = await listPricesForView(db, id)
			set([...rows.filter((row) => row.id !== id), ...changed])
		},
		find: (query) => prices.find(query),
		rowsOf: (workspaceId) => byWorkspace.get(workspaceId) ?? none,
	}
}

interface PriceDependencies
	extends PriceContext,
		Pick<RepriceContext, 'telemetry' | 'recorder' | 'statsOfAll' | 'jobs'> {
	feed: ChangeFeed
	sealer: Sealer
}

export interface Prices {
	operations: BoundOperation[]
	/** Prices calls by the workspace's own prices, otherwise by the bundled table. */
	priceCall: PriceCall
	/** The prices set by a workspace, as stored. */
	ownPricesOf(workspaceId: string): readonly OwnPriceRow[]
}

/** The prices that workspaces set themselves, and the ledger computed from them and the table. */
export function openPrices(prices: PriceDependencies): Prices {
	const { store, clock, telemetry } = prices
	const view = createPriceView(store.db)
	prices.feed.add(view)
	const priceCall = createPriceCall(view.find)
	openRepricing(prices)
	const operations = bind(priceOperations, {
		list: async ({ query, context }) => {
			const listing = { ...query, sort: 'effective_from' } as const
			const { rows, total } = await listPrices(store.db, principalIn(context).workspaceId, listing)
			return { prices: rows.map(presentPrice), table: bundledTable(), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createPrice(prices, context, body),
		end: ({ params, body, context }) => setEnd(prices, context, params.id, body.at),
		effective: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const startNs = BigInt(clock.nowMs()) * 1_000_000n
			// The cost reported by a provider is not the price of a model.
			const lines = priceDimensions.filter((name) => name !== 'reported_cost').map(lineOf)
			const connections = query.connection === undefined ? [] : await listVendorFields(store.db, workspaceId)
			const connection = connections.find(({ name }) => name === query.connection)
			const asked = { ...query, ...vendorAndKind(query.provider, connection) }
			const { ledger } = priceCall({ ...asked, workspaceId, lines, startNs })
			return { rates: ledger.filter(({ rate }) => rate !== null).map(presentRate) }
		},
		unpriced: async ({ query, context }) => {
			const range = readTimeRange(query, clock.nowMs())
			const found = await listUnpriced(telemetry, principalIn(context).workspaceId, range)
			return { models: found.map(presentUnpriced) }
		},
	})
	const ledger = bind(ledgerOperations, {
		list: async ({ query, context }) => {
			// As Spotlight does, whose sums are compared with these.
			await prices.recorder?.watched()
			return readLedger(prices, principalIn(context).workspaceId, query)
		},
		reprice: ({ body, context }) => reprice({ ...prices, priceCall }, context, body),
		versions: async ({ query, context }) => ({
			versions: await readVersions(telemetry, principalIn(context).workspaceId, query),
		}),
	})
	return { operations: [...operations, ...ledger], priceCall, ownPricesOf: view.rowsOf }
}

const lineOf = (dimension: Dimension) => ({ dimension, quantity: 1, iteration: 0, model: '' })

function presentRate(entry: { dimension: string; rate: number | null; factor: string; price: string }) {
	const { dimension, rate, factor, price } = entry
	return { dimension, nano_usd_per_million: String(rate), factor: presentFactor(factor), price }
}

type Version = OutputOf<(typeof ledgerOperations)['versions']>['versions'][number]

/** All versions of a call's rows, oldest first. Empty for a call that was never repriced. */
async function readVersions(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	call: { trace_id: string; span_id: string },
): Promise<Version[]> {
	return (await listVersions(store, workspaceId, call)).map(presentVersion)
}

function presentVersion({ revision, cost, costs, rates, factors, prices }: StoredVersion): Version {
	const rows = costs.map((amount, at) => ({
		line: at + 1,
		...presentMoney('cost', amount),
		nano_usd_per_million: rates[at] ?? null,
		factor: presentFactor(factors[at]),
		price: prices[at] || null,
	}))
	return { revision: revision || null, ...presentMoney('cost', cost), rows }
}

type List = (typeof ledgerOperations)['list']
type Row = OutputOf<List>['ledger'][number]

interface LedgerDependencies {
	telemetry: Pick<TelemetryStore, 'query'>
	sealer: Sealer
	clock: Clock
}

/** A page of the ledger with the sums of the whole range. */
async function readLedger(
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

/** The cursor contains the range, because `-24h` must not move from page to page. */
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
		factor: presentFactor(row.factor),
		...presentMoney('cost', row.cost),
		price: row.price || null,
	}
}

type QueryStore = Pick<TelemetryStore, 'query'>

/** A row of the ledger as the store returns it, with 64-bit numbers as text. */
interface StoredLedgerRow {
	start_ns: string
	trace: string
	span: string
	line: number
	agent_id: string
	credential_id: string
	session_id: string
	user_id: string
	connection: string
	provider: string
	billed_model: string
	dimension: string
	quantity: string
	iteration: number
	rate: string | null
	factor: string
	cost: string | null
	price: string
}

const filterColumns = {
	agent_uuid: 'agent_id',
	key_id: 'credential_id',
	session_id: 'session_id',
	user_id: 'user_id',
	connection: 'connection',
	model: 'billed_model',
	dimension: 'dimension',
} as const
type LedgerFilter = { [Name in keyof typeof filterColumns]?: string | undefined }

/** A position in the list: start, trace, span and line. */
type LedgerPlace = readonly [startNs: string, trace: string, span: string, line: string]

const fromLedger = `FROM spans ARRAY JOIN ${ledgerList('ledger_dimension')} AS dimension, ${ledgerList('ledger_quantity')} AS quantity,
	${ledgerList('ledger_cost_nano_usd')} AS cost, ${ledgerList('ledger_rate')} AS rate, ${ledgerList('ledger_factor')} AS factor,
	${ledgerList('ledger_iteration')} AS iteration, ${ledgerList('ledger_model')} AS billed_model,
	${ledgerList('ledger_price')} AS price, arrayEnumerate(${ledgerList('ledger_dimension')}) AS line
	WHERE workspace_id = {workspace:String} AND kind = 'model_call' AND source = 'model_proxy'
	AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`

/** Rows after a position, newest first; the lines of a call in their order. */
function listLedger(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: LedgerFilter,
	{ after, limit }: { after: LedgerPlace | null; limit: number },
): Promise<StoredLedgerRow[]> {
	const [after_start, after_trace, after_span, after_line] = after ?? []
	const place = after
		? `AND started_at <= fromUnixTimestamp64Nano({after_start:Int64}, 'UTC')
			AND (started_at, trace_id, span_id, -toInt64(line)) < (fromUnixTimestamp64Nano({after_start:Int64}, 'UTC'),
				toFixedString(unhex({after_trace:String}), 16), toFixedString(unhex({after_span:String}), 8), -{after_line:Int64})`
		: ''
	return readStore(() =>
		store.query<StoredLedgerRow>(
			`SELECT toString(toUnixTimestamp64Nano(started_at)) AS start_ns, lower(hex(trace_id)) AS trace,
				lower(hex(span_id)) AS span, line, agent_id, credential_id, session_id, user_id, connection, provider,
				billed_model, dimension, toString(quantity) AS quantity, iteration, toString(rate) AS rate, factor,
				toString(cost) AS cost, price
			${fromLedger} ${conditions(filter)} ${place}
			ORDER BY started_at DESC, trace_id DESC, span_id DESC, line LIMIT {limit:UInt32}`,
			{
				...parameters(workspaceId, range, filter),
				limit,
				...(after && { after_start, after_trace, after_span, after_line }),
			},
		),
	)
}

interface LedgerSums {
	line_count: string
	cost_sum: string
	unpriced: string
}

/** Sums over everything that matches the filter. The cost includes only calls with a price for every part. */
async function sumLedger(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: LedgerFilter,
): Promise<LedgerSums> {
	const [sums] = await readStore(() =>
		store.query<LedgerSums>(
			`SELECT toString(count()) AS line_count, toString(ifNull(sumIf(cost, isNotNull(cost_nano_usd)), 0)) AS cost_sum,
				toString(countIf(isNull(cost_nano_usd))) AS unpriced
			${fromLedger} ${conditions(filter)}`,
			parameters(workspaceId, range, filter),
		),
	)
	return sums as LedgerSums
}

const names = Object.keys(filterColumns) as (keyof LedgerFilter)[]

function conditions(filter: LedgerFilter): string {
	const wanted = names.filter((name) => filter[name] !== undefined)
	return wanted.map((name) => `AND ${filterColumns[name]} = {${name}:String}`).join(' ')
}

function parameters(workspace: string, { startMs, endMs }: TimeRange, filter: LedgerFilter) {
	return { workspace, start: startMs, end: endMs, ...filter }
}
