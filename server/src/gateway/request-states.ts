import { createHash } from 'node:crypto'
import { isObject, namedFailure, type RpcFailure, rpcCodes } from '../mcp-client/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import type { Database } from '../platform/database/database.ts'
import { newId } from '../platform/ids.ts'
import type { Operation, ServerState } from './operation.ts'
import { deleteUsedStatesBefore, insertUsedState } from './session-repository.ts'

/** What a client carries from one try to the next without being able to read it. */
export type RequestState =
	| ({ kind: 'server' } & ServerState)
	/** An operation that waits in a running process, and whether it had reached its server. */
	| { kind: 'held'; id: string; isSent: boolean; digests?: InputDigests }

/** Digests of the input requests, by key. Absent in states of earlier versions. */
export type InputDigests = Readonly<Record<string, string>>

interface Sealed {
	/** The id of this one state. */
	id: string
	untilMs: number
	content: RequestState
}

export type OpenedState = RequestState & { stateId: string }

const lifeMs = 60 * 60_000

/**
 * Seals and opens the `requestState` of 2026-07-28. It opens only for the same agent, key, endpoint, method and arguments, and
 * for one hour.
 */
export class RequestStates {
	readonly #sealer: Sealer
	readonly #clock: Clock
	readonly #db: Database

	constructor(db: Database, sealer: Sealer, clock: Clock) {
		this.#db = db
		this.#sealer = sealer
		this.#clock = clock
	}

	seal(operation: Operation, content: RequestState): string {
		const nowMs = this.#clock.nowMs()
		const sealed: Sealed = { id: newId(nowMs), untilMs: nowMs + lifeMs, content }
		return this.#sealer.seal(JSON.stringify(sealed), contextOf(operation))
	}

	/** Throws `invalid_request_state` (-32602) unless this state was issued to this caller for this request. */
	open(operation: Operation, text: string): OpenedState {
		const { id, untilMs, content } = this.#read(operation, text)
		if (untilMs < this.#clock.nowMs()) throw invalidState('is too old')
		return { ...content, stateId: id }
	}

	/**
	 * Consumes a state that stands for an approval, before anything is sent: of all copies of a retry in all processes, only one
	 * succeeds. Throws `request_state_used`.
	 */
	async useOnce({ caller: { workspaceId } }: Operation, stateId: string): Promise<void> {
		const row = { id: stateId, workspace_id: workspaceId, created_at: this.#clock.nowMs() }
		if (!(await insertUsedState(this.#db, row))) throw stateUsed()
	}

	/** Deletes the records of used states that have expired anyway. */
	sweep(): Promise<void> {
		return deleteUsedStatesBefore(this.#db, this.#clock.deletionMs() - 2 * lifeMs)
	}

	#read(operation: Operation, text: string): Sealed {
		try {
			return JSON.parse(this.#sealer.open(text, contextOf(operation))) as Sealed
		} catch {
			throw invalidState('was not given for this request')
		}
	}
}

export function invalidState(why: string): RpcFailure {
	return namedFailure(rpcCodes.invalidParams, 'invalid_request_state', `\`requestState\` ${why}.`)
}

function stateUsed(): RpcFailure {
	const text =
		'This answer was used before, and an approved call runs only once. Start a new call to run it again.'
	return namedFailure(rpcCodes.invalidParams, 'request_state_used', text)
}

function contextOf({ caller, request: { method, params } }: Operation) {
	const { _meta, requestState, inputResponses, ...decisive } = params
	const facts = [caller.credentialId, caller.agentId, caller.serverId, method, sorted(decisive)]
	const id = createHash('sha256').update(JSON.stringify(facts)).digest('base64url')
	return { workspaceId: caller.workspaceId, kind: 'mcp_request_state', origin: '', id }
}

/** The value with sorted keys, so that their order does not matter. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted)
	if (!isObject(value)) return value
	return Object.keys(value)
		.sort()
		.map((key) => [key, sorted(value[key])])
}
