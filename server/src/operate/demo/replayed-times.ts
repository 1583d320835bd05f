import type { Recorder, SpanRow } from '../../telemetry/index.ts'

type Calls = Pick<Recorder, 'begin' | 'finish'>

/** When a replayed call was made, and how long it took. */
export interface RecordedTime {
	startNs: bigint
	durationNs: bigint
}

/**
 * The times of calls that are being replayed, by workspace and parent span. They are known to this process alone and only
 * until the call is recorded, so that nobody else can date a call.
 */
export class ReplayedTimes {
	readonly #times = new Map<string, RecordedTime>()

	/** Dates the call of this parent span. */
	set(workspaceId: string, parentSpanId: string, time: RecordedTime): void {
		this.#times.set(`${workspaceId} ${parentSpanId}`, time)
	}

	forget(workspaceId: string, parentSpanId: string): void {
		this.#times.delete(`${workspaceId} ${parentSpanId}`)
	}

	/** A recorder that writes replayed calls with their own times and a mark, and all others as they are. */
	recorder({ begin, finish }: Calls): Calls {
		return {
			begin: (interrupted) => begin(this.#dated(interrupted)),
			finish: (intent, outcome) => finish(intent, this.#dated(outcome)),
		}
	}

	/** For model calls, whose rows are made later: nanoseconds as text. */
	readonly datedBy = (workspaceId: string, parentSpanId: string) => {
		const time = this.#timeOf({ workspaceId, parentSpanId })
		return time && { startNs: String(time.startNs), durationNs: String(time.durationNs) }
	}

	#timeOf({
		workspaceId,
		parentSpanId,
	}: Pick<SpanRow, 'workspaceId' | 'parentSpanId'>): RecordedTime | undefined {
		return this.#times.size === 0 ? undefined : this.#times.get(`${workspaceId} ${parentSpanId}`)
	}

	#dated(row: SpanRow): SpanRow {
		const time = this.#timeOf(row)
		if (!time) return row
		const timeToFirstTokenNs = row.timeToFirstTokenNs === null ? null : time.durationNs / 3n
		const attributes = new Map([...row.attributes, ['signalbox.demo', true] as const])
		return { ...row, ...time, timeToFirstTokenNs, attributes }
	}
}
