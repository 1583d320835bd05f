import type { BodyOf, callRecordingOperations, OutputOf } from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/index.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import { principalIn, type RequestContext } from '../../platform/http/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { findSettings, setSettings } from './repository.ts'

export interface CallRecordingContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
}

/** Sets what is recorded of calls, and what becomes of those that cannot be. */
export async function setCallRecording(
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
