import {
	type BodyOf,
	type CallRecordingMode,
	callRecordingOperations,
	type OutputOf,
} from '@signalbox/contract'
import type { ProblemCode } from '@signalbox/contract/problems'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange, type ChangeFeed, type View } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type {
	ControlStore,
	Database,
	DatabaseTransaction,
	Queryable,
} from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import { Problem } from '../../platform/errors.ts'
import type { Figure } from '../../platform/health/metrics.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { type Log, Repeats } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import type { CallLog, Intent, Recorder } from '../recorder/recorder.ts'
import { spanBlockFormat } from '../span-columns.ts'
import type { SpanRow } from '../span-row.ts'

interface CallRecordingContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
}

/** Sets what is recorded of calls, and whether calls that cannot be recorded are served. */
async function setCallRecording(
	{ mutate, audit, clock }: CallRecordingContext,
	request: RequestContext,
	wanted: BodyOf<(typeof callRecordingOperations)['replace']>,
): Promise<OutputOf<(typeof callRecordingOperations)['replace']>> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	return mutate(async (tx) => {
		const before = await findSettings(tx, workspaceId)
		requireUnchanged(before)
		const after = { ...before, ...wanted }
		await setSettings(tx, workspaceId, after, clock.nowMs())
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(principal),
			action: 'call-recording.replace',
			target: null,
			detail: { before, after },
			requestId: request.requestId,
		})
		await appendChange(tx, 'call_recording', workspaceId, clock)
		return after
	})
}

interface CallRecordingDependencies extends CallRecordingContext {
	store: ControlStore
	feed: ChangeFeed
	log: Log
	/** Refuses calls when it has no room. */
	calls: CallLog
}

/** Opens the workspaces' settings for recording: what is recorded of calls, and whether calls that cannot be recorded are served. */
export function openCallRecording({ store, feed, log, calls, ...rest }: CallRecordingDependencies): {
	operations: BoundOperation[]
	calls: CallLog
	figures: Figure[]
	settings: Pick<CallSettingsView, 'recordsToolContent'>
} {
	const view = createCallSettingsView(store.db)
	feed.add(view)
	const served = withBestEffort(calls, view, log)
	const operations = bind(callRecordingOperations, {
		get: ({ context }) => findSettings(store.db, principalIn(context).workspaceId),
		replace: ({ body, context }) => setCallRecording(rest, context, body),
	})
	const figures: Figure[] = [
		{
			name: 'signalbox_unrecorded_calls',
			help: 'Calls that were served without a record since the start, since the telemetry log was full',
			read: served.unrecordedCalls,
			grows: true,
		},
	]
	return { operations, calls: served.calls, figures, settings: view }
}

/**
 * Records calls that have already ended, all of one workspace. Resolves once they are on disk; with false if calls under the same
 * key were recorded before. `key`: see `EncodedRows`. Throws like `Recorder.append`.
 */
export type RecordCalls = (key: string, calls: readonly SpanRow[]) => Promise<boolean>

/** `asKept`: converts a call to what is written. */
export function createRecordCalls(
	recorder: Pick<Recorder, 'append'>,
	asKept: (call: SpanRow) => SpanRow,
): RecordCalls {
	return (key, calls) => {
		const spans = calls.map(asKept)
		return recorder.append({
			workspaceId: spans[0]?.workspaceId ?? '',
			rowFormat: spanBlockFormat,
			count: spans.length,
			bytes: encodeSpanBlock(spans),
			key,
			spans,
		})
	}
}

/** The workspaces' settings for the recording of calls, in memory; only those that differ from the default. */
interface CallSettingsView {
	/** Whether calls are served without a record when there is no room for one. */
	isBestEffort(workspaceId: string): boolean
	/** Whether arguments and results of tool calls are recorded. */
	recordsToolContent(workspaceId: string): boolean
}

function createCallSettingsView(db: Database): CallSettingsView & View {
	const bestEffort = new Set<string>()
	const withoutContent = new Set<string>()
	const put = (workspaces: Set<string>, workspaceId: string, isIn: boolean) => {
		if (isIn) workspaces.add(workspaceId)
		else workspaces.delete(workspaceId)
	}
	const set = (workspaceId: string, { mode, tool_content }: { mode: string; tool_content: boolean }) => {
		put(bestEffort, workspaceId, mode === 'best-effort')
		put(withoutContent, workspaceId, !tool_content)
	}
	return {
		kinds: ['call_recording'],
		load: async () => {
			bestEffort.clear()
			withoutContent.clear()
			for (const { workspace_id, ...settings } of await listSettingsForView(db)) set(workspace_id, settings)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await findSettings(db, workspaceId)),
		isBestEffort: (workspaceId) => bestEffort.has(workspaceId),
		recordsToolContent: (workspaceId) => !withoutContent.has(workspaceId),
	}
}

/** A call that is served without a record. */
class Unrecorded implements Intent {
	readonly id = ''
	readonly workspaceId: string

	constructor(workspaceId: string) {
		this.workspaceId = workspaceId
	}
}

/** A call log that lets the calls of some workspaces pass, and counts them, when it cannot record them. */
function withBestEffort(
	recorder: CallLog,
	settings: Pick<CallSettingsView, 'isBestEffort'>,
	log: Log,
): { calls: CallLog; unrecordedCalls(): number } {
	let unrecorded = 0
	const repeats = new Repeats()
	const isServed = (error: unknown, workspaceId: string, ...codes: ProblemCode[]) =>
		error instanceof Problem && codes.includes(error.code) && settings.isBestEffort(workspaceId)

	/** Lasts as long as the log takes nothing, and concerns every call until then. */
	function note(fields: object, text: string): void {
		const calls = repeats.take(text)
		if (calls > 0) log.warn({ ...fields, ...(calls > 1 && { calls }) }, text)
	}

	function isServedAtEnd(error: unknown, workspaceId: string): boolean {
		if (!isServed(error, workspaceId, 'store_unavailable', 'disk_full')) return false
		note(
			{ reason: (error as Problem).message },
			'the answer of a call goes out before its outcome is on disk',
		)
		return true
	}

	async function beginOrServe(workspaceId: string, begun: Promise<Intent>): Promise<Intent> {
		try {
			return await begun
		} catch (error) {
			if (!isServed(error, workspaceId, 'recorder_full')) throw error
			unrecorded += 1
			note({ workspace_id: workspaceId, unrecorded }, 'a call is served without a record')
			return new Unrecorded(workspaceId)
		}
	}

	/** An announced call is recorded in any case: with its outcome as soon as the disk works again, otherwise as interrupted. */
	async function finishOrServe(workspaceId: string, finished: Promise<void>): Promise<void> {
		try {
			await finished
		} catch (error) {
			if (!isServedAtEnd(error, workspaceId)) throw error
		}
	}

	const calls: CallLog = {
		announceTo: recorder.announceTo.bind(recorder),
		concludeTo: recorder.concludeTo.bind(recorder),
		servesUnrecorded: (workspaceId, error) => isServedAtEnd(error, workspaceId),
		announce: (kind, workspaceId, facts) =>
			beginOrServe(workspaceId, recorder.announce(kind, workspaceId, facts)),
		conclude: async (intent, facts) => {
			if (!(intent instanceof Unrecorded))
				await finishOrServe(intent.workspaceId, recorder.conclude(intent, facts))
		},
	}
	return { calls, unrecordedCalls: () => unrecorded }
}

type Row = ControlSchema['call_recording_settings']

interface CallSettings {
	mode: CallRecordingMode
	tool_content: boolean
}

const toSettings = ({ mode, tool_content }: Pick<Row, 'mode' | 'tool_content'>): CallSettings => ({
	mode: mode as CallRecordingMode,
	tool_content: tool_content === 1,
})

async function findSettings(db: Queryable, workspaceId: string): Promise<CallSettings> {
	const row = await db
		.selectFrom('call_recording_settings')
		.select(['mode', 'tool_content'])
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst()
	return row ? toSettings(row) : { mode: 'required', tool_content: true }
}

async function setSettings(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ mode, tool_content }: CallSettings,
	nowMs: number,
): Promise<void> {
	const values = { mode, tool_content: Number(tool_content), updated_at: nowMs }
	await tx
		.insertInto('call_recording_settings')
		.values({ workspace_id: workspaceId, ...values })
		.onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
		.execute()
}

/** For the view in memory, which covers all workspaces. */
async function listSettingsForView(db: Queryable): Promise<({ workspace_id: string } & CallSettings)[]> {
	const rows = await db.selectFrom('call_recording_settings').selectAll().execute()
	return rows.map((row) => ({ workspace_id: row.workspace_id, ...toSettings(row) }))
}
