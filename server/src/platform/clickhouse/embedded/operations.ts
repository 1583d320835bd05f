/** Keeps the running calls with their deadlines, for the watchdog and for an orderly end. */
export interface Operations {
	/** Runs a call that is hung when it lasts longer than `limitMs`. */
	track<Result>(limitMs: number, call: () => Promise<Result>): Promise<Result>
	/** True when a call is past its limit: the engine will not come back from it by itself. */
	isStuck(): boolean
	/** Resolves when nothing runs, or after `timeoutMs`; true when nothing runs. */
	drain(timeoutMs: number): Promise<boolean>
}

/** @param nowMs a clock that only moves forward */
export function createOperations(nowMs: () => number): Operations {
	const deadlines = new Set<{ atMs: number }>()
	let onEmpty: (() => void) | undefined

	return {
		async track(limitMs, call) {
			const deadline = { atMs: nowMs() + limitMs }
			deadlines.add(deadline)
			try {
				return await call()
			} finally {
				deadlines.delete(deadline)
				if (deadlines.size === 0) onEmpty?.()
			}
		},
		isStuck: () => [...deadlines].some((deadline) => deadline.atMs < nowMs()),
		async drain(timeoutMs) {
			if (deadlines.size === 0) return true
			await new Promise<void>((resolve) => {
				onEmpty = resolve
				setTimeout(resolve, timeoutMs).unref()
			})
			return deadlines.size === 0
		},
	}
}
