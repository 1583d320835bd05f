import type { OutputOf, priceOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { PriceRow, UnpricedModel } from './repository.ts'

export type PriceDocument = OutputOf<(typeof priceOperations)['create']>

export function presentPrice(row: PriceRow): PriceDocument {
	const rates = Object.entries(JSON.parse(row.rates) as Record<string, number>)
	return {
		id: row.id,
		connection: row.connection,
		provider: row.provider,
		model: row.model,
		rates: Object.fromEntries(rates.map(([dimension, rate]) => [dimension, String(rate)])),
		factor: row.factor,
		note: row.note,
		effective_from: toIso(row.effective_from),
		effective_until: row.effective_until === null ? null : toIso(row.effective_until),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

export function presentUnpriced({ connection, provider, called, calls, tokens, last_ms }: UnpricedModel) {
	const last_at = toIso(Number(last_ms))
	return { connection, provider, model: called, calls: Number(calls), tokens: Number(tokens), last_at }
}
