import { type CpuUse, cpuSince, cpuUse } from './cpu.ts'
import { closedLoop, type Measured, openLoop, type Target, warmUp } from './load.ts'
import { model } from './model-answers.ts'
import { measureOneFlush } from './one-flush.ts'
import type { Stage } from './stage.ts'
import { longestStallMs } from './stall.ts'

export interface CallFigures {
	name: string
	/** At constant rates, in ascending order. */
	atRates: RateFigures[]
	/** At the ceiling, on one core. */
	bareCeiling: Ceiling
	ourCeiling: Ceiling
	/** Longest stall of the program's event loop at the ceiling. */
	ceilingStallMs: number
}

export interface RateFigures {
	ratePerSecond: number
	direct: Measured
	bare: Measured
	ours: Measured
	/** Duration of one flush on this disk, measured between the rounds. */
	oneFlushMs: number
	/** Longest stall of the program's event loop in each round. */
	stallsMs: number[]
}

export interface Ceiling extends Measured {
	/** Processor time per request by thread, in µs. */
	cpuUs: CpuUse
}

const rates = [100, 200]
const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const roundMs = quick ? 3000 : 5000
const ceilingMs = quick ? 4000 : 8000

interface Subjects {
	direct: Target
	bare: Target
	ours: Target
}

/** Measures at each rate and at the ceiling, after warming up. */
export async function measureCalls(
	name: string,
	direct: Target,
	bare: Target,
	ours: Target,
): Promise<CallFigures> {
	for (const target of [direct, bare, ours]) await warmUp(target, 32, quick)
	const atRates: RateFigures[] = []
	for (const rate of rates) atRates.push(await measureAt(rate, { direct, bare, ours }))
	const bareCeiling = await measureCeiling(bare)
	await longestStallMs(ours.origin)
	const ourCeiling = await measureCeiling(ours)
	return { name, atRates, bareCeiling, ourCeiling, ceilingStallMs: await longestStallMs(ours.origin) }
}

/** Direct, bare pass-through and ours in turns over several rounds, so that fluctuations of the machine affect all of them. */
async function measureAt(ratePerSecond: number, { direct, bare, ours }: Subjects): Promise<RateFigures> {
	const stallsMs: number[] = []
	const flushesMs: number[] = []
	const paired = { direct: [] as Measured[], bare: [] as Measured[], ours: [] as Measured[] }
	for (let round = 0; round < rounds; round += 1) {
		paired.direct.push(await openLoop(direct, ratePerSecond, roundMs))
		paired.bare.push(await openLoop(bare, ratePerSecond, roundMs))
		await longestStallMs(ours.origin)
		paired.ours.push(await openLoop(ours, ratePerSecond, roundMs))
		stallsMs.push(await longestStallMs(ours.origin))
		flushesMs.push(await measureOneFlush(100))
	}
	return {
		ratePerSecond,
		direct: median(paired.direct),
		bare: median(paired.bare),
		ours: median(paired.ours),
		oneFlushMs: flushesMs.sort((a, b) => a - b)[flushesMs.length >> 1] as number,
		stallsMs,
	}
}

async function measureCeiling(target: Target): Promise<Ceiling> {
	const pid = target.pid ?? process.pid
	const before = cpuUse(pid)
	const measured = await closedLoop(target, 32, ceilingMs)
	const used = cpuSince(before, cpuUse(pid))
	return { ...measured, cpuUs: new Map([...used].map(([name, us]) => [name, us / measured.requests])) }
}

function median(measured: Measured[]): Measured {
	return measured.sort((a, b) => a.p50Ms - b.p50Ms)[Math.floor(measured.length / 2)] as Measured
}

/** The addresses of a stage's targets. */
type Ends = Pick<Stage, 'program' | 'upstreamUrl' | 'passThroughUrl' | 'passThroughPid'>

const protocolVersion = '2026-07-28'
const meta = {
	'io.modelcontextprotocol/protocolVersion': protocolVersion,
	'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': {},
}
const toolCall = { name: 'echo', arguments: { message: 'hello' }, _meta: meta }
export const toolBody = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: toolCall })
export const toolHeaders = {
	'content-type': 'application/json',
	accept: 'application/json, text/event-stream',
	'mcp-protocol-version': protocolVersion,
	'mcp-method': 'tools/call',
	'mcp-name': 'echo',
}

/** `tools/call`: directly, through the bare pass-through, and through the gateway with grants and recording. */
export function toolTargets(stage: Ends, slug: string, agentKey: string): [Target, Target, Target] {
	const target = (name: string, pid: number, origin: string, path: string, headers = {}) => ({
		name,
		pid,
		origin,
		path,
		headers: { ...toolHeaders, ...headers },
		body: toolBody,
	})
	return [
		target('direct', 0, stage.upstreamUrl, '/mcp'),
		target('bare', stage.passThroughPid, stage.passThroughUrl, '/mcp'),
		target('ours', stage.program.pid, stage.program.url, `/mcp/${slug}`, {
			authorization: `Bearer ${agentKey}`,
		}),
	]
}

const modelBody = JSON.stringify({
	model,
	messages: [{ role: 'user', content: 'x'.repeat(1000) }],
})

export const modelPath = '/v1/chat/completions'

/** A plain chat completion of 1 KB: directly, through the bare pass-through, and through the model proxy. */
export function modelTargets(stage: Ends, agentKey: string): [Target, Target, Target] {
	const target = (name: string, pid: number, origin: string, at: string, key: string) => ({
		name,
		pid,
		origin,
		path: at,
		headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
		body: modelBody,
	})
	return [
		target('direct', 0, stage.upstreamUrl, modelPath, 'sk-bench-key'),
		target('bare', stage.passThroughPid, stage.passThroughUrl, modelPath, 'sk-bench-key'),
		target('ours', stage.program.pid, stage.program.url, `/proxy/openai${modelPath}`, agentKey),
	]
}
