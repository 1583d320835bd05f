import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Gives back what only the start needed, in about 80 ms: left alone, V8 would keep it for hours. */
export function releaseMemory(): void {
	setFlagsFromString('--expose-gc')
	const collect = runInNewContext('gc') as NodeJS.GCFunction
	// Compiled code is kept for the flags it was compiled with.
	setFlagsFromString('--no-expose-gc')
	collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
