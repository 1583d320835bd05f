import { sql } from 'kysely'
import { atIntervals, type Clock } from './clock.ts'
import {
	type ControlStore,
	type Database,
	type DatabaseTransaction,
	isPostgres,
} from './database/database.ts'
import type { ControlSchema } from './database/schema.ts'
import { type Log, Repeats } from './log.ts'

/** The kinds of entity that in-memory views hold. */
export type ChangeKind =
	| 'agent'
	| 'server'
	| 'grant'
	| 'credential'
	| 'upstream_auth'
	| 'upstream_token'
	| 'session'
	| 'signing_key'
	| 'user'
	| 'workspace'
	| 'connection'
	| 'model_route'
	| 'model_limit'
	| 'hook'
	| 'toolset'
	| 'setting'
	| 'limit'
	| 'retention'
	| 'redaction_rules'
	/** Telemetry was erased: rows that a cache knows as stored may have been deleted. */
	| 'erasure'
	| 'call_recording'
	| 'budget'
	| 'price'
	| 'webhook'
	| 'event'
	| 'approval'
	| 'mcp_letter'
	| 'mcp_era_verdict'
	| 'mcp_task'
	| 'everything'

export interface View {
	kinds: readonly ChangeKind[]
	/** Reloads everything. */
	load(): Promise<void>
	/** Reloads one entity, which may have been deleted. */
	apply(kind: ChangeKind, id: string): Promise<void>
}

const staleAfterMs = 5000
const keptMs = 60 * 60 * 1000

/**
 * Serialises transactions that number their rows, so that a higher number never becomes visible before a lower one. Held until the
 * transaction ends; SQLite has one writer anyway.
 */
export async function lockNumbering(tx: DatabaseTransaction): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314001)`.execute(tx)
}

/** Records, in the change's own transaction, that views must reload an entity. */
export async function appendChange(
	tx: DatabaseTransaction,
	kind: ChangeKind,
	id: string,
	clock: Clock,
): Promise<void> {
	await lockNumbering(tx)
	await sql`insert into changes (seq, kind, entity_id, at)
		select coalesce(max(seq), 0) + 1, ${kind}, ${id}, ${clock.nowMs()} from changes`.execute(tx)
	if (isPostgres(tx)) await sql`select pg_notify('signalbox_changes', '')`.execute(tx)
}

/** For a change that affects entities of every kind, such as deleting a workspace: all views are reloaded. */
export function appendReload(tx: DatabaseTransaction, clock: Clock): Promise<void> {
	return appendChange(tx, 'everything', '', clock)
}

/** Changes after the number given as the only parameter. */
function changesAfter(db: Database) {
	return db.selectFrom('changes').selectAll().where('seq', '>', 0).orderBy('seq').compile()
}

/**
 * Keeps the in-memory views in step with the control store. A writer calls `catchUp` after its commit and before it answers;
 * commits of other processes are found by watching. After 5 s without a successful check, `isStale` tells the data plane to refuse
 * calls rather than use outdated permissions.
 */
export class ChangeFeed {
	readonly #store: ControlStore
	/** Compiled once, because it runs every second. */
	readonly #newer: ReturnType<typeof changesAfter>
	readonly #log: Log
	readonly #repeats = new Repeats()
	readonly #clock: Clock
	readonly #views: View[] = []
	readonly #listeners: (() => void)[] = []
	#seq = 0
	#freshAtMs = 0
	#running: Promise<void> | null = null
	#again = false
	#stopWatching: (() => Promise<void>) | null = null
	#stopHeartbeat: (() => void) | null = null

	constructor(store: ControlStore, log: Log, clock: Clock) {
		this.#store = store
		this.#log = log
		this.#clock = clock
		this.#newer = changesAfter(store.db)
	}

	/** Adds a view; call before `start`. */
	add(view: View): void {
		this.#views.push(view)
	}

	/** The listener is called after changes were applied to all views. */
	onApplied(listener: () => void): void {
		this.#listeners.push(listener)
	}

	async start(): Promise<void> {
		await this.#reload()
		const wake = () =>
			void this.catchUp().catch((error: unknown) => {
				// The heartbeat fails once a second for as long as the store does not answer.
				if (this.#repeats.take('failed') > 0) this.#log.error({ err: error }, 'views: cannot read changes')
			})
		this.#stopWatching = this.#store.watch(wake)
		this.#stopHeartbeat = atIntervals(1000, wake)
	}

	async stop(): Promise<void> {
		this.#stopHeartbeat?.()
		await this.#stopWatching?.()
		await this.#running?.catch(() => {})
	}

	/** Applies every committed change. When it resolves, the views contain everything that was committed before the call. */
	async catchUp(): Promise<void> {
		if (this.#running !== null) {
			this.#again = true
			return this.#running.then(() => (this.#again ? this.catchUp() : undefined))
		}
		this.#running = this.#drain().finally(() => {
			this.#running = null
		})
		return this.#running
	}

	readonly isStale = (): boolean =>
		// An old check must not look recent because the clock was set back.
		Math.abs(this.#clock.nowMs() - this.#freshAtMs) > staleAfterMs

	async #drain(): Promise<void> {
		do {
			this.#again = false
			await this.#applyNew()
		} while (this.#again)
	}

	async #applyNew(): Promise<void> {
		const startedMs = this.#clock.nowMs()
		const newer = { ...this.#newer, parameters: [this.#seq] }
		const { rows } = await this.#store.db.executeQuery<ControlSchema['changes']>(newer)
		const isGap = rows.length > 0 && rows[0]?.seq !== this.#seq + 1
		if (isGap || rows.some(({ kind }) => kind === 'everything')) return this.#reload()
		for (const row of rows) {
			for (const view of this.#views)
				if (view.kinds.includes(row.kind as ChangeKind))
					await view.apply(row.kind as ChangeKind, row.entity_id)
			this.#seq = row.seq
		}
		this.#freshAtMs = startedMs
		if (rows.length > 0) for (const listener of this.#listeners) listener()
	}

	/** After a gap, and at the start, single changes are not enough: everything is reloaded. */
	async #reload(): Promise<void> {
		const startedMs = this.#clock.nowMs()
		const last = await this.#store.db
			.selectFrom('changes')
			.select((eb) => eb.fn.max('seq').as('seq'))
			.executeTakeFirst()
		for (const view of this.#views) await view.load()
		this.#seq = last?.seq ?? 0
		this.#freshAtMs = startedMs
		for (const listener of this.#listeners) listener()
	}

	/** Deletes changes older than an hour. Readers that paused for longer see a gap and reload. */
	async prune(): Promise<void> {
		const newest = this.#store.db.selectFrom('changes').select((eb) => eb.fn.max('seq').as('seq'))
		await this.#store.db
			.deleteFrom('changes')
			.where('at', '<', this.#clock.deletionMs() - keptMs)
			.where('seq', '<', newest)
			.execute()
	}
}
