import type { OwnPrice, PriceQuery, Rates, Ratio } from '../../ledger/ledger.ts'

/** A price that a workspace set itself, as stored. */
export interface OwnPriceRow {
	id: string
	workspace_id: string
	connection: string | null
	provider: string | null
	model: string
	effective_from: number
	effective_until: number | null
	rates: string
	factor: string | null
}

interface Entry {
	row: OwnPriceRow
	price: OwnPrice
	/** The lower-case texts between the `*` of the pattern. */
	parts: readonly string[]
}

/** The prices that workspaces set themselves, most specific first. */
export class OwnPrices {
	readonly #byWorkspace: ReadonlyMap<string, readonly Entry[]>

	constructor(rows: readonly OwnPriceRow[]) {
		this.#byWorkspace = Map.groupBy(rows.map(toEntry).sort(byExactness), ({ row }) => row.workspace_id)
	}

	find(query: PriceQuery): OwnPrice | null {
		const entries = this.#byWorkspace.get(query.workspaceId)
		return entries?.find((entry) => fits(entry, query))?.price ?? null
	}
}

function toEntry(row: OwnPriceRow): Entry {
	const [numerator, denominator] = (row.factor ?? '').split('/').map(Number)
	const factor: Ratio | null = numerator && denominator ? [numerator, denominator] : null
	const price = {
		id: row.id,
		model: row.model,
		effectiveFrom: new Date(row.effective_from).toISOString().slice(0, 10),
		rates: JSON.parse(row.rates) as Rates,
		factor,
	}
	return { row, price, parts: row.model.toLowerCase().split('*') }
}

/** Whether the name contains the parts in order, the first at its start and the last at its end. */
function matches(parts: readonly string[], name: string): boolean {
	const [first = '', ...rest] = parts
	const last = rest.pop()
	if (last === undefined) return name === first
	if (!name.startsWith(first)) return false
	let at = first.length
	for (const part of rest) {
		const found = name.indexOf(part, at)
		if (found < 0) return false
		at = found + part.length
	}
	return name.length - last.length >= at && name.endsWith(last)
}

function fits({ row, parts }: Entry, { connection, provider, kind, model, atMs }: PriceQuery): boolean {
	return (
		row.effective_from <= atMs &&
		(row.effective_until === null || atMs < row.effective_until) &&
		(row.connection === null || row.connection === connection) &&
		(row.provider === null || row.provider === provider || row.provider === kind) &&
		matches(parts, model.toLowerCase())
	)
}

/** Prices for a connection first, then for a provider, then by length of the pattern, then newest first. */
function byExactness({ row: a }: Entry, { row: b }: Entry): number {
	return (
		Number(b.connection !== null) - Number(a.connection !== null) ||
		Number(b.provider !== null) - Number(a.provider !== null) ||
		b.model.replaceAll('*', '').length - a.model.replaceAll('*', '').length ||
		b.effective_from - a.effective_from ||
		(a.id < b.id ? 1 : -1)
	)
}
