import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The memory that this process and its children may use: the container's limit, or the machine's memory. */
export function memoryBytes(): number {
	const limit = process.constrainedMemory()
	// Outside of a container the limit is 0 or absurdly large.
	return limit > 0 && limit < totalmem() ? limit : totalmem()
}

/** Releases memory that only startup needed, in about 80 ms; V8 alone would keep it for hours. */
export function releaseMemory(): void {
	setFlagsFromString('--expose-gc')
	const collect = runInNewContext('gc') as NodeJS.GCFunction
	// Restores the flag, because cached compiled code is valid only for the flags it was compiled with.
	setFlagsFromString('--no-expose-gc')
	collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
