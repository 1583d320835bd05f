import type { ServerResponse } from 'node:http'

/** Resolves when a client has taken what waited for it, or is gone; one that takes nothing for `patienceMs` is cut off. */
export function drained(response: ServerResponse, patienceMs = 120_000): Promise<void> {
	if (response.destroyed || !response.writableNeedDrain) return Promise.resolve()
	return new Promise((resolve) => {
		const timer = setTimeout(() => response.destroy(), patienceMs)
		const done = () => {
			clearTimeout(timer)
			response.off('drain', done)
			response.off('close', done)
			resolve()
		}
		response.once('drain', done)
		response.once('close', done)
	})
}
