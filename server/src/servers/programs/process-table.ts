import { readdir, readFile } from 'node:fs/promises'

const pageBytes = 4096

/** Resident memory of processes with all their descendants, in bytes; empty where there is no /proc. */
export async function memoryOfTrees(roots: readonly number[]): Promise<Map<number, number>> {
	const processes = await readProcesses()
	const children = Map.groupBy(processes.values(), ({ parent }) => parent)
	const sizeOf = (pid: number): number =>
		(children.get(pid) ?? []).reduce((sum, child) => sum + sizeOf(child.pid), processes.get(pid)?.bytes ?? 0)
	return new Map(roots.filter((pid) => processes.has(pid)).map((pid) => [pid, sizeOf(pid)]))
}

interface ProcessFigures {
	pid: number
	parent: number
	bytes: number
}

async function readProcesses(): Promise<Map<number, ProcessFigures>> {
	const names = await readdir('/proc').catch(() => [])
	const read = names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name)))
	return new Map((await Promise.all(read)).flatMap((one) => (one ? [[one.pid, one] as const] : [])))
}

/** The name in the second field may hold spaces and brackets, so fields are counted from its end. */
async function readProcess(pid: number): Promise<ProcessFigures | null> {
	const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
	return fields.length < 22 ? null : { pid, parent: Number(fields[1]), bytes: Number(fields[21]) * pageBytes }
}
