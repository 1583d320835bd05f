import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

export interface Stage {
	program: Program
	upstreamUrl: string
	passThroughUrl: string
	passThroughPid: number
	/** Whether the program and the pass-through have a core of their own. */
	pinned: boolean
	close(): Promise<void>
}

/** Whether the program can have a core of its own here. */
export const pinned = existsSync('/usr/bin/taskset') && availableParallelism() >= 2

/**
 * `sheds`: whether load shedding is enabled as usual. The program (all its threads) and the bare pass-through are on core 0; its
 * engine's process, the load and the far end on core 1.
 */
export async function openStage(nodeFlags: readonly string[] = [], sheds = false): Promise<Stage> {
	const children: ChildProcess[] = []
	const { url: upstreamUrl } = await startPart('upstream.ts', [], 1, children)
	const passThrough = await startPart('pass-through.ts', [upstreamUrl], 0, children)
	const dataDir = newDataDir()
	// On a busy machine, calls would be refused instead of measured.
	const settings = {
		SIGNALBOX_PROGRAM_PATHS: import.meta.dirname,
		...(!sheds && { SIGNALBOX_OVERLOAD_LAG_MS: '10000' }),
	}
	const program = await startProgram(dataDir, settings, { prefix: onCore(0), nodeFlags })
	for (const pid of [process.pid, ...program.children()]) moveToCore(1, pid)
	const close = async () => {
		await program.kill('SIGTERM')
		for (const child of children) child.kill()
		removeDataDir(dataDir)
	}
	return {
		program,
		upstreamUrl,
		passThroughUrl: passThrough.url,
		passThroughPid: passThrough.pid,
		pinned,
		close,
	}
}

/** Moves all threads of a process. */
export function moveToCore(core: number, pid: number): void {
	if (pinned) spawnSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' })
}

/** The command prefix that starts another command on a core. */
export function onCore(core: number): string[] {
	return pinned ? ['taskset', '-c', String(core)] : ['env']
}

/** Starts a file of this folder as a process that reports its port, on one core or wherever the system schedules it. */
export async function startPart(
	file: string,
	args: string[],
	core: number | null,
	children: ChildProcess[],
): Promise<{ url: string; pid: number }> {
	const [command = '', ...rest] = core === null ? ['env'] : onCore(core)
	const path = fileURLToPath(new URL(file, import.meta.url))
	const child = spawn(command, [...rest, process.execPath, path, ...args], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	})
	children.push(child)
	const port = await new Promise<number>((resolve, reject) => {
		child.once('message', (message) => resolve(message as number))
		child.once('exit', (code) => reject(new Error(`${file} ended with code ${code}`)))
	})
	return { url: `http://127.0.0.1:${port}`, pid: child.pid as number }
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
	const kilobytes = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)?.[1]
	return Number(kilobytes ?? 0) / 1024
}
