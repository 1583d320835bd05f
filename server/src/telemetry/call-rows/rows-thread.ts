import { parentPort, workerData } from 'node:worker_threads'
import '../../platform/json/escaped-keys.ts'
import { WorkSlices } from '../../platform/clock.ts'
import { encodeMadeRows, idBytes, numbersOfCall } from '../recorder/call-facts.ts'
import { LoggedRecords } from '../recorder/logged-records.ts'
import { type FactsKind, kindOfFacts } from '../recorder/segment-format.ts'
import type { FromRowsThread, PackedBatch, PackedRows, RowsModules, ToRowsThread } from './row-maker.ts'
import { type LoggedCall, RowSink, type RowsOfKind } from './row-sink.ts'

// Builds rows from the facts of calls in the log, in a separate thread from the one that serves calls.

const modules = workerData as RowsModules
const makers = new Map<FactsKind, RowsOfKind>()
const sink = new RowSink()
/** Batches run one after the other, because rows are built in the order of the log. */
let running = Promise.resolve()

parentPort?.on('message', (message: ToRowsThread) => {
	if (message.name === 'forget') for (const maker of makers.values()) maker.forget?.()
	else
		running = running.then(async () => {
			const answer = message.name === 'batch' ? await makeAll(message) : await answerTo(message)
			parentPort?.postMessage(answer, 'made' in answer ? [answer.made.bytes.buffer] : [])
		})
})

/** Loads modules at the first call of their kind: many programs carry tool calls only, and what reads model calls is large. */
async function load(kinds: Iterable<FactsKind>): Promise<void> {
	for (const kind of kinds) {
		const module = modules.get(kind)
		if (module !== undefined && !makers.has(kind))
			makers.set(kind, ((await import(module)) as { createRows(): RowsOfKind }).createRows())
	}
}

async function answerTo({
	id,
	kind,
	query,
}: Extract<ToRowsThread, { name: 'ask' }>): Promise<FromRowsThread> {
	try {
		await load([kind])
		return { id, answer: (await makers.get(kind)?.ask?.(query)) ?? null }
	} catch {
		return { id, answer: null }
	}
}

/** Maximum number of calls of one workspace per record of rows. With more, a refused row would affect too many others. */
const maxCalls = 256
const maxBytes = 64 * 1024

/**
 * How long a batch keeps the core before it yields. Larger batches are not sliced: calls then arrive all the time and find the core
 * busy anyway, each thread switch costs both threads the content of the core's caches, and a thread that yields might get too
 * little processor time.
 */
const sliceMs = 0.5
const maxSlicedCalls = 256

async function makeAll({ id, batch }: Extract<ToRowsThread, { name: 'batch' }>): Promise<FromRowsThread> {
	await load(batch.rules.keys())
	const all = new MadeRecords(batch)
	const records = new LoggedRecords(batch)
	const calls = batch.places.length / numbersOfCall
	const slices = calls > maxSlicedCalls ? null : new WorkSlices(sliceMs)
	try {
		const found = records.readAll(placesOf(batch), slices)
		for (let workspace = 0; workspace < batch.workspaces.length; workspace += 1) {
			for (let at = 0; at < calls; at += 1)
				if (batch.places[at * numbersOfCall + 1] === workspace) {
					// Nearly all calls complete synchronously, and awaiting each would cost more than writing its columns.
					const later = all.make(at, found[at * 2] ?? null, found[at * 2 + 1] ?? null)
					if (later instanceof Promise) await later
					slices?.pause()
				}
			all.end()
		}
		return { id, made: all.pack() }
	} finally {
		records.close()
		sink.reset()
	}
}

function placesOf({ places }: PackedBatch) {
	return Array.from({ length: (places.length / numbersOfCall) * 2 }, (_, at) => {
		const from = (at >> 1) * numbersOfCall + 2 + (at & 1) * 3
		return {
			segment: places[from] as number,
			at: places[from + 1] as number,
			bytes: places[from + 2] as number,
		}
	})
}

/** The records of rows that one batch produces. */
class MadeRecords {
	readonly #batch: PackedBatch
	readonly #records: Buffer[] = []
	readonly #numbers: number[] = []
	readonly #errors: string[] = []
	#unreadable = 0
	#workspace = 0
	#calls: number[] = []
	#end = 0

	constructor(batch: PackedBatch) {
		this.#batch = batch
	}

	make(at: number, announced: Buffer | null, ended: Buffer | null): Promise<void> | void {
		const { places, workspaces, bare, rules } = this.#batch
		const kind = kindOfFacts(places[at * numbersOfCall] as number)
		this.#workspace = places[at * numbersOfCall + 1] as number
		const workspaceId = workspaces[this.#workspace] as string
		const maker = makers.get(kind)
		if (!announced || !ended || !maker) {
			this.#unreadable += 1
			return
		}
		const call = { workspaceId, announced, ended: ended.length === 0 ? null : ended, bare }
		const later = this.#makeOne(maker, call, rules.get(kind)?.get(workspaceId))
		if (later instanceof Promise) return later.then(() => this.#count(at))
		this.#count(at)
	}

	#count(at: number): void {
		this.#calls.push(at)
		if (this.#calls.length >= maxCalls || sink.bytes >= maxBytes) this.end()
	}

	#makeOne(maker: RowsOfKind, call: LoggedCall, rules: unknown): Promise<void> | void {
		const again = (error: unknown) => {
			this.#errors.push(String((error as Error)?.stack ?? error))
			sink.rollBack()
			// Its bodies may be what cannot be read, or even its end; a row without them is better than none, and than no rows of others.
			return maker.make(call.bare ? { ...call, ended: null } : { ...call, bare: true }, rules, sink)
		}
		sink.begin()
		try {
			return maker.make(call, rules, sink)?.catch(again)
		} catch (error) {
			return again(error)
		}
	}

	/** Ends the current record. */
	end(): void {
		const calls = this.#calls
		if (calls.length === 0) return
		this.#calls = []
		const ids = new Uint8Array(calls.length * idBytes)
		for (const [to, at] of calls.entries())
			ids.set(this.#batch.ids.subarray(at * idBytes, (at + 1) * idBytes), to * idBytes)
		const parts = sink.take()
		const record = encodeMadeRows(ids, parts)
		this.#end += record.length
		this.#records.push(record)
		this.#numbers.push(
			this.#workspace,
			calls.length,
			parts.reduce((sum, { count }) => sum + count, 0),
			this.#end,
		)
	}

	pack(): PackedRows {
		const bytes = new Uint8Array(this.#end)
		let at = 0
		for (const record of this.#records) {
			bytes.set(record, at)
			at += record.length
		}
		const records = new Float64Array(this.#numbers)
		return { bytes, records, unreadable: this.#unreadable, errors: this.#errors }
	}
}
