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

/** A call as it lies in the log; null in place of its end: its process died. */
export interface LoggedCall {
	workspaceId: string
	announced: Buffer
	ended: Buffer | null
	/** Whether its bodies are left alone: reading them has failed. */
	bare: boolean
}

/** Makes the rows of one kind of calls; it lives as long as its thread. */
export interface RowsOfKind {
	/** Writes the rows of a call, its span last; mostly at once. When it fails, it is asked again to leave the bodies alone. */
	make(call: LoggedCall, rules: unknown, rows: RowSink): Promise<void> | void
	/** Answers what nobody else knows. */
	ask?(query: unknown): unknown
	/** Nobody knows which texts are stored. */
	forget?(): void
}

/** Takes the rows of calls, in the form in which the log and the engine have them. */
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

	/** A call begins. */
	begin(): void {
		this.#exchanges.mark()
		this.#texts.mark()
	}

	/** Takes back what was written of the call. */
	rollBack(): void {
		this.#spans.block.rollBack()
		this.#exchanges.rollBack()
		this.#texts.rollBack()
	}

	get bytes(): number {
		return this.#spans.block.bytes + this.#exchanges.writer.position + this.#texts.writer.position
	}

	/** The rows so far, texts before what refers to them. */
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
