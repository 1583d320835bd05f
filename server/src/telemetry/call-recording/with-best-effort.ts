import { Problem } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { CallLog, Intent, Recorder } from '../recorder/recorder.ts'
import type { CallSettingsView } from './call-settings-view.ts'

type CallRecorder = Pick<Recorder, 'begin' | 'finish'>

/** A call that is served without a record. */
class Unrecorded implements Intent {
	readonly id = ''
	readonly workspaceId: string

	constructor(workspaceId: string) {
		this.workspaceId = workspaceId
	}
}

/** A recorder of calls that lets those of some workspaces pass when it cannot record them, and counts them. */
export function withBestEffort(
	recorder: CallRecorder & CallLog,
	settings: Pick<CallSettingsView, 'isBestEffort'>,
	log: Log,
): { recorder: CallRecorder & CallLog; unrecordedCalls(): number } {
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

	/** An announced call is recorded either way: its outcome as soon as the disk works again, or else as interrupted. */
	async function finishOrServe(workspaceId: string, finished: Promise<void>): Promise<void> {
		try {
			await finished
		} catch (error) {
			if (!isServed(error, workspaceId, 'store_unavailable')) throw error
			log.warn({ err: error }, 'the answer of a call goes out before its outcome is on disk')
		}
	}

	const calls: CallRecorder & CallLog = {
		announceTo: recorder.announceTo.bind(recorder),
		concludeTo: recorder.concludeTo.bind(recorder),
		servesUnrecorded: (workspaceId, error) => {
			if (!isServed(error, workspaceId, 'store_unavailable')) return false
			log.warn({ err: error }, 'the answer of a call goes out before its outcome is on disk')
			return true
		},
		begin: (row) => beginOrServe(row.workspaceId, recorder.begin(row)),
		announce: (kind, workspaceId, facts) =>
			beginOrServe(workspaceId, recorder.announce(kind, workspaceId, facts)),
		finish: async (intent, row) => {
			if (!(intent instanceof Unrecorded)) await finishOrServe(row.workspaceId, recorder.finish(intent, row))
		},
		conclude: async (intent, facts) => {
			if (!(intent instanceof Unrecorded))
				await finishOrServe(intent.workspaceId, recorder.conclude(intent, facts))
		},
	}
	return { recorder: calls, unrecordedCalls: () => unrecorded }
}
