/** How loaded the process is. */
export interface Load {
	/** How late timers of the event loop run, for a second or so. */
	lagMs: number
	/** How full the telemetry log is, 0 to 1. */
	logFill: number
	/** How near the process is to its memory limit, 0 to 1. */
	memoryFill: number
}

/** What is refused, in this order, each with all before it: ingestion, the API and pages, MCP and model calls. */
export const shedClasses = ['ingest', 'api', 'calls'] as const

/** How many of `shedClasses` are refused, and for how many readings in a row it could have been one fewer. */
export interface OverloadState {
	level: number
	calm: number
}

export const noOverload: OverloadState = { level: 0, calm: 0 }

/** From where on a class is refused; a full log is for ingestion only: the recorder judges calls itself. Lag is not for calls: see `Admission`. */
const limits: readonly { lag: number; logFill: number; memoryFill: number }[] = [
	{ lag: 1, logFill: 0.8, memoryFill: 0.85 },
	{ lag: 4, logFill: Number.POSITIVE_INFINITY, memoryFill: 0.92 },
	{ lag: Number.POSITIVE_INFINITY, logFill: Number.POSITIVE_INFINITY, memoryFill: 0.97 },
]
/** A level ends only well under its limits and after a while, or it would come and go. */
const ease = 0.8
const calmReadings = 8

/** The next state after a reading. `lagMs` is where refusing begins (0: lag does not count). */
export function judgeLoad(state: OverloadState, load: Load, lagMs: number): OverloadState {
	const level = levelOf(load, lagMs, 1)
	if (level >= state.level) return { level, calm: 0 }
	if (levelOf(load, lagMs, ease) >= state.level) return { level: state.level, calm: 0 }
	if (state.calm + 1 < calmReadings) return { level: state.level, calm: state.calm + 1 }
	return { level: state.level - 1, calm: 0 }
}

function levelOf(load: Load, lagMs: number, factor: number): number {
	const reached = limits.map(
		({ lag, logFill, memoryFill }) =>
			(lagMs > 0 && load.lagMs >= lag * lagMs * factor) ||
			load.logFill >= logFill * factor ||
			load.memoryFill >= memoryFill * factor,
	)
	return reached.lastIndexOf(true) + 1
}
