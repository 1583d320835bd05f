import { readdirSync, readFileSync } from 'node:fs'

/** Processor time that the threads of a process have used so far, in µs, by the thread's name. */
export type CpuUse = ReadonlyMap<string, number>

export function cpuUse(pid: number): CpuUse {
	const use = new Map<string, number>()
	for (const thread of readdirSync(`/proc/${pid}/task`)) {
		const [name, us] = threadUse(`/proc/${pid}/task/${thread}`)
		use.set(name, (use.get(name) ?? 0) + us)
	}
	return use
}

/** A thread that ended between the two readings counts as none. */
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

/** A process and all below it; what has ended meanwhile has none. */
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

/** Clock ticks a second of `/proc` on every Linux that Node runs on. */
const ticksPerSecond = 100

/** Processor time of several processes so far, threads that have ended included, in µs. */
export function cpuOfAll(pids: readonly number[]): number {
	return pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
}

function cpuOf(pid: number): number {
	const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
	// The name in brackets may hold blanks.
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
	return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond
}

/** Reads and writes that a process has asked the kernel for so far, sockets included; waits, wakes and flushes are not counted there. */
export function readsAndWrites(pid: number): number {
	const text = readFileSync(`/proc/${pid}/io`, 'utf8')
	return Number(/^syscr: (\d+)/m.exec(text)?.[1]) + Number(/^syscw: (\d+)/m.exec(text)?.[1])
}

/** Collections as `node --trace-gc` tells them: by isolate (each thread has one), the heap before and after in MB. */
const collection = /\[\d+:(0x[0-9a-f]+)\].*?: [A-Z][\w -]+ (?:\([^)]*\) )?([\d.]+) \([\d.]+\) -> ([\d.]+) \(/g

/** What all threads of a program have allocated in their heaps by what it has said so far, in MB; buffers lie elsewhere. */
export function allocatedMb(said: readonly string[]): number {
	const after = new Map<string, number>()
	let sum = 0
	for (const [, isolate = '', from, to] of said.join('\n').matchAll(collection)) {
		const before = after.get(isolate)
		if (before !== undefined) sum += Math.max(0, Number(from) - before)
		after.set(isolate, Number(to))
	}
	return sum
}
