import { readdirSync, readFileSync } from 'node:fs'

/** Processor time that the threads of a process have used so far, in µs, by thread name. */
export type CpuUse = ReadonlyMap<string, number>

export function cpuUse(pid: number): CpuUse {
	const use = new Map<string, number>()
	for (const thread of readdirSync(`/proc/${pid}/task`)) {
		const [name, us] = threadUse(`/proc/${pid}/task/${thread}`)
		use.set(name, (use.get(name) ?? 0) + us)
	}
	return use
}

/** A thread that ended between the two reads is ignored. */
function threadUse(directory: string): [name: string, us: number] {
	try {
		const name = readFileSync(`${directory}/comm`, 'utf8').trim()
		return [name, Number(readFileSync(`${directory}/schedstat`, 'utf8').split(' ')[0]) / 1000]
	} catch {
		return ['', 0]
	}
}

/** What was used between two readings. */
export function cpuSince(before: CpuUse, after: CpuUse): CpuUse {
	return new Map([...after].map(([name, us]) => [name, us - (before.get(name) ?? 0)]))
}

export function sumOf(use: CpuUse): number {
	return [...use.values()].reduce((sum, us) => sum + us, 0)
}

/** A process and all its descendants; empty for a process that has ended meanwhile. */
export function familyOf(pid: number): number[] {
	return [pid, ...childrenOf(pid).flatMap((child) => familyOf(child))]
}

function childrenOf(pid: number): number[] {
	try {
		const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
		return text.split(' ').filter(Boolean).map(Number)
	} catch {
		return []
	}
}

/** Clock ticks per second in `/proc`, on every Linux on which Node runs. */
const ticksPerSecond = 100

/** Processor time of several processes so far, including threads that have ended, in µs. */
export function cpuOfAll(pids: readonly number[]): number {
	return pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
}

function cpuOf(pid: number): number {
	const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
	// The name in parentheses may contain spaces.
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
	return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond
}

/** Number of read and write system calls of a process so far, including sockets; waits, wake-ups and flushes are not counted. */
export function readsAndWrites(pid: number): number {
	const text = readFileSync(`/proc/${pid}/io`, 'utf8')
	return Number(/^syscr: (\d+)/m.exec(text)?.[1]) + Number(/^syscw: (\d+)/m.exec(text)?.[1])
}

/** A garbage collection in the output of `node --trace-gc`: the isolate (each thread has one), and the heap before and after in MB. */
const collection = /\[\d+:(0x[0-9a-f]+)\].*?: [A-Z][\w -]+ (?:\([^)]*\) )?([\d.]+) \([\d.]+\) -> ([\d.]+) \(/g

/**
 * What all threads of a program have allocated in their heaps according to its output so far, in MB; buffers are not part of the heap.
 */
export function allocatedMb(output: readonly string[]): number {
	const after = new Map<string, number>()
	let sum = 0
	for (const [, isolate = '', from, to] of output.join('\n').matchAll(collection)) {
		const before = after.get(isolate)
		if (before !== undefined) sum += Math.max(0, Number(from) - before)
		after.set(isolate, Number(to))
	}
	return sum
}
