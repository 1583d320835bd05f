import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { familyOf } from './cpu.ts'
import { closedLoop, type Measured, summarise, warmUp } from './load.ts'
import type { AgentOfStage } from './peers/measure.ts'
import { openSession } from './peers/open-session.ts'
import { stdioServer } from './peers/peers.ts'
import { moveToCore, onCore, type Stage, startPart } from './stage.ts'

/** `tools/call` of one far end, reached in three ways in turns, with one caller and with 32. */
export interface HostedFigures {
	callers: number
	/** The program's pipes directly. */
	pipes: Measured
	/** Through Signalbox to the same answers over HTTP. */
	overHttp: Measured
	/** Through Signalbox to the program as a hosted program. */
	hosted: Measured
}

const quick = process.argv.includes('--quick')
const roundMs = quick ? 2000 : 4000
const rounds = quick ? 1 : 3

export async function measureHosted({ program }: Stage, agent: AgentOfStage): Promise<HostedFigures[]> {
	const children: ChildProcess[] = []
	try {
		const { url } = await startPart('upstream.ts', ['legacy'], 1, children)
		const key = { authorization: `Bearer ${agent.key}` }
		const open = (slug: string) => openSession('Signalbox', `${program.url}/mcp/${slug}`, program.pid, key)
		const overHttp = await open(await agent.register(`${url}/mcp`))
		const hosted = await open(await agent.host(stdioServer))
		for (const below of familyOf(program.pid).slice(1)) moveToCore(1, below)
		const pipes = openPipes(children)
		for (const target of [overHttp, hosted]) await warmUp(target, 32, quick)
		const measure = async (callers: number): Promise<HostedFigures> => ({
			callers,
			pipes: await medianOf(() => pipes(callers)),
			overHttp: await medianOf(() => closedLoop(overHttp, callers, roundMs)),
			hosted: await medianOf(() => closedLoop(hosted, callers, roundMs)),
		})
		return [await measure(1), await measure(32)]
	} finally {
		for (const child of children) child.kill()
	}
}

export function showHosted(all: readonly HostedFigures[]): void {
	console.log('\ntools/call of a hosted program, protocol 2025-06-18')
	for (const { callers, pipes, overHttp, hosted } of all) {
		console.log(`  ${callers} ${callers === 1 ? 'caller' : 'callers'}`)
		console.log(row('its pipes alone', pipes))
		console.log(row('Signalbox, over HTTP', overHttp))
		console.log(row('Signalbox, hosted', hosted))
		console.log(`    hosted ÷ over HTTP   ${(hosted.perSecond / overHttp.perSecond).toFixed(2)} (goal ≥ 1)`)
	}
}

function row(label: string, { perSecond, p50Ms, p99Ms, errors }: Measured): string {
	const figures = `${perSecond.toFixed(0).padStart(6)} calls/s  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms`
	return `    ${label.padEnd(21)}${figures}${errors ? `  ${errors} ERRORS` : ''}`
}

/** Calls the program itself, with as many concurrent calls as there are callers. */
function openPipes(children: ChildProcess[]): (callers: number) => Promise<Measured> {
	const [command = '', ...rest] = onCore(1)
	const child = spawn(command, [...rest, process.execPath, stdioServer], {
		stdio: ['pipe', 'pipe', 'inherit'],
	})
	children.push(child)
	const waiting = new Map<number, () => void>()
	createInterface({ input: child.stdout }).on('line', (line) =>
		waiting.get((JSON.parse(line) as { id: number }).id)?.(),
	)
	let lastId = 0
	const call = () =>
		new Promise<void>((resolve) => {
			const id = ++lastId
			waiting.set(id, () => resolve(void waiting.delete(id)))
			const params = { name: 'echo', arguments: { message: 'hello' } }
			child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
		})
	return async (callers) => {
		const latencies: number[] = []
		const endMs = performance.now() + roundMs
		const caller = async () => {
			while (performance.now() < endMs) {
				const startedMs = performance.now()
				await call()
				latencies.push(performance.now() - startedMs)
			}
		}
		await Promise.all(Array.from({ length: callers }, caller))
		return summarise(latencies, 0, roundMs)
	}
}

async function medianOf(measure: () => Promise<Measured>): Promise<Measured> {
	const all: Measured[] = []
	for (let round = 0; round < rounds; round += 1) all.push(await measure())
	return all.sort((a, b) => a.p50Ms - b.p50Ms)[all.length >> 1] as Measured
}
