import { readdirSync, readFileSync } from 'node:fs'

const sampleEveryMs = 50

/** Processor time in µs, by the name that a thread had when it was used; threads of the engine change their names with their work. */
export type Costs = ReadonlyMap<string, number>

/** Watches the threads of processes until `stop`. */
export function watchCosts(pids: readonly number[]): { stop(): Costs } {
	const costs = new Map<string, number>()
	const last = new Map<string, number>()
	const sample = (counts: boolean) => {
		for (const pid of pids)
			for (const { thread, name, us } of threadsOf(pid)) {
				const before = last.get(thread)
				last.set(thread, us)
				if (counts) costs.set(name, (costs.get(name) ?? 0) + us - (before ?? 0))
			}
	}
	sample(false)
	const timer = setInterval(() => sample(true), sampleEveryMs)
	return {
		stop() {
			clearInterval(timer)
			sample(true)
			return costs
		},
	}
}

function threadsOf(pid: number): { thread: string; name: string; us: number }[] {
	const directory = `/proc/${pid}/task`
	try {
		return readdirSync(directory).flatMap((thread) => {
			try {
				const name = readFileSync(`${directory}/${thread}/comm`, 'utf8').trim()
				const us = Number(readFileSync(`${directory}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000
				return [{ thread, name, us }]
			} catch {
				// It ended between the two reads.
				return []
			}
		})
	} catch {
		return []
	}
}
