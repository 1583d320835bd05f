import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compiledCodeEnvironment } from '../../platform/compiled-code.ts'

const programPath = fileURLToPath(new URL('../worker.ts', import.meta.url))

/** Starts the process of a worker; what it is to do goes through the pipe, which others cannot read. */
export function spawnWorker(number: number): ChildProcess {
	const { NODE_COMPILE_CACHE: compiled = '' } = compiledCodeEnvironment()
	const flags = ['--disable-proto=delete', '--disable-warning=ExperimentalWarning']
	return spawn(process.execPath, [...flags, programPath, String(number), compiled], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		serialization: 'advanced',
	})
}
