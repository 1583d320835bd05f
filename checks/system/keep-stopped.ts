import { readFileSync } from 'node:fs'
import type { Program } from '../../server/src/program/program.testing.ts'

/** Stops the engine of a program that has no other children, and each that the program starts in its place. Returns what lets the last one run. */
export function keepStopped(program: Pick<Program, 'children' | 'pid'>): () => void {
	const stopped = new Set<number>()
	const own = commandOf(program.pid)
	// A child that does not run its own command yet is waited for by the program: stopped then, it would hold up the program for ever.
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

/** Empty for one that has ended. */
function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
	} catch {
		return ''
	}
}
