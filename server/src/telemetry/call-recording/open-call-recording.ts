import { type BodyOf, callRecordingOperations, type OutputOf } from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange, type ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Figure } from '../../platform/health/metrics.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { CallLog } from '../recorder/recorder.ts'
import { findSettings, setSettings } from './call-recording-repository.ts'
import { type CallSettingsView, createCallSettingsView, withBestEffort } from './with-best-effort.ts'

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
		},
	]
	return { operations, calls: served.calls, figures, settings: view }
}
