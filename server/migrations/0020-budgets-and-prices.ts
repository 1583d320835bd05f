import type { Kysely } from 'kysely'
import {
	count,
	createIndex,
	createTable,
	flag,
	id,
	json,
	of,
	optional,
	owned,
	text,
	time,
} from '../src/platform/database/ddl.ts'

type Schema = Kysely<unknown>

/** Budgets with their counters and leases, and the prices that a workspace sets itself. Amounts are below 2^53. */
export async function up(db: Schema): Promise<void> {
	const amount = time
	await createTable(db, 'budgets', {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		scope: text,
		scope_id: optional(text),
		unit: text,
		limit_amount: amount,
		window_kind: text,
		time_zone: text,
		rolling_s: optional(count),
		mode: text,
		unpriced: text,
		unpriced_ceiling: optional(amount),
		thresholds: json,
		contact: text,
		enabled: flag,
		...owned,
	})
	await createIndex(db, 'budgets', ['workspace_id', 'created_at'])
	const counter = {
		budget_id: of('budgets.id'),
		workspace_id: text,
		scope_key: text,
		bucket_start: time,
		bucket_end: time,
		spent: amount,
		leased: amount,
		uncertain: amount,
		alerted: count,
		exhausted_at: optional(time),
	}
	await createTable(db, 'budget_counters', counter, (table) =>
		table.addPrimaryKeyConstraint('budget_counters_key', ['budget_id', 'scope_key', 'bucket_start']),
	)
	await createIndex(db, 'budget_counters', ['bucket_end'])
	const lease = {
		id,
		budget_id: of('budgets.id'),
		workspace_id: text,
		scope_key: text,
		bucket_start: time,
		holder: text,
		amount,
		expires_at: time,
	}
	await createTable(db, 'budget_leases', lease)
	await createIndex(db, 'budget_leases', ['expires_at'])
	await createIndex(db, 'budget_leases', ['budget_id'])
	await createTable(db, 'price_overrides', {
		id,
		workspace_id: of('workspaces.id'),
		connection: optional(text),
		provider: optional(text),
		model: text,
		rates: json,
		factor: optional(text),
		note: text,
		effective_from: time,
		effective_until: optional(time),
		...owned,
	})
	await createIndex(db, 'price_overrides', ['workspace_id', 'effective_from'])
}
