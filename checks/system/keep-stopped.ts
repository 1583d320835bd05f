import type { Program } from '../../server/src/program/program.testing.ts'

/** Stops the engine of a program that has no other children, and each that the program starts in its place. Returns what lets the last one run. */
export function keepStopped(program: Pick<Program, 'children'>): () => void {
	const stopped = new Set<number>()
	const stop = () => {
		for (const pid of program.children().filter((child) => !stopped.has(child))) {
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
