import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rollDirtyHours } from '../../../server/src/insights/spotlight/rollups/roll-hours.ts'
import { openTelemetryStore, type TelemetryStore } from '../../../server/src/platform/clickhouse/store.ts'
import { silentLog } from '../../../server/src/platform/log.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../../server/src/program/program.testing.ts'
import { quantile } from '../load.ts'
import { sendArrivals } from './arrivals.ts'
import { type FilledSpans, fillSpans, storedDays } from './fill-spans.ts'
import { ask, figuresOf, pathOf, type Query, type QueryFigures, queriesOf } from './queries.ts'
import { watchScreens } from './viewers.ts'

export interface QueryReport {
	filled: FilledSpans
	/** Duration of the rollups of all its hours. */
	rollMs: number
	/** Without any other load. */
	idle: QueryFigures[]
	/** Duration of reading the start of every span in the engine, a baseline for comparing machines. */
	scanMs: number
	/** The overview of all data, as the first query after a start. */
	afterRestartMs: number
	/** With eight viewers. */
	watched: QueryFigures[]
	/** The same while spans arrive. */
	loaded: QueryFigures[]
	arrived: { spans: number; seconds: number }
}

const quick = process.argv.includes('--quick')
/** `QUERY_ROWS`: for a smaller store when time is short. */
const wantedRows = Number(process.env.QUERY_ROWS ?? (quick ? 500_000 : 10_000_000))
/** `QUERY_STORE`: a directory in which the store is kept for later runs. */
const keptDir = process.env.QUERY_STORE
const maxFillMs = 600_000
const maxRuns = 20
const maxMs = 8000
const spansPerSecond = 5000
const loadMs = quick ? 12_000 : 60_000

/** The queries of Spotlight's screens over HTTP on a generated store: one at a time, and by eight viewers while spans arrive. */
export async function measureQueries(): Promise<QueryReport> {
	const dataDir = newDataDir()
	try {
		const { filled, rollMs } = await makeStore(dataDir)
		const scanMs = await withStore(dataDir, scanAll)
		const afterRestartMs = await withProgram(dataDir, (program) =>
			ask(program, `/v1/spotlight/overview?start=-${storedDays}d`),
		)
		const measured = await withProgram(dataDir, async (program) => ({
			idle: await measureAll(program, await queriesOf(program, filled.endMs, storedDays)),
			watched: await watchScreens(program, loadMs / 2),
			...(await measureLoaded(program)),
		}))
		return { filled, rollMs, scanMs, afterRestartMs, ...measured }
	} finally {
		removeDataDir(dataDir)
	}
}

/** Fills a data directory, or copies one that an earlier run has created and kept. */
async function makeStore(dataDir: string): Promise<Pick<QueryReport, 'filled' | 'rollMs'>> {
	const made = keptDir && join(keptDir, 'made.json')
	if (made && existsSync(made)) {
		cpSync(join(keptDir, 'store'), dataDir, { recursive: true })
		return JSON.parse(readFileSync(made, 'utf8'))
	}
	const workspaceId = await withProgram(dataDir, async (program) => {
		const me = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
		return me.workspace.id
	})
	const wanted = { rows: wantedRows, endMs: Date.now(), atMostMs: maxFillMs }
	const filled = await withStore(dataDir, (store) => fillSpans(store, workspaceId, wanted))
	const rollMs = await withStore(dataDir, rollAll)
	if (made) {
		cpSync(dataDir, join(keptDir, 'store'), { recursive: true })
		writeFileSync(made, JSON.stringify({ filled, rollMs }))
	}
	return { filled, rollMs }
}

/** The median of several scans. */
async function scanAll(store: TelemetryStore): Promise<number> {
	const latencies: number[] = []
	for (let run = 0; run < 7; run++) {
		const begunMs = performance.now()
		await store.query('SELECT max(started_at) FROM spans WHERE NOT ignore(started_at)')
		latencies.push(performance.now() - begunMs)
	}
	return quantile(
		latencies.sort((a, b) => a - b),
		0.5,
	)
}

async function rollAll(store: TelemetryStore): Promise<number> {
	const begunMs = performance.now()
	await rollDirtyHours(store, new AbortController().signal, { afterMs: 1 })
	const tookMs = performance.now() - begunMs
	// As the engine does two hours after a day's last roll.
	await store.command('OPTIMIZE TABLE narrow_sums FINAL')
	return tookMs
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
	// On a busy machine, queries would be refused instead of measured.
	const program = await startProgram(dataDir, { SIGNALBOX_OVERLOAD_LAG_MS: '10000' })
	try {
		return await work(program)
	} finally {
		await program.kill('SIGTERM')
	}
}

async function measureAll(program: Program, queries: readonly Query[]): Promise<QueryFigures[]> {
	const figures: QueryFigures[] = []
	for (const query of queries) figures.push(await measure(program, query))
	return figures
}

async function measure(program: Program, query: Query): Promise<QueryFigures> {
	const latencies: number[] = []
	const begunMs = performance.now()
	try {
		while (latencies.length < 2 || (latencies.length <= maxRuns && performance.now() - begunMs < maxMs))
			latencies.push(await ask(program, pathOf(query, latencies.length)))
		return figuresOf(query, latencies, null)
	} catch (error) {
		return figuresOf(query, latencies, (error as Error).message)
	}
}

async function measureLoaded(program: Program): Promise<Pick<QueryReport, 'loaded' | 'arrived'>> {
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'bench' }, 201)
	const begunMs = performance.now()
	const arrivals = sendArrivals(program, token, spansPerSecond)
	const loaded = await watchScreens(program, loadMs)
	const seconds = (performance.now() - begunMs) / 1000
	return { loaded, arrived: { spans: await arrivals.stop(), seconds } }
}
