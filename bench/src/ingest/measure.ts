import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../../server/src/program/program.testing.ts'
import { cpuOfAll, familyOf } from '../cpu.ts'
import { type EngineWork, meterFlag, readEngineWork, workSince } from '../engine-work.ts'
import { quantile } from '../load.ts'
import { residentMb } from '../stage.ts'
import { measureBareDecode } from './bare-decode.ts'
import { type Format, smallSpans, type Template } from './bodies.ts'
import { converse } from './conversation.ts'
import { type Costs, watchCosts } from './costs.ts'
import { type IdleFigures, measureIdle } from './idle.ts'
import { rows } from './program-rows.ts'
import { type Receiver, sendMix } from './send-mix.ts'
import { watchVisibility } from './visibility.ts'
import { type Weights, weigh } from './weigh.ts'

export interface IngestFigures extends Weights {
	format: Format
	seconds: number
	spans: number
	megabytes: number
	/** Bodies that were refused because the log was full, to be sent again. */
	refused: number
	acknowledgedPerSecond: number
	/** From the first span sent to the last one in ClickHouse. */
	storedPerSecond: number
	ackP50Ms: number
	ackP99Ms: number
	/** From the answer until a query finds it, under the load. */
	visibleP99Ms: number
	/** Of the program and of its engine. */
	cpuUsPerSpan: { program: number; engine: number }
	/** The same by thread name. */
	threads: { program: Costs; engine: Costs }
	/** The engine's by kind of work; `us` per span. */
	engineWork: EngineWork
	/** Before the load. */
	idle: IdleFigures
	/** After the load and a restart, with a log whose rows are all stored. */
	idleAfter: IdleFigures
	/**
	 * Building objects of the same bodies with protobufjs, in µs per span, in the same run, so that the ratio is comparable on a slow
	 * machine.
	 */
	bareDecodeUs: number
	/** Of the program: after a third of the load and at its end. */
	residentMb: [number, number]
	/** All requests and answers of a session of 50 turns. */
	sessionBytes: number
}

const quick = process.argv.includes('--quick')
const durationMs = quick ? 6_000 : 60_000
/** Before measuring: modules are loaded and compiled, and the first buffers grow. */
const warmUpMs = quick ? 3_000 : 5_000
const senders = 8
const flagged = (name: string) =>
	process.argv.find((flag) => flag.startsWith(`--${name}=`))?.slice(name.length + 3)
/** Spans per second to send, as `--rate=2000`; without it, as many as are accepted. */
const rate = flagged('rate')
/** Format of the bodies, as `--format=json` or `--format=grpc`. */
const format = (flagged('format') ?? 'protobuf') as Format
const load = { format, senders, ...(rate && { rate: Number(rate) }) }
/**
 * Searching for a trace costs the engine as much as thousands of spans: at a low rate, two searches per second would be a third of its
 * work.
 */
const checkPauseMs = rate ? 5000 : 500

/** A realistic mix: small spans, and model calls with their messages; every body is flushed before its answer. */
export async function measureIngest(nodeFlags: readonly string[]): Promise<IngestFigures> {
	const dataDir = newDataDir()
	const yesterdayMs = Date.now() - 86_400_000
	try {
		// On a busy machine, bodies would be refused instead of measured.
		const grpcPort = await freePort()
		const settings = { SIGNALBOX_OVERLOAD_LAG_MS: '10000', SIGNALBOX_OTLP_GRPC_PORT: String(grpcPort) }
		const bareDecodeUs = measureBareDecode()
		const idle = await measureIdleAlone(dataDir, settings)
		const meter = meterFlag(engineWorkFile(dataDir))
		const program = await startProgram(dataDir, settings, { nodeFlags: [...nodeFlags, meter] })
		const loaded = await loadAndWatch(program, `http://127.0.0.1:${grpcPort}`)
		const sessionBytes = await converse(program)
		// Small spans in a separate partition, to measure their size: the streamed ones are all of one day.
		await sendAll(program, smallSpans({ startMs: yesterdayMs }), weighedBodies)
		while ((await rows(program, 'pending')) > 0) await sleep(100)
		await program.kill('SIGTERM')
		const idleAfter = await measureIdleAlone(dataDir, settings)
		return {
			...loaded,
			bareDecodeUs,
			idle,
			idleAfter,
			sessionBytes,
			...(await weigh(dataDir, dayOf(yesterdayMs))),
		}
	} finally {
		removeDataDir(dataDir)
	}
}

/** Without the meter, which reads four times a second: that would be a third of what an idle engine does. */
async function measureIdleAlone(dataDir: string, settings: Record<string, string>): Promise<IdleFigures> {
	const program = await startProgram(dataDir, settings)
	try {
		return await measureIdle(program, quick ? 10_000 : 30_000)
	} finally {
		await program.kill('SIGTERM')
	}
}

/** The program does not report the receiver's port, so one is chosen here. */
async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1')
	await once(server, 'listening')
	const { port } = server.address() as AddressInfo
	await new Promise((done) => server.close(done))
	return port
}

async function loadAndWatch(
	program: Program,
	grpcUrl: string,
): Promise<Omit<IngestFigures, 'bareDecodeUs' | 'idle' | 'idleAfter' | 'sessionBytes' | keyof Weights>> {
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'bench' }, 201)
	const receiver: Receiver = { url: program.url, grpcUrl, token }
	const warm = await sendMix(receiver, { ...load, forMs: warmUpMs })
	while ((await rows(program, 'stored')) < warm.spans) await sleep(20)
	const engine = program.children().flatMap(familyOf)
	const cpu = () => [cpuOfAll([program.pid]), cpuOfAll(engine)] as const
	const [storedBefore, cpuBefore, startMs] = [await rows(program, 'stored'), cpu(), performance.now()]
	const workBefore = await readEngineWork(engineWorkFile(program.dataDir))
	const threads = { program: watchCosts([program.pid]), engine: watchCosts(engine) }
	const memory: number[] = []
	const watching = setInterval(() => memory.push(residentMb(program.pid)), durationMs / 30)
	const visibility = watchVisibility(program, token, checkPauseMs)
	const sent = await sendMix(receiver, { ...load, forMs: durationMs })
	const acknowledgedMs = performance.now() - startMs
	const visible = await visibility.stop()
	clearInterval(watching)
	while ((await rows(program, 'stored')) - storedBefore < sent.spans) await sleep(20)
	const storedMs = performance.now() - startMs
	const perSpan = (costs: Costs) => new Map([...costs].map(([name, us]) => [name, us / sent.spans]))
	const engineWork = workSince(workBefore, await readEngineWork(engineWorkFile(program.dataDir)), sent.spans)
	const used = cpu().map((us, index) => (us - (cpuBefore[index] ?? 0)) / sent.spans)
	return {
		format,
		seconds: acknowledgedMs / 1000,
		spans: sent.spans,
		megabytes: sent.bytes / 1e6,
		refused: sent.refused,
		acknowledgedPerSecond: (sent.spans * 1000) / acknowledgedMs,
		storedPerSecond: (sent.spans * 1000) / storedMs,
		ackP50Ms: quantile(sent.latencies, 0.5),
		ackP99Ms: quantile(sent.latencies, 0.99),
		visibleP99Ms: quantile(visible, 0.99),
		cpuUsPerSpan: { program: used[0] ?? 0, engine: used[1] ?? 0 },
		threads: { program: perSpan(threads.program.stop()), engine: perSpan(threads.engine.stop()) },
		engineWork,
		residentMb: [memory[Math.floor(memory.length / 3)] ?? 0, memory.at(-1) ?? 0],
	}
}

const weighedBodies = 30
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

async function sendAll(program: Program, template: Template, bodies: number): Promise<void> {
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'weigh' }, 201)
	for (let left = bodies; left > 0; left -= 1) {
		const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${token}` }
		const answer = await fetch(`${program.url}/v1/traces`, {
			...{ method: 'POST', headers, body: new Uint8Array(template.next()) },
		})
		if (answer.status !== 200)
			throw new Error(`The receiver answered ${answer.status}: ${await answer.text()}`)
	}
}

const engineWorkFile = (dataDir: string) => join(dataDir, 'engine-work.json')
