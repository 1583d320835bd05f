import { cpus, loadavg } from 'node:os'
import {
	type CallFigures,
	type Ceiling,
	measureCalls,
	modelTargets,
	type RateFigures,
	toolTargets,
} from './calls.ts'
import { sumOf } from './cpu.ts'
import { measureCuts, showCuts } from './cuts.ts'
import { measureHosted, showHosted } from './hosted.ts'
import { measureFlood, showFlood } from './ingest/flood.ts'
import { measureIngest } from './ingest/measure.ts'
import { showIngest } from './ingest/show.ts'
import type { Measured } from './load.ts'
import { measureLoginStorm } from './login-storm.ts'
import { measureManagement } from './management.ts'
import { measureOverload, showOverload } from './overload.ts'
import { measurePath, pathFlags } from './path.ts'
import { measurePeers } from './peers/measure.ts'
import { showPeers } from './peers/show.ts'
import { boundCalls } from './proxy/bound-calls.ts'
import { measureProxy } from './proxy/measure.ts'
import { showProxy } from './proxy/show.ts'
import { measureQueries } from './query/measure.ts'
import { showQueries } from './query/show.ts'
import { hostProgram, registerServer } from './register-server.ts'
import { measureSdk } from './sdk/measure.ts'
import { showSdk } from './sdk/show.ts'
import { setUpCalls } from './set-up-calls.ts'
import { showManagement, showStorm } from './show-management.ts'
import { measureSimulation, showSimulation } from './simulate.ts'
import { measureSoak } from './soak.ts'
import { openStage, pinned, residentMb, type Stage } from './stage.ts'
import { measureStreams, showStreams } from './streams.ts'
import { measureWorkers, showWorkers } from './workers.ts'

const parts = [
	'gateway',
	'hosted',
	'streams',
	'proxy',
	'login-storm',
	'ingest',
	'query',
	'management',
	'simulate',
	'sdk',
]
const partsByName = ['path', 'workers', 'overload', 'cuts', 'soak']
const usage = `npm run bench [-- PART] [--quick] [--profile]

Every figure comes from one run on one machine: compare ratios, not milliseconds. docs/benchmarks.md says what each part measures.
Parts: ${parts.join(', ')}; only by name: ${partsByName.join(', ')}.`

const only = process.argv[2]?.startsWith('--') ? undefined : process.argv[2]
const isKnown = only === undefined || parts.includes(only) || partsByName.includes(only)
if (!isKnown || process.argv.includes('--help')) {
	console.log(isKnown ? usage : `There is no part ${only}.\n\n${usage}`)
	process.exit(isKnown ? 0 : 2)
}

const wants = (part: string) => only === undefined || only === part
const nodeFlags = process.argv.includes('--profile') ? ['--cpu-prof', '--cpu-prof-dir=.tmp'] : []

if (!['ingest', 'management', 'simulate', 'query', 'sdk', 'workers'].includes(only ?? '')) await onStage()
if (wants('simulate')) showSimulation(await measureSimulation())
if (wants('management')) {
	showMachine('program and the bare answer on core 0; engine child, PostgreSQL and load on core 1')
	await measureManagement(nodeFlags, showManagement)
}

if (wants('ingest')) {
	showMachine('nothing placed')
	if (process.argv.includes('--flood')) showFlood(await measureFlood(nodeFlags))
	else showIngest(await measureIngest(nodeFlags))
}

if (wants('query')) {
	showMachine('nothing placed')
	showQueries(await measureQueries())
}

if (only === 'workers') {
	showMachine('nothing placed')
	showWorkers(await measureWorkers())
}

if (wants('sdk')) {
	showMachine('nothing placed')
	showSdk(await measureSdk())
}

async function onStage(): Promise<void> {
	const flags = only === 'path' ? [...nodeFlags, ...pathFlags] : nodeFlags
	const stage = await openStage(flags, only === 'overload')
	try {
		showMachine('program on core 0; engine child, load and far end on core 1')
		await new Promise((resolve) => setTimeout(resolve, 3000))
		showMemory('idle', stage)
		await measureParts(stage)
		showMemory('after the load', stage)
	} finally {
		await stage.close()
	}
}

async function measureParts(stage: Stage): Promise<void> {
	const { agentKey, slug, register, host } = await setUp(stage)
	const [direct, bare, ours] = toolTargets(stage, slug, agentKey)
	if (only === 'path') await measurePath(stage, { key: agentKey, register, host }, slug)
	if (wants('gateway')) {
		showCalls(await measureCalls('tools/call through the gateway', direct, bare, ours))
		showPeers(await measurePeers(stage, { key: agentKey, register, host }))
	}
	if (wants('hosted')) showHosted(await measureHosted(stage, { key: agentKey, register, host }))
	if (wants('streams')) showStreams(await measureStreams(stage, agentKey, slug))
	if (wants('proxy')) {
		await boundCalls(stage.program)
		showCalls(await measureCalls('chat completion through the model proxy', ...modelTargets(stage, agentKey)))
		showProxy(await measureProxy(stage, agentKey))
	}
	if (only === 'overload') showOverload(await measureOverload(stage, slug, agentKey))
	if (only === 'cuts') showCuts(await measureCuts(stage))
	if (only === 'soak') await measureSoak(stage, agentKey, slug)
	if (wants('login-storm')) showStorm(await measureLoginStorm(stage.program, ours))
}

function showMachine(cores: string): void {
	const placed = pinned ? cores : 'not pinned'
	const load = loadavg()[0]?.toFixed(1)
	console.log(
		`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, load average ${load}; ${placed}`,
	)
}

async function setUp({ program, upstreamUrl }: Stage) {
	const { agentId, agentKey, slug } = await setUpCalls(program, upstreamUrl)
	const register = (url: string) => registerServer(program, agentId, url)
	const host = (script: string) => hostProgram(program, agentId, script)
	return { agentKey, slug, register, host }
}

function showMemory(when: string, { program }: Stage): void {
	const children = program.children().map((pid) => `${residentMb(pid).toFixed(0)} MB`)
	console.log(
		`memory ${when}: program ${residentMb(program.pid).toFixed(0)} MB (goal idle ≤ 150), engine child ${children.join(', ')}`,
	)
}

function showCalls({ name, atRates, bareCeiling, ourCeiling, ceilingStallMs }: CallFigures): void {
	for (const figures of atRates) showRate(name, figures)
	console.log(`\n${name}, ceiling on one core`)
	const ratio = (ourCeiling.perSecond / bareCeiling.perSecond).toFixed(2)
	console.log(
		`  calls               Signalbox ${ourCeiling.perSecond.toFixed(0)} req/s (goal ≥ 5000), bare ${bareCeiling.perSecond.toFixed(0)} req/s, ratio ${ratio}${errorsOf(ourCeiling)}`,
	)
	console.log(`  longest stall       ${ceilingStallMs.toFixed(0)} ms`)
	console.log(`  processor time      Signalbox ${cpuOf(ourCeiling)}, bare ${cpuOf(bareCeiling)}`)
}

function showRate(name: string, { ratePerSecond, direct, bare, ours, oneFlushMs, stallsMs }: RateFigures) {
	console.log(`\n${name}, at ${ratePerSecond} req/s`)
	console.log([row('direct', direct), row('bare pass-through', bare), row('Signalbox', ours)].join('\n'))
	console.log(added('direct', direct, ours))
	console.log(`${added('bare', bare, ours)}  (goal p50 ≤ 1)`)
	const aboveFlushMs = ours.p50Ms - bare.p50Ms - oneFlushMs
	console.log(
		`  one flush           p50 ${oneFlushMs.toFixed(2)} ms; above bare and one flush ${aboveFlushMs.toFixed(2)} ms (goal ≤ 0.2)`,
	)
	const stalls = stallsMs.map((ms) => ms.toFixed(0)).join(', ')
	console.log(`  longest stall       ${stalls} ms in the rounds (goal ≤ 10)`)
}

function added(to: string, before: Measured, ours: Measured): string {
	const p50 = (ours.p50Ms - before.p50Ms).toFixed(2)
	const p99 = (ours.p99Ms - before.p99Ms).toFixed(2)
	return `  ${`added to ${to}`.padEnd(19)} p50 ${p50} ms  p99 ${p99} ms`
}

function row(label: string, measured: Measured): string {
	return `  ${label.padEnd(19)} p50 ${measured.p50Ms.toFixed(2)} ms  p99 ${measured.p99Ms.toFixed(2)} ms${errorsOf(measured)}`
}

/** All threads together, then the significant ones. */
function cpuOf({ cpuUs }: Ceiling): string {
	const parts = [...cpuUs].filter(([, us]) => us >= 1).sort(([, a], [, b]) => b - a)
	return `${sumOf(cpuUs).toFixed(0)} µs a call (${parts.map(([name, us]) => `${name} ${us.toFixed(0)}`).join(', ')})`
}

function errorsOf({ errors }: Measured): string {
	return errors === 0 ? '' : `  ${errors} ERRORS`
}
