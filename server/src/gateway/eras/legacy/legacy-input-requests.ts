import { randomBytes } from 'node:crypto'
import {
	type JsonObject,
	metaOf,
	progressTokenOf,
	type RequestId,
	type RpcResponse,
} from '../../../mcp-client/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { type InputRequest, understands } from '../../input-requests.ts'
import type { Limits } from '../../limits.ts'
import { inputTimeout, OpenInputRequest, refuseEnded } from '../../open-input-request.ts'
import type { Ask, AskOptions, Operation } from '../../operation.ts'
import type { ClientSession } from './session-store.ts'

interface Waiting {
	inputRequest: OpenInputRequest
	sessionId: string
	askedMs: number
	/** The server's progress token. */
	token: unknown
	options: AskOptions
	/** Under which of its ids it was answered. */
	answeredBy: RequestId | null
}

/** How long a client may take until it has read a request. */
const unreadMs = 1000

/** Sends a message to a session outside its answers, on its GET stream. False if the session has no such stream. */
type SendAside = (sessionId: string, message: string) => boolean

/** The pending input requests to legacy clients, by the id of the request. */
export class LegacyInputRequests {
	readonly #waiting = new Map<string, Waiting>()
	readonly #clock: Clock
	readonly #limits: Limits
	readonly #sealer: Pick<Sealer, 'mac'>
	readonly #sendAside: SendAside

	constructor(clock: Clock, limits: Limits, sealer: Pick<Sealer, 'mac'>, sendAside: SendAside) {
		this.#sealer = sealer
		this.#clock = clock
		this.#limits = limits
		this.#sendAside = sendAside
	}

	/**
	 * How an operation of a session asks its client: on the stream of its own answer while that is open, otherwise on the
	 * session's. If it may be another one that asks, on the session's stream first.
	 */
	askerOf(session: ClientSession, operation: Operation): Ask {
		return (inputRequest, options = {}) =>
			understands(session.client.capabilities, inputRequest)
				? this.#ask(session, operation, inputRequest, options)
				: Promise.resolve('unsupported')
	}

	/** Accepts a client's answer. False if no request of the session is pending here under its id. */
	answer(session: Pick<ClientSession, 'id'>, response: RpcResponse): boolean {
		const waiting = this.#of(session, response.id)
		if (!waiting) return false
		waiting.answeredBy ??= response.id
		waiting.inputRequest.answer(response)
		return true
	}

	/** Passes on a client's progress with an input request. */
	progress(session: Pick<ClientSession, 'id'>, params: JsonObject): void {
		const waiting = this.#of(session, params.progressToken)
		if (waiting?.token !== undefined)
			waiting.options.onProgress?.({ ...params, progressToken: waiting.token })
	}

	/** Withdraws the pending input requests of an operation that has ended, except those that another one may have caused. */
	endOf(operation: Operation): void {
		if (operation.asking === 0) return
		for (const { inputRequest } of this.#waiting.values())
			if (inputRequest.operation === operation) inputRequest.endOfOperation()
	}

	/** Times out input requests that are not answered. */
	tick(): void {
		const nowMs = this.#clock.nowMs()
		for (const { askedMs, inputRequest } of this.#waiting.values())
			if (Math.abs(nowMs - askedMs) > this.#limits.askMs)
				inputRequest.withdraw(inputTimeout(this.#limits.askMs))
	}

	#of(session: Pick<ClientSession, 'id'>, id: unknown): Waiting | undefined {
		const waiting = typeof id === 'string' ? this.#waiting.get(id) : undefined
		return waiting?.sessionId === session.id ? waiting : undefined
	}

	async #ask(
		session: ClientSession,
		operation: Operation,
		{ method, params }: InputRequest,
		options: AskOptions,
	): Promise<JsonObject | 'unsupported'> {
		refuseEnded(operation, options)
		const token = progressTokenOf(params)
		const ids: string[] = []
		let isAside = false
		const say = (by: Operation, text: string): boolean => {
			isAside = options.isOfUnknownCall === true && this.#sendAside(session.id, text)
			return isAside || this.#send(session, by, text)
		}
		const send = (by: Operation): boolean => {
			const id = this.#newId(session)
			const sent =
				token === undefined ? params : { ...params, _meta: { ...metaOf(params), progressToken: id } }
			if (!say(by, textOf({ id, method, params: sent }))) return false
			ids.push(id)
			return true
		}
		if (!send(operation)) return 'unsupported'
		const askedMs = this.#clock.nowMs()
		const onEnd = () => {
			for (const id of ids) {
				this.#waiting.delete(id)
				const text = textOf({ method: 'notifications/cancelled', params: { requestId: id } })
				if (id !== waiting.answeredBy) say(waiting.inputRequest.operation, text)
			}
		}
		/** Whoever cancels a call may close its stream before having read the request. Two of them are answered as one. */
		const onCut = (next: Operation) => {
			if (isAside || this.#clock.nowMs() - askedMs > unreadMs || !send(next)) return
			this.#waiting.set(ids.at(-1) as string, waiting)
		}
		const inputRequest = new OpenInputRequest(operation, options, onEnd, onCut)
		inputRequest.isAside = isAside
		const waiting: Waiting = {
			inputRequest,
			sessionId: session.id,
			askedMs,
			token,
			options,
			answeredBy: null,
		}
		this.#waiting.set(ids[0] as string, waiting)
		return inputRequest.answered
	}

	/** Whether Signalbox issued this id to this session, in this process or another. */
	isOurs({ id: sessionId }: Pick<ClientSession, 'id'>, id: unknown): boolean {
		const [, label = ''] = typeof id === 'string' ? id.split('-sb-') : []
		const at = label.indexOf('.')
		return at > 0 && label.slice(at + 1) === this.#macOf(sessionId, label.slice(0, at))
	}

	/** The id contains a MAC, so that an invented id causes no message to other processes. */
	#newId({ id }: ClientSession): string {
		const random = randomBytes(12).toString('hex')
		return `ask-sb-${random}.${this.#macOf(id, random)}`
	}

	#macOf(sessionId: string, random: string): string {
		return this.#sealer.mac('mcp-question', `${sessionId} ${random}`).slice(0, 32)
	}

	#send(session: ClientSession, { reply }: Operation, text: string): boolean {
		if (!reply.takesMessages) return this.#sendAside(session.id, text)
		reply.notify(text)
		return true
	}
}

function textOf(message: object): string {
	return JSON.stringify({ jsonrpc: '2.0', ...message })
}
