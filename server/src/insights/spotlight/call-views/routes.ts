import { callViewOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import type { QueryStore } from '../repository.ts'
import { getCallViews } from './get-call-views.ts'

/** Single calls, as all who had part in them saw them. */
export function openCallViews({ telemetry }: { telemetry: QueryStore }): BoundOperation[] {
	return bind(callViewOperations, {
		call_views: ({ params, context }) => getCallViews(telemetry, principalIn(context).workspaceId, params),
	})
}
