import { denialOperations } from '@signalbox/contract'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { type ControlStore, transact } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import type { Log } from '../../../platform/log.ts'
import { addDenials, type DenialCount, deleteDenialsBefore, listDenials } from '../audit-repository.ts'

const flushAfterMs = 10_000
const minuteMs = 60_000
const keptMs = 30 * 24 * 60 * minuteMs
/** With more addresses than this at once, the others are counted together under ''. */
const maxRows = 10_000

/**
 * Counts refusals of callers without a valid credential, by address, minute and code. The counts are written in batches some
 * seconds later: a flood of wrong keys causes no additional writes, and a crash loses seconds of counts.
 */
export class DenialCounter {
	readonly #store: ControlStore
	readonly #clock: Clock
	readonly #log: Log
	#rows = new Map<string, DenialCount>()
	#timer: NodeJS.Timeout | null = null
	#prunedMs = 0

	constructor({ store, clock, log }: { store: ControlStore; clock: Clock; log: Log }) {
		this.#store = store
		this.#clock = clock
		this.#log = log
	}

	note(address: string, code: string): void {
		const minute = Math.floor(this.#clock.nowMs() / minuteMs) * minuteMs
		this.#add({ address, minute, code, count: 1 })
		this.#timer ??= setTimeout(() => void this.#flushOrLog(), flushAfterMs).unref()
	}

	/** Writes the pending counts. */
	async flush(): Promise<void> {
		if (this.#timer) clearTimeout(this.#timer)
		this.#timer = null
		const rows = [...this.#rows.values()].sort(byKey)
		this.#rows = new Map()
		if (rows.length === 0) return
		try {
			await transact(this.#store.db, (tx) => addDenials(tx, rows))
		} catch (error) {
			for (const row of rows) this.#add(row)
			throw error
		}
		await this.#prune()
	}

	async close(): Promise<void> {
		await this.#flushOrLog()
	}

	#add(row: DenialCount): void {
		const address = this.#rows.size < maxRows ? row.address : ''
		const key = JSON.stringify([row.minute, address, row.code])
		const known = this.#rows.get(key)
		if (known) known.count += row.count
		else this.#rows.set(key, { ...row, address })
	}

	async #flushOrLog(): Promise<void> {
		await this.flush().catch((error: unknown) =>
			this.#log.warn({ err: error }, 'audit: counts of denials could not be written; this will be retried'),
		)
	}

	async #prune(): Promise<void> {
		const nowMs = this.#clock.nowMs()
		if (Math.abs(nowMs - this.#prunedMs) < 60 * minuteMs) return
		this.#prunedMs = nowMs
		await deleteDenialsBefore(this.#store.db, this.#clock.deletionMs() - keptMs)
	}
}

/** Always in the same order, so that two nodes cannot deadlock on each other's rows. */
function byKey(a: DenialCount, b: DenialCount): number {
	return JSON.stringify([a.minute, a.address, a.code]) < JSON.stringify([b.minute, b.address, b.code])
		? -1
		: 1
}

type Position = Pick<DenialCount, 'minute' | 'address' | 'code'>

export function denialRoutes(store: ControlStore, sealer: Sealer, counter: DenialCounter): BoundOperation[] {
	return bind(denialOperations, {
		list: async ({ query }) => {
			await counter.flush()
			const after = query.cursor === undefined ? null : openCursor(sealer, query.cursor)
			const rows = await listDenials(store.db, after, query.limit + 1)
			const shown = rows.slice(0, query.limit)
			const last = rows.length > query.limit ? shown.at(-1) : undefined
			return {
				denials: shown.map(({ minute, ...row }) => ({ minute: toIso(minute), ...row })),
				next_cursor: last ? sealCursor(sealer, last) : null,
			}
		},
	})
}

const cursorContext = { workspaceId: '', kind: 'denial_cursor', origin: '', id: '' }

function sealCursor(sealer: Sealer, { minute, address, code }: Position): string {
	return sealer.seal(JSON.stringify({ minute, address, code }), cursorContext)
}

function openCursor(sealer: Sealer, cursor: string): Position {
	try {
		return JSON.parse(sealer.open(cursor, cursorContext)) as Position
	} catch {
		const detail = 'is not a cursor that this list gave'
		throw new Problem('invalid_request', `cursor: ${detail}.`, {
			errors: [{ pointer: '/cursor', code: 'cursor', detail }],
		})
	}
}
