import type { Recorder } from '../recorder/recorder.ts'
import type { Exchange, StoredText } from './exchange.ts'
import { exchangeRowFormat, messageRowFormat } from './exchange-columns.ts'
import { encodeExchange, encodeTexts } from './write-exchange.ts'

/** Nobody waits for these rows: what comes within this time goes into the log together, in one record. */
const gatherMs = 50
/** Half of what the log takes without its thread. */
const gatherBytes = 32 * 1024

/** What calls of one workspace carried, until it is written. */
export class GatheredExchanges {
	readonly #recorder: Pick<Recorder, 'append'>
	readonly #workspaceId: string
	readonly #close: () => void
	readonly #written: Promise<void>
	readonly #full = Promise.withResolvers<void>()
	readonly #timer: NodeJS.Timeout
	readonly #exchanges: Buffer[] = []
	readonly #texts: Buffer[] = []
	#textCount = 0
	#bytes = 0

	/** `close`: it takes no more. */
	constructor(recorder: Pick<Recorder, 'append'>, workspaceId: string, close: () => void) {
		this.#recorder = recorder
		this.#workspaceId = workspaceId
		this.#close = close
		this.#timer = setTimeout(() => this.#full.resolve(), gatherMs)
		this.#written = this.#full.promise.then(() => this.#write())
	}

	/** Resolves when all of it is recorded. */
	add(exchange: Exchange, texts: readonly StoredText[], retentionDays: number): Promise<void> {
		const row = encodeExchange(exchange, retentionDays)
		this.#exchanges.push(row)
		this.#bytes += row.length
		if (texts.length > 0) this.#addTexts(encodeTexts(exchange, texts, retentionDays), texts.length)
		if (this.#bytes > gatherBytes) this.#end()
		return this.#written
	}

	#addTexts(rows: Buffer, count: number): void {
		this.#texts.push(rows)
		this.#textCount += count
		this.#bytes += rows.length
	}

	#end(): void {
		clearTimeout(this.#timer)
		this.#full.resolve()
	}

	/** Texts first, so that no row refers to one that is not there. */
	async #write(): Promise<void> {
		this.#close()
		await this.#append(messageRowFormat, this.#texts, this.#textCount)
		await this.#append(exchangeRowFormat, this.#exchanges, this.#exchanges.length)
	}

	async #append(rowFormat: number, rows: readonly Buffer[], count: number): Promise<void> {
		const bytes = rows.length === 1 ? (rows[0] as Buffer) : Buffer.concat(rows)
		await this.#recorder.append({ workspaceId: this.#workspaceId, rowFormat, count, bytes })
	}
}
