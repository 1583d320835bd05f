import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { modelTargets, toolTargets } from './calls.ts'
import { cpuOfAll, familyOf } from './cpu.ts'
import { closedLoop, type Target, warmUp } from './load.ts'
import { setUpCalls } from './set-up-calls.ts'
import { startPart } from './stage.ts'

/** One kind of call, with one process and with two. */
export interface WorkerFigures {
	call: string
	/** By number of processes: calls per second, and processor time per call of the program without its engine, in µs. */
	byWorkers: ReadonlyMap<number, { perSecond: number; us: number; errors: number }>
}

const counts = [1, 2]
const quick = process.argv.includes('--quick')
const rounds = quick ? 2 : 3
const roundMs = 4000
/** For each process and kind of call, instead of a complete warm-up; nearly everything is compiled then. */
const quickWarmUpMs = 12_000
/**
 * Per process: with fewer callers, each turn of its event loop handles fewer calls, and a call costs more whatever the number of
 * processes.
 */
const callers = 32

/**
 * The cost of a call with `SIGNALBOX_WORKERS=2` next to one process, in turns. Processes are not pinned: they share both cores with
 * the load and the far end, so the rate has little meaning here, but the processor time per call does.
 */
export async function measureWorkers(): Promise<WorkerFigures[]> {
	const children: ChildProcess[] = []
	const programs: Program[] = []
	try {
		const { url: upstreamUrl } = await startPart('upstream.ts', [], null, children)
		const calls = new Map<string, Map<number, Target>>()
		for (const workers of counts) {
			const program = await startProgram(newDataDir(), {
				SIGNALBOX_WORKERS: String(workers),
				SIGNALBOX_OVERLOAD_LAG_MS: '10000',
			})
			programs.push(program)
			const { agentKey, slug } = await setUpCalls(program, upstreamUrl)
			const stage = { program, upstreamUrl, passThroughUrl: '', passThroughPid: 0 }
			const targets = {
				'chat completion': modelTargets(stage, agentKey)[2],
				'tools/call': toolTargets(stage, slug, agentKey)[2],
			}
			for (const [call, target] of Object.entries(targets)) {
				// Each process compiles its own code.
				for (let process = 0; process < workers; process += 1)
					if (quick) await closedLoop(target, callers * workers, quickWarmUpMs)
					else await warmUp(target, callers * workers, false)
				calls.set(call, (calls.get(call) ?? new Map()).set(workers, target))
			}
		}
		const figures: WorkerFigures[] = []
		for (const [call, targets] of calls) figures.push({ call, byWorkers: await inTurns(targets) })
		return figures
	} finally {
		for (const child of children) child.kill()
		for (const program of programs) {
			await program.kill('SIGTERM')
			removeDataDir(program.dataDir)
		}
	}
}

async function inTurns(targets: ReadonlyMap<number, Target>): Promise<WorkerFigures['byWorkers']> {
	const sums = new Map<number, { requests: number; us: number; errors: number }>()
	for (let round = 0; round < rounds; round += 1)
		for (const [workers, target] of targets) {
			const pids = familyOf(target.pid as number).filter((pid) => !isEngine(pid))
			const before = cpuOfAll(pids)
			const { requests, errors } = await closedLoop(target, callers * workers, roundMs)
			// Work after the answers belongs to them.
			await new Promise((resolve) => setTimeout(resolve, 1500))
			const sum = sums.get(workers) ?? { requests: 0, us: 0, errors: 0 }
			sums.set(workers, {
				requests: sum.requests + requests,
				us: sum.us + cpuOfAll(pids) - before,
				errors: sum.errors + errors,
			})
		}
	return new Map(
		Array.from(sums, ([workers, { requests, us, errors }]) => [
			workers,
			{ perSecond: (requests * 1000) / (rounds * roundMs), us: us / requests, errors },
		]),
	)
}

/** The telemetry engine is the only child that has loaded the engine's library. */
function isEngine(pid: number): boolean {
	return readFileSync(`/proc/${pid}/maps`, 'utf8').includes('chdb')
}

export function showWorkers(figures: readonly WorkerFigures[]): void {
	console.log(
		'\none process and two (SIGNALBOX_WORKERS), 32 callers for each; processes, load and far end share the cores',
	)
	for (const { call, byWorkers } of figures) {
		const [one, two] = counts.map((workers) => byWorkers.get(workers))
		if (!one || !two) continue
		const errors = one.errors + two.errors
		console.log(
			`  ${call.padEnd(16)} processor time ${one.us.toFixed(0)} and ${two.us.toFixed(0)} µs a call, ${(two.us / one.us).toFixed(2)} × (goal ≤ 1.1); ${one.perSecond.toFixed(0)} and ${two.perSecond.toFixed(0)} calls/s${errors ? `; ${errors} errors` : ''}`,
		)
	}
}
