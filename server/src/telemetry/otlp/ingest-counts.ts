import type { Rejections } from './decoded.ts'
import { type Signal, signalNames } from './signals.ts'

/** Outcomes of what was sent to a process since it started. */
export interface IngestFigures {
	/** Items that were recorded and acknowledged. */
	accepted: Record<Signal, number>
	/** Items that were acknowledged but not recorded again: an exporter's retry of the same body. */
	repeated: Record<Signal, number>
	/** Items that cannot be stored, as reported to their senders. */
	dropped: { signal: Signal; reason: string; items: number }[]
	/** Requests that were refused as a whole, by problem code. */
	refused: { reason: string; requests: number }[]
}

/** More than the code has reasons; senders must not be able to create an unlimited number of metrics. */
const maxReasons = 200

/** Counts what arrives by OTLP. */
export class IngestCounts {
	readonly #accepted = ofNone()
	readonly #repeated = ofNone()
	readonly #dropped = new Map<string, { signal: Signal; reason: string; items: number }>()
	readonly #refused = new Map<string, number>()

	accept(signal: Signal, items: number, isNew: boolean): void {
		const counts = isNew ? this.#accepted : this.#repeated
		counts[signal] += items
	}

	drop(signal: Signal, rejections: Rejections): void {
		for (const [given, items] of Object.entries(rejections)) {
			const isKnown = this.#dropped.has(`${signal} ${given}`)
			const reason = isKnown || this.#dropped.size < maxReasons ? given : 'other'
			const before = this.#dropped.get(`${signal} ${reason}`)?.items ?? 0
			this.#dropped.set(`${signal} ${reason}`, { signal, reason, items: before + items })
		}
	}

	refuse(reason: string, requests = 1): void {
		this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + requests)
	}

	figures(): IngestFigures {
		return {
			accepted: { ...this.#accepted },
			repeated: { ...this.#repeated },
			dropped: [...this.#dropped.values()],
			refused: [...this.#refused].map(([reason, requests]) => ({ reason, requests })),
		}
	}
}

function ofNone(): Record<Signal, number> {
	return { traces: 0, metrics: 0, logs: 0 }
}

/** Adds the figures of two processes. */
export function addIngest(a: IngestFigures, b: IngestFigures): IngestFigures {
	const sum = new IngestCounts()
	for (const { accepted, repeated, dropped, refused } of [a, b]) {
		for (const signal of signalNames) {
			sum.accept(signal, accepted[signal], true)
			sum.accept(signal, repeated[signal], false)
		}
		for (const { signal, reason, items } of dropped) sum.drop(signal, { [reason]: items })
		for (const { reason, requests } of refused) sum.refuse(reason, requests)
	}
	return sum.figures()
}
