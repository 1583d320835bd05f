import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { modelTargets, toolTargets } from './calls.ts'
import { modelSpans } from './ingest/bodies.ts'
import { paced, send, type Target } from './load.ts'
import { residentMb, type Stage } from './stage.ts'

/** The memory of a process at one time. */
interface Held {
	residentMb: number
	/** Of that, memory of its own: without pages of files that the system can reclaim. */
	anonymousMb: number
	threads: number
	descriptors: number
}

interface Sample {
	minute: number
	program: Held
	engine: Held
	/** From `/metrics`; MB. */
	heapMb: number
	externalMb: number
}

const defaultMinutes = 30
const sampleEveryMs = 30_000
/** Per second, of each kind; far below the ceiling, so that nothing waits. */
const defaultCallsPerSecond = 120
/** Of 100 model spans each. */
const defaultBodiesPerSecond = 2

/**
 * The same mix of tool calls, model calls and telemetry for `SOAK_MINUTES` (30), at `SOAK_CALLS_PER_SECOND` of each kind (120);
 * reports the memory of the program and its engine.
 */
export async function measureSoak(stage: Stage, agentKey: string, slug: string): Promise<void> {
	const minutes = Number(process.env.SOAK_MINUTES ?? defaultMinutes)
	const callsPerSecond = Number(process.env.SOAK_CALLS_PER_SECOND ?? defaultCallsPerSecond)
	const { token } = await stage.program.api<{ token: string }>(
		'POST',
		'/v1/ingest-tokens',
		{ name: 'soak' },
		201,
	)
	const tool = toolTargets(stage, slug, agentKey)[2]
	const model = modelTargets(stage, agentKey)[2]
	const pool = new Pool(stage.program.url, { connections: 32 })
	const failed = { count: 0 }
	const load = [
		paced(callsPerSecond, minutes * 60_000, () => call(pool, tool, failed)),
		paced(callsPerSecond, minutes * 60_000, () => call(pool, model, failed)),
		paced(
			(defaultBodiesPerSecond * callsPerSecond) / defaultCallsPerSecond,
			minutes * 60_000,
			ingest(stage, token, failed),
		),
	]
	const ended = Promise.all(load)
	const samples = sampling(stage, ended)
	await ended
	await samples
	await pool.close()
	console.log(`${failed.count} requests failed`)
}

async function call(pool: Pool, target: Target, failed: { count: number }): Promise<void> {
	if (!(await send(pool, target).catch(() => false))) failed.count += 1
}

function ingest(stage: Stage, token: string, failed: { count: number }): () => Promise<void> {
	const template = modelSpans()
	const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-protobuf' }
	return async () => {
		const body = new Uint8Array(template.next())
		const response = await fetch(`${stage.program.url}/v1/traces`, { method: 'POST', headers, body }).catch(
			() => null,
		)
		if (response?.status !== 200) failed.count += 1
		await response?.arrayBuffer()
	}
}

async function sampling(stage: Stage, ended: Promise<unknown>): Promise<void> {
	let isOver = false
	void ended.finally(() => {
		isOver = true
	})
	const startedMs = performance.now()
	console.log('minute  program: MB, anonymous MB, threads, descriptors   engine: the same')
	while (!isOver) {
		show(await sample(stage, (performance.now() - startedMs) / 60_000))
		await sleep(sampleEveryMs)
	}
}

async function sample({ program }: Stage, minute: number): Promise<Sample> {
	const text = await (await fetch(`${program.url}/metrics`)).text()
	const figureMb = (name: string) =>
		Number(text.match(new RegExp(`^${name} (\\S+)`, 'm'))?.[1] ?? 0) / 1024 ** 2
	return {
		minute,
		program: heldBy(program.pid),
		engine: heldBy(program.children()[0] ?? program.pid),
		heapMb: figureMb('nodejs_heap_size_used_bytes'),
		externalMb: figureMb('nodejs_external_memory_bytes'),
	}
}

function heldBy(pid: number): Held {
	const count = (what: string) => readdirSync(`/proc/${pid}/${what}`).length
	const anonymous = readFileSync(`/proc/${pid}/status`, 'utf8').match(/RssAnon:\s+(\d+)/)?.[1]
	const anonymousMb = Number(anonymous ?? 0) / 1024
	return { residentMb: residentMb(pid), anonymousMb, threads: count('task'), descriptors: count('fd') }
}

function show({ minute, program, engine, heapMb, externalMb }: Sample): void {
	const of = ({ residentMb: mb, anonymousMb, threads, descriptors }: Held) =>
		[mb.toFixed(0), anonymousMb.toFixed(0), threads, descriptors].join(' ')
	const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0]
	console.log(
		`${minute.toFixed(1)}  ${of(program)} heap ${heapMb.toFixed(0)} external ${externalMb.toFixed(0)}   ${of(engine)}   load ${load}`,
	)
}
