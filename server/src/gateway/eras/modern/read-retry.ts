import { isObject, type JsonObject } from '../../../mcp-client/index.ts'
import type { Operation } from '../../operation.ts'
import { invalidState, type RequestStates } from '../../request-states.ts'

/** What a client brought to its second or later try. */
export interface Retry {
	/** The operation that waits for it. */
	heldId: string
	isSent: boolean
	/** The state's own id. */
	stateId: string
	responses: JsonObject
}

/**
 * Takes the retry's state and answers out of the request, so that the server gets only what is its own. Null for a first
 * try. Throws `invalid_request_state`.
 */
export function readRetry(states: RequestStates, operation: Operation): Retry | null {
	const { requestState: state, inputResponses: answers } = operation.request.params
	if (state === undefined && answers === undefined) return null
	const { requestState, ...params } = operation.request.params
	const responses = isObject(params.inputResponses) ? params.inputResponses : {}
	operation.isRetry = true
	if (requestState === undefined) return null
	if (typeof requestState !== 'string') throw invalidState('must be text')
	const opened = states.open(operation, requestState)
	if (opened.kind === 'server') {
		const { kind, ...serverState } = opened
		operation.serverState = serverState
		operation.request = { ...operation.request, params }
		return null
	}
	operation.sending.isSent = opened.isSent
	const { inputResponses, ...plain } = params
	operation.request = { ...operation.request, params: plain }
	return { heldId: opened.id, isSent: opened.isSent, stateId: opened.stateId, responses }
}
