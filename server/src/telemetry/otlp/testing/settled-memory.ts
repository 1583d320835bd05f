import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** What this process holds once all garbage is gone, in bytes: objects, and buffers outside the heap. */
export function settledMemory(): number {
	// The first leaves up to 40 MB to the second.
	for (let times = 0; times < 2; times++) collect()
	const { heapUsed, external } = process.memoryUsage()
	return heapUsed + external
}
