import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { durableSettings } from '../../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { newSpanRow, type SpanRow } from '../span-row.ts'
import { encodeMadeRows, type RowsOfFormat } from './call-facts.ts'
import type { RowStore } from './insert-missing.ts'
import { encodedText } from './log-subject.ts'
import { LoggedRecords } from './logged-records.ts'
import { openRecorder, type RecorderOptions } from './open-recorder.ts'
import type { EncodedRows, Intent, LogRecorder } from './recorder.ts'
import type { MadeRecord, MakeRows } from './row-making.ts'

/** A small table with the recorder's column types: enough to see each row once, and to have rows refused. */
export const noteColumns = ['id', 'status', 'body']
const noteFormat = 1

export async function createNotes(store: TelemetryStore, table: string): Promise<void> {
	await store.command(
		`CREATE TABLE ${table} (id String, status LowCardinality(String), body String, CONSTRAINT sound CHECK id != 'poison') ENGINE = MergeTree ORDER BY id ${durableSettings()}`,
	)
}

export function encodeNote(id: string, status = 'ok', body = ''): Buffer {
	return Buffer.concat([id, status, body].map(encodedText))
}

/** The content of the table, each row as `id status`. */
export async function storedNotes(store: TelemetryStore): Promise<string[]> {
	const rows = await store.query<{ id: string; status: string }>(
		'SELECT id, status FROM notes ORDER BY id, status',
	)
	return rows.map(({ id, status }) => `${id} ${status}`)
}

export function notes(ids: readonly string[], body = ''): EncodedRows {
	return {
		workspaceId: 'ws_1',
		count: ids.length,
		bytes: Buffer.concat(ids.map((id) => encodeNote(id, 'ok', body))),
	}
}

/** Announces a call whose row is a note. */
export function announceNote(recorder: Pick<LogRecorder, 'announce'>, id: string): Promise<Intent> {
	return recorder.announce('tool', 'ws_1', Buffer.from(id))
}

export function concludeNote(recorder: Pick<LogRecorder, 'conclude'>, intent: Intent): Promise<void> {
	return recorder.conclude(intent, Buffer.from('ok'))
}

/** Builds the rows of calls from what tests recorded as their facts. `ended` is empty if the call was interrupted. */
export function makeRowsBy(encode: (announced: string, ended: string) => RowsOfFormat): MakeRows {
	return async (batch) => {
		const logged = new LoggedRecords(batch)
		const calls = [...batch.calls]
		const found = logged.readAll(calls.flatMap(({ announced, ended }) => [announced, ended]))
		logged.close()
		const records = calls.flatMap(({ id, workspaceId }, at): MadeRecord[] => {
			if (found[2 * at] === null) return []
			const rows = encode(String(found[2 * at]), String(found[2 * at + 1]))
			const bytes = encodeMadeRows(Buffer.from(id, 'hex'), [rows])
			return [{ workspaceId, calls: 1, count: rows.count, bytes }]
		})
		return { records, unreadable: calls.length - records.length }
	}
}

const makeNotes = makeRowsBy((id, status) => ({
	rowFormat: noteFormat,
	count: 1,
	bytes: encodeNote(id, status || 'interrupted'),
}))

/** The key of every log of the tests. */
export const testKeyOf = (name: string) => Buffer.from(name.padEnd(64).slice(-32))

/** A span as the live tail gets it; its name is the note's id. */
export function spanOf(id: string, status: SpanRow['status']): SpanRow {
	return newSpanRow({
		workspaceId: 'ws_1',
		traceId: '',
		spanId: '',
		name: id,
		source: 'gateway',
		kind: 'tool_call',
		startNs: 0n,
		status,
	})
}

/** `make: null`: rows of calls are not built until the test starts it. */
export async function openNotesRecorder({
	make = makeNotes,
	...options
}: Pick<RecorderOptions, 'directory' | 'store'> &
	Partial<RecorderOptions> & { make?: MakeRows | null }): Promise<LogRecorder> {
	const recorder = await openRecorder({
		columns: noteColumns,
		rowFormat: noteFormat,
		keyOf: testKeyOf,
		table: 'notes',
		log: silentLog,
		clock: systemClock,
		...options,
		tuning: {
			batchDelayMs: 20,
			retryMinMs: 10,
			retryMaxMs: 50,
			reopenAfterMs: 20,
			spaceEveryMs: 50,
			...options.tuning,
		},
	})
	if (make) recorder.makeRows(make)
	return recorder
}

/** A store that cannot be reached. */
export const deadStore: RowStore = {
	insertRowBinary: () => Promise.reject(new Error('connect ECONNREFUSED')),
}

export async function makeLogDirectory(): Promise<{ directory: string; remove(): Promise<void> }> {
	const directory = await mkdtemp(join(tmpdir(), 'signalbox-log-'))
	return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** Waits until a condition holds; fails after a minute, since a busy machine stores a few rows a second. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
	for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
		if (await holds()) return
		await new Promise((resolve) => setTimeout(resolve, 5))
	}
	throw new Error('The condition did not come true within a minute')
}
