import type { Log } from './log.ts'

type Step = readonly [name: string, maxMs: number, end: () => Promise<unknown>]

/** Stops parts one after another. One that fails or takes too long is logged by name and does not block the following ones. */
export async function endInOrder(log: Pick<Log, 'error'>, steps: readonly Step[]): Promise<void> {
	for (const [part, maxMs, end] of steps)
		await within(end(), maxMs).catch((error: unknown) =>
			log.error({ err: error, part }, 'stopping: a part did not end in order'),
		)
}

function within(ending: Promise<unknown>, maxMs: number): Promise<unknown> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`It did not end within ${maxMs} ms.`)), maxMs)
	})
	return Promise.race([ending, late]).finally(() => clearTimeout(timer))
}
