import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/database.ts'
import { Problem } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { CallLog, Intent, Recorder } from '../recorder/recorder.ts'
import type { SpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { findSettings, listSettingsForView } from './call-recording-repository.ts'

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
		const bytes = Buffer.concat(spans.map((row) => encodeSpanRow(row)))
		return recorder.append({
			workspaceId: spans[0]?.workspaceId ?? '',
			count: spans.length,
			bytes,
			key,
			spans,
		})
	}
}

/** The workspaces' settings for the recording of calls, in memory; only those that differ from the default. */
export interface CallSettingsView {
	/** Whether calls are served without a record when there is no room for one. */
	isBestEffort(workspaceId: string): boolean
	/** Whether arguments and results of tool calls are recorded. */
	recordsToolContent(workspaceId: string): boolean
}

export function createCallSettingsView(db: Database): CallSettingsView & View {
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
export function withBestEffort(
	recorder: CallLog,
	settings: Pick<CallSettingsView, 'isBestEffort'>,
	log: Log,
): { calls: CallLog; unrecordedCalls(): number } {
	let unrecorded = 0
	const isServed = (error: unknown, workspaceId: string, code: string) =>
		error instanceof Problem && error.code === code && settings.isBestEffort(workspaceId)

	async function beginOrServe(workspaceId: string, begun: Promise<Intent>): Promise<Intent> {
		try {
			return await begun
		} catch (error) {
			if (!isServed(error, workspaceId, 'recorder_full')) throw error
			unrecorded += 1
			log.warn({ workspace_id: workspaceId, unrecorded }, 'a call is served without a record')
			return new Unrecorded(workspaceId)
		}
	}

	/** An announced call is recorded in any case: with its outcome as soon as the disk works again, otherwise as interrupted. */
	async function finishOrServe(workspaceId: string, finished: Promise<void>): Promise<void> {
		try {
			await finished
		} catch (error) {
			if (!isServed(error, workspaceId, 'store_unavailable')) throw error
			log.warn({ err: error }, 'the answer of a call goes out before its outcome is on disk')
		}
	}

	const calls: CallLog = {
		announceTo: recorder.announceTo.bind(recorder),
		concludeTo: recorder.concludeTo.bind(recorder),
		servesUnrecorded: (workspaceId, error) => {
			if (!isServed(error, workspaceId, 'store_unavailable')) return false
			log.warn({ err: error }, 'the answer of a call goes out before its outcome is on disk')
			return true
		},
		announce: (kind, workspaceId, facts) =>
			beginOrServe(workspaceId, recorder.announce(kind, workspaceId, facts)),
		conclude: async (intent, facts) => {
			if (!(intent instanceof Unrecorded))
				await finishOrServe(intent.workspaceId, recorder.conclude(intent, facts))
		},
	}
	return { calls, unrecordedCalls: () => unrecorded }
}
