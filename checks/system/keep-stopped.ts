import { readFileSync } from 'node:fs'
import type { Program } from '../../server/src/program/program.testing.ts'

/**
 * Stops (SIGSTOP) the engine, which must be the program's only child, and every engine started in its place. Returns a function that
 * resumes it.
 */
export function keepStopped(program: Pick<Program, 'children' | 'pid'>): () => void {
	const stopped = new Set<number>()
	const own = commandOf(program.pid)
	// The program waits for a forked child until it has executed its own command. Stopped before that, the child would block the
	// program forever.
	const runs = (child: number) => ![own, ''].includes(commandOf(child))
	const stop = () => {
		for (const pid of program.children().filter((child) => !stopped.has(child) && runs(child))) {
			process.kill(pid, 'SIGSTOP')
			stopped.add(pid)
		}
	}
	stop()
	const timer = setInterval(stop, 20)
	return () => {
		clearInterval(timer)
		for (const pid of program.children()) process.kill(pid, 'SIGCONT')
	}
}

/** The command line of a process, or an empty string if it has ended. */
function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
	} catch {
		return ''
	}
}
