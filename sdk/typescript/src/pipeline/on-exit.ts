const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** The longest time by which the SDK delays an exit. */
const maxMs = 1000

const flushes = new Set<() => Promise<void>>()
let watching = false

/** Calls `flush` before the process exits normally or by a signal that nobody else handles. */
export function flushAtExit(flush: () => Promise<void>): void {
	flushes.add(flush)
	if (watching) return
	watching = true
	process.once('beforeExit', () => void flushAll())
	// Before all other listeners, because those that listen once are gone when they have run, and would not be counted.
	for (const signal of signals) process.prependOnceListener(signal, () => void endBy(signal))
}

/** Resolves when a promise has settled, or after a second; keeps the process alive until then. */
export async function withinLimit(work: Promise<unknown>): Promise<void> {
	let timer: NodeJS.Timeout | undefined
	const limit = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, maxMs)
	})
	await Promise.race([work.then(noMatter, noMatter), limit])
	clearTimeout(timer)
}

function flushAll(): Promise<void> {
	return withinLimit(Promise.all([...flushes].map((flush) => flush())))
}

/** A listener suppresses the default exit of a signal, so if ours is the only one, it must end the process itself. */
async function endBy(signal: (typeof signals)[number]): Promise<void> {
	const isOursAlone = process.listenerCount(signal) === 0
	await flushAll()
	if (isOursAlone) process.kill(process.pid, signal)
}

function noMatter(): void {}
