interface Shared {
	timer: NodeJS.Timeout
	calls: Set<() => void>
}

const intervals = new Map<number, Shared>()

/**
 * Calls at an interval until the result is called. All calls of one interval share a timer, which keeps no process alive: a program
 * with nothing to do is woken once for all of them.
 */
export function atIntervals(everyMs: number, call: () => void): () => void {
	const shared = intervals.get(everyMs) ?? start(everyMs)
	// The same function may be given twice.
	const own = () => call()
	shared.calls.add(own)
	return () => {
		if (!shared.calls.delete(own) || shared.calls.size > 0) return
		clearInterval(shared.timer)
		intervals.delete(everyMs)
	}
}

function start(everyMs: number): Shared {
	const calls = new Set<() => void>()
	const timer = setInterval(() => {
		for (const call of [...calls]) if (calls.has(call)) call()
	}, everyMs).unref()
	const shared = { timer, calls }
	intervals.set(everyMs, shared)
	return shared
}
