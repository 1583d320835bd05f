import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelPath, modelTargets, toolTargets } from './calls.ts'
import {
	allocatedMb,
	type CpuUse,
	cpuOfAll,
	cpuSince,
	cpuUse,
	familyOf,
	readsAndWrites,
	sumOf,
} from './cpu.ts'
import { type EngineWork, linesOfWork, meterFlag, readEngineWork, workSince } from './engine-work.ts'
import { closedLoop, type Target, warmUp } from './load.ts'
import type { AgentOfStage } from './peers/measure.ts'
import { openSession } from './peers/open-session.ts'
import { stdioServer } from './peers/peers.ts'
import { boundCalls } from './proxy/bound-calls.ts'
import { moveToCore, type Stage, startPart } from './stage.ts'

const rounds = process.argv.includes('--quick') ? 2 : 3
const roundMs = 4000
const callers = 32
/**
 * Every six seconds the engine rolls up what has arrived (`stepEveryMs` in `roll-hours.ts`), which takes longer than a round's
 * inserts: a round contains none, one, or two of these.
 */
const stepMs = 6000
const engineSteps = 2

interface Row {
	name: string
	callsPerSecond: number
	errors: number
	/** Of the answering process by thread, and of its children: µs per call. */
	cpuUs: CpuUse
	/** Of the program with its threads, per call; 0 for the pass-through. */
	allocatedBytes: number
	readsAndWrites: number
}

interface EngineRow {
	/** Processor time per call. */
	us: number
	/** The same by kind of work, and of how many calls. */
	work: EngineWork
	calls: number
}

/** Selects what to measure: `--part=whole` and so on. */
const part = process.argv.find((given) => given.startsWith('--part='))?.slice(7)
const engineWorkFile = join(tmpdir(), `signalbox-bench-${process.pid}.json`)
process.once('exit', () => rmSync(engineWorkFile, { force: true }))
/** Makes the program log its garbage collections, from which its allocations follow, and its engine measure its statements. */
export const pathFlags = ['--trace-gc', meterFlag(engineWorkFile)]

/**
 * The cost of tool calls, and the parts of a model call's path. These are found with requests that end at one part after the other,
 * each next to the bare pass-through in the same round: a request that the ingress answers by itself, one that is refused and
 * recorded, a whole call, and the same under a budget and a limit.
 */
export async function measurePath(stage: Stage, agent: AgentOfStage, slug: string): Promise<void> {
	if (part === undefined || part.startsWith('tool')) await measureTools(stage, agent, slug)
	const [, bare, whole] = modelTargets(stage, agent.key)
	const parts: Target[] = [
		{ ...whole, name: 'no such route (ingress alone)', path: '/nowhere' },
		{ ...whole, name: 'refused and recorded', path: `/proxy/nobody${modelPath}` },
		{ ...whole, name: 'whole call' },
	]
	const wanted = parts.filter(isWanted)
	if (wanted.length > 0) {
		for (const target of [bare, ...wanted]) await warmUp(target, callers, false)
		await show(stage, bare, wanted)
	}
	if (part !== undefined && part !== 'bound') return
	await boundCalls(stage.program)
	const bound = { ...whole, name: 'whole call, budget and limit' }
	await warmUp(bound, callers, false)
	await show(stage, bare, [bound])
}

/** A tool call in either era, and one to a hosted program, next to the bare pass-through to the same kind of server. */
async function measureTools(stage: Stage, agent: AgentOfStage, slug: string): Promise<void> {
	const children: ChildProcess[] = []
	try {
		const [, bare, modern] = toolTargets(stage, slug, agent.key)
		const { url } = await startPart('upstream.ts', ['legacy'], 1, children)
		const { program } = stage
		const key = { authorization: `Bearer ${agent.key}` }
		const open = async (name: string, of: string) => ({
			...(await openSession('Signalbox', `${program.url}/mcp/${of}`, program.pid, key)),
			name,
		})
		const parts: (() => Promise<Target>)[] = [
			async () => ({ ...modern, name: 'tool call' }),
			async () => open('tool call, legacy', await agent.register(`${url}/mcp`)),
			async () => open('tool call, hosted', await agent.host(stdioServer)),
		]
		await warmUp(bare, callers, false)
		for (const prepare of parts) {
			const target = await prepare()
			for (const below of familyOf(program.pid).slice(1)) moveToCore(1, below)
			if (!isWanted(target)) continue
			await warmUp(target, callers, false)
			await show(stage, bare, [target])
		}
	} finally {
		for (const child of children) child.kill()
	}
}

function isWanted({ name }: Target): boolean {
	return part === undefined || name.startsWith(part)
}

async function show(stage: Stage, bare: Target, parts: readonly Target[]): Promise<void> {
	for (const target of parts) {
		const ours: Row[] = []
		const theirs: Row[] = []
		for (let round = 0; round < rounds; round += 1) {
			theirs.push(await measure(stage, bare))
			ours.push(await measure(stage, target))
		}
		const engine = await measureEngine(stage, target)
		console.log(rowOf(median(ours), median(theirs), engine))
		console.log('  µs a call in the engine, by kind of work; how often, ms each')
		for (const line of linesOfWork(engine.work, engine.calls)) console.log(line)
	}
}

async function measure({ program }: Stage, target: Target): Promise<Row> {
	const pid = target.pid as number
	const before = cpuUse(pid)
	const [calledBefore, allocatedBefore] = [readsAndWrites(pid), allocatedMb(program.log)]
	const { requests, errors } = await closedLoop(target, callers, roundMs)
	const calls = Math.max(1, requests + errors)
	// Work after the answers belongs to them.
	await new Promise((resolve) => setTimeout(resolve, 1500))
	const used = cpuSince(before, cpuUse(pid))
	return {
		name: target.name,
		callsPerSecond: (calls * 1000) / roundMs,
		errors,
		cpuUs: new Map([...used].map(([name, us]) => [name, us / calls])),
		allocatedBytes: ((allocatedMb(program.log) - allocatedBefore) * 1024 * 1024) / calls,
		readsAndWrites: (readsAndWrites(pid) - calledBefore) / calls,
	}
}

/** Over whole steps of an engine that had the same load for a step before, so that the backlog is the same at both ends. */
async function measureEngine({ program }: Stage, target: Target): Promise<EngineRow> {
	await closedLoop(target, callers, stepMs)
	const engines = program.children()
	const workBefore = await readEngineWork(engineWorkFile)
	const before = cpuOfAll(engines)
	const { requests, errors } = await closedLoop(target, callers, engineSteps * stepMs)
	const calls = Math.max(1, requests + errors)
	const us = (cpuOfAll(engines) - before) / calls
	return { us, work: workSince(workBefore, await readEngineWork(engineWorkFile), calls), calls }
}

function rowOf(ours: Row, bare: Row, engine: EngineRow): string {
	const threads = [...ours.cpuUs].filter(([, us]) => us >= 1).sort(([, a], [, b]) => b - a)
	const ratio = (ours.callsPerSecond / bare.callsPerSecond).toFixed(2)
	return [
		ours.name.padEnd(30),
		`${ours.callsPerSecond.toFixed(0)}/s = ${ratio} × bare (${bare.callsPerSecond.toFixed(0)}/s)`,
		`program ${sumOf(ours.cpuUs).toFixed(0)} µs, bare ${sumOf(bare.cpuUs).toFixed(0)} µs, engine ${engine.us.toFixed(0)} µs`,
		`${(ours.allocatedBytes / 1024).toFixed(1)} KiB allocated in heaps, ${ours.readsAndWrites.toFixed(1)} reads and writes`,
		`(${threads.map(([name, us]) => `${name} ${us.toFixed(0)}`).join(', ')})`,
	].join('  ')
}

function median(rows: Row[]): Row {
	return rows.sort((a, b) => a.callsPerSecond - b.callsPerSecond)[rows.length >> 1] as Row
}
