import { Problem } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Intent, Recorder } from '../recorder/recorder.ts'
import type { CallSettingsView } from './call-settings-view.ts'

type CallRecorder = Pick<Recorder, 'begin' | 'finish'>

/** A call that is served without a record. */
class Unrecorded implements Intent {
	readonly id = ''
}

/** A recorder of calls that lets those of some workspaces pass when it cannot record them, and counts them. */
export function withBestEffort(
	recorder: CallRecorder,
	settings: Pick<CallSettingsView, 'isBestEffort'>,
	log: Log,
): { recorder: CallRecorder; unrecordedCalls(): number } {
	let unrecorded = 0
	const isServed = (error: unknown, workspaceId: string, code: string) =>
		error instanceof Problem && error.code === code && settings.isBestEffort(workspaceId)

	async function begin(interrupted: Parameters<CallRecorder['begin']>[0]): Promise<Intent> {
		try {
			return await recorder.begin(interrupted)
		} catch (error) {
			const { workspaceId } = interrupted
			if (!isServed(error, workspaceId, 'recorder_full')) throw error
			unrecorded += 1
			log.warn({ workspace_id: workspaceId, unrecorded }, 'a call is served without a record')
			return new Unrecorded()
		}
	}

	/** An announced call is recorded either way: its outcome as soon as the disk works again, or else as interrupted. */
	async function finish(intent: Intent, outcome: Parameters<CallRecorder['finish']>[1]): Promise<void> {
		if (intent instanceof Unrecorded) return
		try {
			await recorder.finish(intent, outcome)
		} catch (error) {
			if (!isServed(error, outcome.workspaceId, 'store_unavailable')) throw error
			log.warn({ err: error }, 'the answer of a call goes out before its outcome is on disk')
		}
	}

	return { recorder: { begin, finish }, unrecordedCalls: () => unrecorded }
}
