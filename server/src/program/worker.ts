// The program of a worker. The primary starts it with its number and the directory of the compile cache.
import * as module from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { openWorkerProcesses } from '../platform/processes/processes.ts'
import type { WorkerStart } from './workers-of-program.ts'

const [number = '', compiled = ''] = process.argv.slice(2)
// The same flags as in the program itself, because the compile cache depends on them.
setFlagsFromString('--no-parallel-scavenge')
setFlagsFromString('--heap-growing-percent=200')
setFlagsFromString('--memory-reducer-gc-count=1')
if (compiled !== '') module.enableCompileCache(compiled)
process.umask(0o077)
// A terminal and systemd signal the whole process group, but the primary decides when its workers end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
// Without the primary there is neither the engine nor a way to reach it. What was acknowledged is on disk.
process.once('disconnect', () => process.exit(1))

const processes = openWorkerProcesses(Number(number), process)
processes.answer('start', async (start: WorkerStart) => {
	const { runWorker } = await import('./workers-of-program.ts')
	const stop = await runWorker(start, processes)
	processes.answer('stop', () => stop().then(() => process.exit(0)))
})
