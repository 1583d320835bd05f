import type { FindOwnPrice, OwnPrice, PriceQuestion, Rates, Ratio } from '../../ledger/index.ts'
import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { listPricesForView, type PriceRow } from './repository.ts'

interface Entry {
	row: PriceRow
	price: OwnPrice
	/** The text between the stars of the pattern, in small letters. */
	parts: readonly string[]
}

/** The prices that workspaces set, in memory, the most exact ones first. */
export function createPriceView(db: Database): View & { find: FindOwnPrice } {
	let byWorkspace = new Map<string, Entry[]>()
	const forget = (id: string) => {
		for (const [workspaceId, entries] of byWorkspace)
			byWorkspace.set(
				workspaceId,
				entries.filter(({ row }) => row.id !== id),
			)
	}
	return {
		kinds: ['price'],
		load: async () => {
			const entries = (await listPricesForView(db)).map(toEntry)
			byWorkspace = Map.groupBy(entries.sort(byExactness), ({ row }) => row.workspace_id)
		},
		apply: async (_kind, id) => {
			const [row] = await listPricesForView(db, id)
			forget(id)
			if (!row) return
			const others = byWorkspace.get(row.workspace_id) ?? []
			byWorkspace.set(row.workspace_id, [...others, toEntry(row)].sort(byExactness))
		},
		find: (question) =>
			byWorkspace.get(question.workspaceId)?.find((entry) => fits(entry, question))?.price ?? null,
	}
}

function toEntry(row: PriceRow): Entry {
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

/** Whether the parts stand in the name in their order, the first at its start and the last at its end. */
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

function fits({ row, parts }: Entry, { connection, provider, model, atMs }: PriceQuestion): boolean {
	return (
		row.effective_from <= atMs &&
		(row.effective_until === null || atMs < row.effective_until) &&
		(row.connection === null || row.connection === connection) &&
		(row.provider === null || row.provider === provider) &&
		matches(parts, model.toLowerCase())
	)
}

/** Of a connection, then of a provider, then with the longest pattern, then the newest. */
function byExactness({ row: a }: Entry, { row: b }: Entry): number {
	return (
		Number(b.connection !== null) - Number(a.connection !== null) ||
		Number(b.provider !== null) - Number(a.provider !== null) ||
		b.model.replaceAll('*', '').length - a.model.replaceAll('*', '').length ||
		b.effective_from - a.effective_from ||
		(a.id < b.id ? 1 : -1)
	)
}
