import { createHash } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import { namedFailure, type RpcFailure, rpcCodes } from './json-rpc/failure.ts'
import { isObject } from './json-rpc/message.ts'
import type { Operation } from './operation.ts'

/** What a client carries from one try to the next without being able to read it. */
export type RequestState =
	/** The server's own state. */
	| { kind: 'server'; serverId: string; state: string }
	/** An operation that waits in a running program; whether it had reached its server. */
	| { kind: 'held'; id: string; isSent: boolean }

interface Sealed {
	untilMs: number
	content: RequestState
}

const lifeMs = 60 * 60_000

/**
 * `requestState` of 2026-07-28 as sealed text: it opens only for the same agent, key, endpoint, method and arguments, and
 * for an hour.
 */
export class RequestStates {
	readonly #sealer: Sealer
	readonly #clock: Clock

	constructor(sealer: Sealer, clock: Clock) {
		this.#sealer = sealer
		this.#clock = clock
	}

	seal(operation: Operation, content: RequestState): string {
		const sealed: Sealed = { untilMs: this.#clock.nowMs() + lifeMs, content }
		return this.#sealer.seal(JSON.stringify(sealed), contextOf(operation))
	}

	/** Throws `invalid_request_state` (-32602) for what we did not give to this caller for this request. */
	open(operation: Operation, text: string): RequestState {
		const { untilMs, content } = this.#read(operation, text)
		if (untilMs < this.#clock.nowMs()) throw invalidState('is too old')
		return content
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

function contextOf({ caller, request: { method, params } }: Operation) {
	const { _meta, requestState, inputResponses, ...decisive } = params
	const facts = [caller.credentialId, caller.agentId, caller.serverId, method, sorted(decisive)]
	const id = createHash('sha256').update(JSON.stringify(facts)).digest('base64url')
	return { workspaceId: caller.workspaceId, kind: 'mcp_request_state', origin: '', id }
}

/** The same value whatever the order of its keys. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted)
	if (!isObject(value)) return value
	return Object.keys(value)
		.sort()
		.map((key) => [key, sorted(value[key])])
}
