import { type BodyOf, type OutputOf, renormalisationOperations } from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Jobs, RunningJob } from '../../platform/jobs/job.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { paginate } from '../../platform/paging.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { settledMs } from '../arrivals/read-arrivals.ts'
import { eraseAgain } from '../erasures/erase-rows.ts'
import {
	firstUndone,
	insertRenormalisation,
	listRenormalisations,
	type RenormalisationRow,
	updateRenormalisation,
} from './renormalise-repository.ts'
import { type Chosen, nextPartition, stagePartition, swapPartition } from './swap-partition.ts'

interface RenormaliseContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	jobs: Jobs
	telemetry: Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>
}

type View = OutputOf<(typeof renormalisationOperations)['create']>

/** One for the whole instance: the table beside is one too. */
const job = { kind: 'telemetry-renormalise', key: '', workspaceId: null }

/** Mapping stored spans again with a newer mapper. */
export function openRenormalisations(context: RenormaliseContext): { operations: BoundOperation[] } {
	context.jobs.handle(job.kind, (run) => renormalise(context, run), { concurrency: 1 })
	const operations = bind(renormalisationOperations, {
		list: async ({ query, context: request }) => {
			const { workspaceId } = principalIn(request)
			const { rows, total } = await listRenormalisations(context.store.db, workspaceId, query)
			return { renormalisations: rows.map(present), pagination: paginate(query, total) }
		},
		create: ({ body, context: request }) => requestRenormalisation(context, request, body),
	})
	return { operations }
}

function requestRenormalisation(
	{ mutate, audit, clock, jobs }: RenormaliseContext,
	request: RequestContext,
	{ start = '1970-01-01T00:00:00Z', end, dialect }: BodyOf<(typeof renormalisationOperations)['create']>,
): Promise<View> {
	const principal = principalIn(request)
	const nowMs = clock.nowMs()
	const range = readTimeRange({ start, ...(end !== undefined && { end }) }, nowMs)
	const row: RenormalisationRow = {
		...{ id: newId(nowMs), workspace_id: principal.workspaceId, status: 'pending', spans: 0 },
		...{ start_ms: range.startMs, end_ms: range.endMs, dialect: dialect ?? null },
		...{ partition_id: null, stage: 'staging', stage_started_at: null, stored_up_to: null },
		...{ created_at: nowMs, finished_at: null },
	}
	return mutate(async (tx) => {
		await insertRenormalisation(tx, row)
		await audit.record(tx, {
			...{ workspaceId: row.workspace_id, actor: actorOf(principal) },
			action: 'telemetry-renormalisations.create',
			detail: { start: toIso(row.start_ms), end: toIso(row.end_ms), dialect: row.dialect },
			requestId: request.requestId,
		})
		await jobs.enqueue(tx, job)
		return present(row)
	})
}

/** Each step is noted when it is done, and bears a second run. */
async function renormalise(context: RenormaliseContext, run: RunningJob): Promise<void> {
	const { store } = context
	for (let row = await firstUndone(store.db); row; row = await firstUndone(store.db)) {
		run.signal.throwIfAborted()
		const done = await takeStep(context, row, run.signal)
		const { id } = row
		await run.commit((tx) => updateRenormalisation(tx, id, done))
	}
}

/** Chooses what is there, then stages and swaps partition after partition. Returns what to note. */
async function takeStep(
	context: RenormaliseContext,
	row: RenormalisationRow,
	signal: AbortSignal,
): Promise<Partial<RenormalisationRow>> {
	const { telemetry, clock } = context
	if (row.stored_up_to === null || row.stage_started_at === null)
		return { status: 'running', stage_started_at: clock.nowMs(), stored_up_to: await settledMs(telemetry) }
	const choice = choiceOf(row, row.stored_up_to)
	if (row.stage === 'swapping') {
		await swapPartition(telemetry, { ...choice, partition: row.partition_id ?? '' })
		await eraseAgain(context, row.stage_started_at)
		return { stage: 'staging', stage_started_at: clock.nowMs() }
	}
	const partition = await nextPartition(telemetry, choice, row.partition_id)
	if (partition === null) return { status: 'done', finished_at: clock.nowMs() }
	const staged = await stagePartition(telemetry, { ...choice, partition }, signal)
	return { stage: 'swapping', partition_id: partition, spans: row.spans + staged }
}

function choiceOf(row: RenormalisationRow, storedUpToMs: number): Omit<Chosen, 'partition'> {
	const { workspace_id: workspaceId, start_ms: startMs, end_ms: endMs, dialect } = row
	return { workspaceId, startMs, endMs, dialect, storedUpToMs }
}

function present(row: RenormalisationRow): View {
	return {
		id: row.id,
		start: toIso(row.start_ms),
		end: toIso(row.end_ms),
		dialect: row.dialect,
		status: row.status as View['status'],
		spans: row.spans,
		created_at: toIso(row.created_at),
		finished_at: row.finished_at === null ? null : toIso(row.finished_at),
	}
}
