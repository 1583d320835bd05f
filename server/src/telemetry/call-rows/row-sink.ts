import { SpanBlockWriter } from '../blocks/span-block.ts'
import {
	type Exchange,
	exchangeRowFormat,
	messageRowFormat,
	type StoredText,
	writeExchange,
	writeTexts,
} from '../exchanges/exchange.ts'
import type { RowsOfFormat } from '../recorder/call-facts.ts'
import { RowWriter } from '../row-writer.ts'
import { spanBlockFormat } from '../span-columns.ts'
import type { SpanRow } from '../span-row.ts'

/** The facts of a call as read from the log. If its process died, its end is null. */
export interface LoggedCall {
	workspaceId: string
	announced: Buffer
	ended: Buffer | null
	/** Whether to skip its bodies, because reading them failed. */
	bare: boolean
}

/** Builds the rows of one kind of call; lives as long as its thread. */
export interface RowsOfKind {
	/** Writes the rows of a call, its span last; usually synchronously. If it fails, it is called again with `bare` set. */
	make(call: LoggedCall, rules: unknown, rows: RowSink): Promise<void> | void
	/** Answers queries about what only this thread knows. */
	ask?(query: unknown): unknown
	/** Which texts are stored is no longer known. */
	forget?(): void
}

/** Collects the rows of calls in the format of the log and the engine. */
export class RowSink {
	readonly #spans = new SpanBlockWriter()
	readonly #exchanges = new Rows()
	readonly #texts = new Rows()

	span(row: SpanRow): void {
		this.#spans.add(row)
	}

	exchange(exchange: Exchange, retentionDays: number): void {
		writeExchange(this.#exchanges.writer, exchange, retentionDays)
		this.#exchanges.count += 1
	}

	texts(
		call: Pick<Exchange, 'workspaceId' | 'startNs'>,
		texts: readonly StoredText[],
		retentionDays: number,
	): void {
		writeTexts(this.#texts.writer, call, texts, retentionDays)
		this.#texts.count += texts.length
	}

	/** Begins a call. */
	begin(): void {
		this.#exchanges.mark()
		this.#texts.mark()
	}

	/** Discards what was written of the current call. */
	rollBack(): void {
		this.#spans.block.rollBack()
		this.#exchanges.rollBack()
		this.#texts.rollBack()
	}

	get bytes(): number {
		return this.#spans.block.bytes + this.#exchanges.writer.position + this.#texts.writer.position
	}

	/** The rows so far; texts come before the rows that refer to them. */
	take(): RowsOfFormat[] {
		const spans = {
			rowFormat: spanBlockFormat,
			count: this.#spans.block.rows,
			bytes: this.#spans.block.take(),
		}
		const parts = [this.#texts.take(messageRowFormat), this.#exchanges.take(exchangeRowFormat), spans]
		return parts.filter(({ count }) => count > 0)
	}

	reset(): void {
		this.#spans.block.reset()
		this.#exchanges.reset()
		this.#texts.reset()
	}
}

class Rows {
	readonly writer = new RowWriter(16 * 1024)
	count = 0
	#before = { position: 0, count: 0 }

	mark(): void {
		this.#before.position = this.writer.position
		this.#before.count = this.count
	}

	rollBack(): void {
		this.writer.position = this.#before.position
		this.count = this.#before.count
	}

	take(rowFormat: number): RowsOfFormat {
		const { count } = this
		this.count = 0
		return { rowFormat, count, bytes: this.writer.take() }
	}

	reset(): void {
		this.writer.reset()
		this.count = 0
	}
}
