import { mkdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RowFormat } from '../row-formats.ts'
import type { LogReader } from './log-reader.ts'
import type { NewestPart } from './read-batch.ts'
import type { NewestAnswer, NewestFile, NewestRows } from './recorder.ts'
import type { Shipper } from './shipper.ts'

interface NewestOptions {
	/** Directory of the log. */
	directory: string
	shipper: Pick<Shipper, 'unsettled' | 'hold'>
	reader: Pick<LogReader, 'writeNewest'>
	formats: ReadonlyMap<number, RowFormat>
}

/** Limit per query. Reading more would take longer than an answer may; it is what two cores ingest in a second or two. */
const maxBytes = 64 * 1024 * 1024
/** The limit for a query about certain traces. They are searched by id, so little needs to be read completely. */
const maxBytesOfTraces = 256 * 1024 * 1024
/** Rows without their time of storage are read while shipping is paused. This is how long to wait for the pause. */
const holdWaitMs = 2000
/** After queries have paused shipping for this long without a break, it runs for as long before the next pause. */
const maxHoldMs = 1000
/** A batch begun while a query runs is stored within this time after it. The time limit of a query is half of this. */
const maxQuestionMs = 60_000

interface Wanted {
	table: string
	workspaceId: string
	/** If given, only these traces are wanted. */
	traces?: readonly string[]
}

/** Reads rows from the log that the store does not have yet, so that a query sees every row acknowledged before it, exactly once. */
export class NewestRowsReader {
	readonly #options: NewestOptions
	readonly #directory: string
	#files = 0
	/** Running queries that pause shipping; `#heldSinceMs` is when the first of them began. */
	#holders = 0
	#heldSinceMs = 0
	#restUntilMs = 0

	constructor(options: NewestOptions) {
		this.#options = options
		this.#directory = join(resolve(options.directory), 'newest')
		// Remove what a killed program left.
		rmSync(this.#directory, { recursive: true, force: true })
		mkdirSync(this.#directory, { mode: 0o700 })
	}

	/** Never rejects: a query that cannot get the newest rows is answered without them. */
	async read(table: string, workspaceId: string, traces?: readonly string[]): Promise<NewestAnswer> {
		for (let attempt = 0; attempt < 3; attempt++) {
			// The store may take the rows in the meantime, and their segment may then be deleted.
			const found = await this.#read({ table, workspaceId, ...(traces && { traces }) }).catch(() => null)
			if (found) return found
		}
		return 'unknown'
	}

	async #read(wanted: Wanted): Promise<NewestAnswer> {
		const found = await this.#find(wanted)
		if (typeof found === 'string') return found
		const isStamped = found.parts.every(({ rowFormat }) => this.#options.formats.get(rowFormat)?.layouts)
		if (isStamped) return this.#answer(found, () => undefined)
		await this.#remove(found.parts)
		const release = await this.#hold()
		if (!release) return 'unknown'
		try {
			const held = await this.#find(wanted)
			if (typeof held !== 'string') return this.#answer({ ...held, ofStored: '' }, release)
			release()
			return held
		} catch (error) {
			release()
			throw error
		}
	}

	/** Pauses shipping until the release is called; null if the pause would take too long to begin, or delay shipping for too long. */
	async #hold(): Promise<(() => void) | null> {
		const nowMs = performance.now()
		if (this.#holders === 0) this.#heldSinceMs = nowMs
		if (nowMs < this.#restUntilMs || nowMs - this.#heldSinceMs > maxHoldMs) return null
		this.#holders += 1
		const leave = () => {
			this.#holders -= 1
			const endMs = performance.now()
			if (this.#holders === 0 && endMs - this.#heldSinceMs > maxHoldMs) this.#restUntilMs = endMs + maxHoldMs
		}
		const release = await this.#options.shipper.hold(holdWaitMs).catch(() => null)
		if (!release) leave()
		return (
			release &&
			(() => {
				release()
				leave()
			})
		)
	}

	async #find({
		table,
		workspaceId,
		traces,
	}: Wanted): Promise<{ parts: readonly NewestPart[]; ofStored: string } | 'none' | 'unknown'> {
		const { shipper, formats, reader } = this.#options
		const unsettled = shipper.unsettled()
		if (!unsettled) return 'unknown'
		const { ranges, atMs, insertedMs } = unsettled
		if (ranges.length === 0) return 'none'
		const most = traces ? maxBytesOfTraces : maxBytes
		if (ranges.reduce((sum, { from, to }) => sum + to - from, 0) > most) return 'unknown'
		const wanted = [...formats].filter(([, format]) => format.table === table && format.types)
		const path = join(this.#directory, String(this.#files++))
		const parts = await reader.writeNewest({
			ranges,
			formats: wanted.map(([number]) => number),
			workspaceId,
			path,
			...(traces && { traces }),
		})
		if (parts.length === 0) return 'none'
		const time = (ms: number) => `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`
		const known = insertedMs.length > 0 ? ` AND stored_at NOT IN (${insertedMs.map(time).join(', ')})` : ''
		const ofStored = `(stored_at <= ${time(atMs)} OR stored_at > ${time(atMs + maxQuestionMs)})${known}`
		return { parts, ofStored }
	}

	#answer(
		{ parts, ofStored }: { parts: readonly NewestPart[]; ofStored: string },
		release: () => void,
	): NewestRows {
		const files = parts.map(({ rowFormat, path }): NewestFile => {
			const { columns, types = [], layouts } = this.#options.formats.get(rowFormat) as RowFormat
			const structure = columns.map((name, i) => `${name} ${types[i]}`).join(', ')
			return { path, format: layouts ? 'Native' : 'RowBinary', structure, columns }
		})
		return {
			files,
			ofStored,
			release: () => {
				release()
				void this.#remove(parts)
			},
		}
	}

	async #remove(parts: readonly NewestPart[]): Promise<void> {
		await Promise.all(parts.map(({ path }) => rm(path, { force: true })))
	}
}
