import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { installPeers } from '../peers/install.ts'
import { installPythonPeers } from './install-python.ts'

/** The figures of one batch of calls. */
interface Batch {
	p50Us: number
	p99Us: number
	/** Of the whole process since its start. */
	cpuUs: number
	calls: number
}

/** What an observer adds to a call, compared with the same server without one. */
export interface ObserverFigures {
	name: string
	addedP50Us: number
	addedP99Us: number
	/** Processor time of all threads, including sending. */
	addedCpuUs: number
	/** Bytes sent; 0 if it observed nothing. */
	bytesPerCall: number
}

export interface SdkFigures {
	language: string
	/** Without an observer. */
	bareP50Us: number
	observers: ObserverFigures[]
}

const quick = process.argv.includes('--quick')
const warmUpRounds = quick ? 3 : 8
const rounds = quick ? 5 : 24

const inTypeScript = [
	'@signalbox/sdk',
	'@signalbox/sdk, capturing',
	'@shinzolabs/instrumentation-mcp',
	'@sentry/node',
	'agentcat',
	'@signalbox/sdk, client',
	'@traceloop/instrumentation-mcp, client',
]
const inPython = [
	'signalbox-sdk',
	'signalbox-sdk, capturing',
	'shinzo',
	'sentry-sdk',
	'opentelemetry-instrumentation-mcp',
]

/** The cost of observing a call, in TypeScript and in Python; a language whose packages cannot be installed here is left out. */
export async function measureSdk(): Promise<SdkFigures[]> {
	const build = fileURLToPath(new URL('../../../sdk/typescript/build.mjs', import.meta.url))
	execFileSync(process.execPath, [build])
	const commands = installPeers('sdk-peers')
	const python = installPythonPeers()
	const figures: SdkFigures[] = []
	const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))
	if (commands) {
		const folder = commands.replace(/\/node_modules\/\.bin$/, '')
		const start: Start = (name, endpoint) => [process.execPath, script('calls.mjs'), name, endpoint, folder]
		figures.push(await measureLanguage('TypeScript, SDK 1.32.2', start, inTypeScript))
	}
	if (python) {
		const start: Start = (name, endpoint) => [python, script('calls.py'), name, endpoint]
		figures.push(await measureLanguage('Python, mcp 1.30.0', start, inPython))
	}
	return figures
}

type Start = (observer: string, endpoint: string) => string[]

interface Subject {
	name: string
	batches: Batch[]
	next(): Promise<Batch>
	end(): void
}

/** All take turns, a batch each, so that other load on the machine affects all of them. */
async function measureLanguage(language: string, start: Start, names: string[]): Promise<SdkFigures> {
	const collector = await startCollector()
	const all = ['nobody', ...names]
	const subjects = all.map((name, at) => startSubject(name, start(name, `${collector.url}/${at}`)))
	try {
		for (let round = 0; round < warmUpRounds + rounds; round += 1)
			for (const { next, batches } of subjects) batches.push(await next())
		const [bare, ...observed] = subjects as [Subject, ...Subject[]]
		const bytesOf = (at: number) =>
			(collector.bytes.get(String(at + 1)) ?? 0) / sum(bare.batches.map((batch) => batch.calls))
		return {
			language,
			bareP50Us: median(bare.batches.slice(warmUpRounds).map(({ p50Us }) => p50Us)),
			observers: observed.map((subject, at) => figuresOf(subject, bare, bytesOf(at))),
		}
	} finally {
		for (const subject of subjects) subject.end()
		collector.server.closeAllConnections()
		collector.server.close()
	}
}

function figuresOf({ name, batches }: Subject, bare: Subject, bytesPerCall: number): ObserverFigures {
	const differences = (of: 'p50Us' | 'p99Us') =>
		batches.slice(warmUpRounds).map((batch, at) => batch[of] - (bare.batches[at + warmUpRounds]?.[of] ?? 0))
	return {
		name,
		addedP50Us: median(differences('p50Us')),
		addedP99Us: median(differences('p99Us')),
		addedCpuUs: cpuOfCall(batches) - cpuOfCall(bare.batches),
		bytesPerCall,
	}
}

function cpuOfCall(batches: Batch[]): number {
	const [before, ...counted] = batches.slice(warmUpRounds - 1) as [Batch, ...Batch[]]
	return ((counted.at(-1)?.cpuUs ?? 0) - before.cpuUs) / sum(counted.map(({ calls }) => calls))
}

function startSubject(name: string, [command = '', ...args]: string[]): Subject {
	const child: ChildProcess = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
	const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
	let onBatch: (batch: Batch) => void = () => {}
	// Some observers print to the standard output of their host.
	lines.on('line', (line) => line.startsWith('{"p50Us"') && onBatch(JSON.parse(line) as Batch))
	const ended = once(child, 'exit').then(() => {
		throw new Error(`The calls observed by ${name} ended.`)
	})
	ended.catch(() => {})
	const next = () => {
		const batch = new Promise<Batch>((resolve) => {
			onBatch = resolve
		})
		child.stdin?.write('\n')
		return Promise.race([batch, ended])
	}
	return { name, batches: [], next, end: () => child.kill('SIGKILL') }
}

/** Accepts everything; counts bytes by the first part of the path. */
async function startCollector(): Promise<{ url: string; bytes: Map<string, number>; server: Server }> {
	const bytes = new Map<string, number>()
	const server = createServer((request, response) => {
		const subject = request.url?.split('/')[1] ?? ''
		request.on('data', (chunk: Buffer) => bytes.set(subject, (bytes.get(subject) ?? 0) + chunk.length))
		request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
	})
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bytes, server }
}

function median(values: number[]): number {
	return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function sum(values: number[]): number {
	return values.reduce((total, value) => total + value, 0)
}
