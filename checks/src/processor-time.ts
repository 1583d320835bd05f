import { readFileSync } from 'node:fs'
import { familyOf } from '../../bench/src/cpu.ts'

/** Clock ticks per second in `/proc`, on every Linux on which Node runs. */
const ticksPerSecond = 100

interface ProcessTimes {
	/** Of the process itself, in seconds. */
	own: number
	/** Of its children that have ended, with their own children. */
	ended: number
}

/** Processor time of a process; zeros if it has ended or the system does not report it. */
export function timesOf(pid: number | 'self'): ProcessTimes {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
		// After the program's name, which may contain spaces.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
		const secondsAt = (at: number) => (Number(fields[at]) + Number(fields[at + 1])) / ticksPerSecond
		return { own: secondsAt(11), ended: secondsAt(13) }
	} catch {
		return { own: 0, ended: 0 }
	}
}

/** Processor time of this process and of all programs that it has started so far, directly or not, in seconds. */
export function secondsOfFamily(pid: number = process.pid): number {
	return familyOf(pid).reduce((sum, member) => sum + timesOf(member).own + timesOf(member).ended, 0)
}
