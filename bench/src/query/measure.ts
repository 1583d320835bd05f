import { openTelemetryStore, type TelemetryStore } from '../../../server/src/platform/clickhouse/index.ts'
import { silentLog } from '../../../server/src/platform/log.ts'
import { newDataDir, type Program, removeDataDir, startProgram } from '../../../server/src/program.testing.ts'
import { rollDirtyHours } from '../../../server/src/spotlight/rollups/roll-hours.ts'
import { quantile } from '../load.ts'
import { type FilledSpans, fillSpans, storedDays } from './fill-spans.ts'

export interface QueryFigures {
	name: string
	runs: number
	p50Ms: number
	p95Ms: number
	/** The first answer, before anything was warm. */
	firstMs: number
	/** What the program answered instead of 200. */
	refused: string | null
}

export interface QueryReport {
	filled: FilledSpans
	/** How long the rollups of all its hours took. */
	rollMs: number
	figures: QueryFigures[]
}

const wantedRows = process.argv.includes('--quick') ? 500_000 : 10_000_000
const fillAtMostMs = 240_000
const mostRuns = 20
const mostMs = 8000

/** The queries of Spotlight's screens over HTTP, one at a time, on a generated store and with nothing else arriving. */
export async function measureQueries(): Promise<QueryReport> {
	const dataDir = newDataDir()
	try {
		const workspaceId = await withProgram(dataDir, async (program) => {
			const me = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
			return me.workspace.id
		})
		const wanted = { rows: wantedRows, endMs: Date.now(), atMostMs: fillAtMostMs }
		const filled = await withStore(dataDir, (store) => fillSpans(store, workspaceId, wanted))
		const rollMs = await withStore(dataDir, rollAll)
		const figures = await withProgram(dataDir, (program) => measureAll(program, filled))
		return { filled, rollMs, figures }
	} finally {
		removeDataDir(dataDir)
	}
}

async function rollAll(store: TelemetryStore): Promise<number> {
	const begunMs = performance.now()
	await rollDirtyHours(store, new AbortController().signal, 1)
	return performance.now() - begunMs
}

async function withStore<T>(dataDir: string, work: (store: TelemetryStore) => Promise<T>): Promise<T> {
	const store = await openTelemetryStore({ dataDir, log: silentLog })
	try {
		return await work(store)
	} finally {
		await store.close()
	}
}

async function withProgram<T>(dataDir: string, work: (program: Program) => Promise<T>): Promise<T> {
	const program = await startProgram(dataDir)
	try {
		return await work(program)
	} finally {
		await program.kill('SIGTERM')
	}
}

async function measureAll(program: Program, { endMs }: FilledSpans): Promise<QueryFigures[]> {
	const figures: QueryFigures[] = []
	for (const [name, path] of await queriesOf(program, endMs)) figures.push(await measure(program, name, path))
	return figures
}

const breakdowns = ['tools', 'servers', 'agents', 'models', 'users', 'clients', 'sessions', 'errors']

async function queriesOf(program: Program, endMs: number): Promise<[name: string, path: string][]> {
	const range = (days: number) =>
		`start=${new Date(endMs - days * 86_400_000).toISOString()}&end=${new Date(endMs).toISOString()}`
	const { spans } = await program.api<{ spans: { trace_id: string }[] }>(
		'GET',
		`/v1/telemetry/spans?${range(1)}&limit=1`,
	)
	const ranges = [1, storedDays].flatMap((days) =>
		['overview', 'timeseries', ...breakdowns].map((noun): [string, string] => [
			`${noun}, ${days} d`,
			`/v1/spotlight/${noun}?${range(days)}`,
		]),
	)
	return [
		...ranges,
		[`spans, first 100 of ${storedDays} d`, `/v1/telemetry/spans?${range(storedDays)}&limit=100`],
		['trace by id', `/v1/telemetry/traces/${spans[0]?.trace_id}`],
	]
}

async function measure(program: Program, name: string, path: string): Promise<QueryFigures> {
	const latencies: number[] = []
	const begunMs = performance.now()
	while (latencies.length < 2 || (latencies.length <= mostRuns && performance.now() - begunMs < mostMs)) {
		const sentMs = performance.now()
		const response = await fetch(program.url + path, {
			headers: { authorization: `Bearer ${program.token}` },
		})
		const text = await response.text()
		if (response.status !== 200)
			return { name, runs: 1, p50Ms: NaN, p95Ms: NaN, firstMs: NaN, refused: `${response.status} ${text}` }
		latencies.push(performance.now() - sentMs)
	}
	const [firstMs = NaN, ...rest] = latencies
	const sorted = rest.sort((a, b) => a - b)
	return {
		...{ name, runs: sorted.length, firstMs, refused: null },
		p50Ms: quantile(sorted, 0.5),
		p95Ms: quantile(sorted, 0.95),
	}
}
