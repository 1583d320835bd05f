import type { BodyOf, callRecordingOperations, OutputOf } from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/index.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import { principalIn, type RequestContext } from '../../platform/http/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { findMode, setMode } from './repository.ts'

export interface CallRecordingContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
}

/** Sets what becomes of calls that cannot be recorded. */
export async function setCallRecording(
	{ mutate, audit, clock }: CallRecordingContext,
	request: RequestContext,
	wanted: BodyOf<(typeof callRecordingOperations)['replace']>,
): Promise<OutputOf<(typeof callRecordingOperations)['replace']>> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	return mutate(async (tx) => {
		const before = { mode: await findMode(tx, workspaceId) }
		requireUnchanged(before)
		await setMode(tx, { workspace_id: workspaceId, mode: wanted.mode, updated_at: clock.nowMs() })
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(principal),
			action: 'call-recording.replace',
			target: null,
			detail: { before, after: wanted },
			requestId: request.requestId,
		})
		await appendChange(tx, 'call_recording', workspaceId, clock)
		return wanted
	})
}
