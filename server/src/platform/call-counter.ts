import { type Bound, CallLimiter, type Reached } from './call-limiter.ts'
import type { Clock } from './clock.ts'
import { type Processes, primary } from './processes/index.ts'

/** Counts calls against limits: a worker asks the primary, which counts for all. */
export interface CallCounter {
	/** See `CallLimiter.enter`; a worker's rejects with a `Problem` when the primary is gone. */
	enter(bounds: readonly Bound[], nowMs: number): Reached | null | Promise<Reached | null>
	leave(bounds: readonly Bound[]): void
}

const enterCall = 'call-limits.enter'
const leaveCall = 'call-limits.leave'

export function createCallCounter(processes: Processes, clock: Clock): CallCounter {
	if (processes.number !== primary)
		return {
			enter: (bounds) => processes.ask(primary, enterCall, bounds),
			leave: (bounds) => processes.tell(primary, leaveCall, bounds),
		}
	const limiter = new CallLimiter()
	countForWorkers(limiter, processes, clock)
	return limiter
}

/** Calls of a worker that ends have ended too. */
function countForWorkers(limiter: CallLimiter, processes: Processes, clock: Clock): void {
	const running = new Map<number, Map<string, (readonly Bound[])[]>>()
	const runningOf = (worker: number) => {
		const calls = running.get(worker) ?? new Map<string, (readonly Bound[])[]>()
		running.set(worker, calls)
		return calls
	}
	processes.answer(enterCall, (bounds: readonly Bound[], worker) => {
		const reached = limiter.enter(bounds, clock.nowMs())
		if (!reached) add(runningOf(worker), bounds)
		return reached
	})
	processes.answer(leaveCall, (bounds: readonly Bound[], worker) => {
		limiter.leave(bounds)
		remove(runningOf(worker), bounds)
	})
	processes.onEnded((worker) => {
		for (const bounds of [...runningOf(worker).values()].flat()) limiter.leave(bounds)
		running.delete(worker)
	})
}

const keyOf = (bounds: readonly Bound[]) => bounds.map(({ key }) => key).join(' ')

function add(calls: Map<string, (readonly Bound[])[]>, bounds: readonly Bound[]): void {
	const key = keyOf(bounds)
	const same = calls.get(key)
	if (same) same.push(bounds)
	else calls.set(key, [bounds])
}

function remove(calls: Map<string, (readonly Bound[])[]>, bounds: readonly Bound[]): void {
	const key = keyOf(bounds)
	const same = calls.get(key)
	same?.pop()
	if (same?.length === 0) calls.delete(key)
}
