import type { BodyOf, OutputOf, priceOperations } from '@signalbox/contract'
import { type Audit, type RequestedChange, recordChange } from '../../accounts/audit/audit.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { requireRoom } from '../../platform/database/owned-rows.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Mutate } from '../../platform/mutation.ts'
import {
	countPrices,
	endPrice,
	findPrice,
	insertPrice,
	type PriceRow,
	type UnpricedModel,
} from './price-repository.ts'

type Created = BodyOf<(typeof priceOperations)['create']>

export interface PriceContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
}

/** Every call may be compared with all of them. */
const maxPrices = 1000

export async function createPrice(
	prices: PriceContext,
	request: RequestContext,
	body: Created,
): Promise<PriceDocument> {
	const nowMs = prices.clock.nowMs()
	const row = newRow(principalIn(request).workspaceId, body, nowMs)
	refuseNonsense(row, nowMs)
	return prices.mutate(async (tx) => {
		await requireRoom(tx, row.workspace_id, {
			most: maxPrices,
			what: 'prices of its own',
			count: countPrices,
		})
		await insertPrice(tx, row)
		await recordChange(tx, prices, request, changeOf('create', row))
		return presentPrice(row)
	})
}

function newRow(workspaceId: string, body: Created, nowMs: number): PriceRow {
	const rates = Object.entries(body.rates ?? {}).map(([dimension, rate]) => [dimension, Number(rate)])
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		connection: body.connection ?? null,
		provider: body.provider ?? null,
		model: body.model,
		rates: JSON.stringify(Object.fromEntries(rates)),
		factor: body.factor ?? null,
		note: body.note ?? '',
		effective_from: body.effective_from === undefined ? nowMs : Date.parse(body.effective_from),
		effective_until: body.effective_until ? Date.parse(body.effective_until) : null,
		created_at: nowMs,
		updated_at: nowMs,
	}
}

export async function setEnd(
	prices: PriceContext,
	request: RequestContext,
	id: string,
	at: string | undefined,
): Promise<PriceDocument> {
	const nowMs = prices.clock.nowMs()
	const endMs = at === undefined ? nowMs : Date.parse(at)
	return prices.mutate(async (tx) => {
		const before = await findPrice(tx, principalIn(request).workspaceId, id)
		if (!before) throw notFound('price')
		if (before.effective_until !== null && before.effective_until <= nowMs)
			throw new Problem('conflict', 'The price has ended.')
		// Calls that were already priced keep their price.
		if (endMs < nowMs && before.effective_from <= nowMs) throw wrong('at', 'is in the past')
		const row = { ...before, effective_until: endMs, updated_at: nowMs }
		await endPrice(tx, row.workspace_id, id, row)
		await recordChange(tx, prices, request, changeOf('end', row))
		return presentPrice(row)
	})
}

/** A change of a price, as it is recorded. */
function changeOf(verb: string, row: PriceRow): RequestedChange {
	const { connection, provider, rates, factor, effective_from, effective_until } = presentPrice(row)
	const detail = { connection, provider, rates, factor, effective_from, effective_until }
	const target = { kind: 'price', id: row.id, name: row.model }
	return { action: `prices.${verb}`, target, detail, viewKind: 'price' }
}

/** A tolerance of one minute, because clocks differ. */
const pastMs = 60_000

function refuseNonsense(row: PriceRow, nowMs: number): void {
	if (row.rates === '{}' && row.factor === null) throw wrong('rates', 'or a factor must be given')
	if (row.effective_from < nowMs - pastMs) throw wrong('effective_from', 'is in the past')
	if (row.effective_until !== null && row.effective_until <= row.effective_from)
		throw wrong('effective_until', 'is not after `effective_from`')
}

function wrong(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'price', detail }],
	})
}

type PriceDocument = OutputOf<(typeof priceOperations)['create']>

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
