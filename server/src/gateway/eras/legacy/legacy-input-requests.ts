import { randomBytes, randomUUID } from 'node:crypto'
import {
	Cancellation,
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
import { inputTimeout, OpenInputRequest, operationEnded, refuseEnded } from '../../open-input-request.ts'
import { type Ask, type Asking, type AskOptions, asOperation, type Operation } from '../../operation.ts'
import type { PeerMessage, PeerMessages } from '../../peer-messages.ts'
import { CollectedReply } from '../../reply.ts'
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
	/** Sends it again: the call on whose stream it was sent has ended in another process, unread. */
	repeat(): void
}

/** How long a client may take until it has read a request. */
const unreadMs = 1000
/** How long other processes may take to say that they can send to a client. */
const findMs = 3000
/** How often they are asked whether one still runs a call that keeps an input request open. */
const checkMs = 5000

/** Sends to the streams of sessions, and to the other processes. */
interface Ways {
	/** Sends a message to a session outside its answers, on its GET stream. False if the session has no such stream here. */
	sendAside(sessionId: string, message: string): boolean
	hasStream(sessionId: string): boolean
	peers: Pick<PeerMessages, 'send' | 'hasReaders'>
}

type Need = Extract<PeerMessage, { kind: 'find' }>['need']

/** The pending input requests to legacy clients, by the id of the request. */
export class LegacyInputRequests {
	readonly #waiting = new Map<string, Waiting>()
	readonly #clock: Clock
	readonly #limits: Limits
	readonly #sealer: Pick<Sealer, 'mac'>
	readonly #ways: Ways
	/** Names this process to the others. */
	readonly #name = randomUUID()
	/** Searches for a process, by ticket. */
	readonly #searches = new Map<string, (process: string) => void>()
	/** The tokens of progress that is on its way to other processes. */
	readonly #progressSent = new Set<unknown>()

	constructor(clock: Clock, limits: Limits, sealer: Pick<Sealer, 'mac'>, ways: Ways) {
		this.#sealer = sealer
		this.#clock = clock
		this.#limits = limits
		this.#ways = ways
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

	/** How a server asks the client of a session between calls: on the session's stream, wherever that is. */
	askerBetweenCalls(session: ClientSession): Ask {
		const { client } = session
		const asking = { client, reply: new CollectedReply(), cancellation: new Cancellation(), asking: 0 }
		return (inputRequest, options = {}) =>
			understands(client.capabilities, inputRequest)
				? this.#ask(session, asking, inputRequest, options)
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

	/** Passes on a client's progress with an input request. False if it is for a request of another process. */
	progress(session: Pick<ClientSession, 'id'>, params: JsonObject): boolean {
		const waiting = this.#of(session, params.progressToken)
		if (waiting?.token !== undefined)
			waiting.options.onProgress?.({ ...params, progressToken: waiting.token })
		return waiting !== undefined || !this.isOurs(session, params.progressToken)
	}

	/** Sends progress to the other processes. While some is on its way, newer progress with the same request is left out. */
	async sendProgress(session: ClientSession, params: JsonObject): Promise<void> {
		const { progressToken } = params
		if (this.#progressSent.has(progressToken)) return
		this.#progressSent.add(progressToken)
		await this.#ways.peers
			.send(session, { kind: 'progress', sessionId: session.id, params })
			.finally(() => this.#progressSent.delete(progressToken))
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
		operation: Asking,
		inputRequest: InputRequest,
		options: AskOptions,
	): Promise<JsonObject | 'unsupported'> {
		refuseEnded(operation, options)
		const sent = new SentRequest(session, inputRequest, options, {
			...this.#ways,
			clock: this.#clock,
			waiting: this.#waiting,
			newId: () => this.#newId(session),
			find: (need) => this.#find(session, need),
		})
		return sent.sendFor(operation) ? sent.waitFor(operation) : 'unsupported'
	}

	/** Names a process that can send to the client, or null. */
	async #find(session: ClientSession, need: Need): Promise<string | null> {
		const ticket = randomUUID()
		const found = new Promise<string | null>((resolve) => {
			const unanswered = setTimeout(() => resolve(null), findMs).unref()
			this.#searches.set(ticket, (process) => {
				clearTimeout(unanswered)
				resolve(process)
			})
		})
		const message = { kind: 'find', sessionId: session.id, ticket, need } as const
		this.#ways.peers.send(session, message).catch(() => {})
		try {
			return await found
		} finally {
			this.#searches.delete(ticket)
		}
	}

	/** Handles what another process says about the client of a session. */
	takePeerMessage(session: ClientSession, message: PeerMessage): void {
		if (message.kind === 'answer') this.answer(session, message.response)
		if (message.kind === 'progress') this.progress(session, message.params)
		if (message.kind === 'found') this.#searches.get(message.ticket)?.(message.by)
		if (message.kind === 'unread') this.#of(session, message.id)?.repeat()
		if (message.kind === 'tell' && message.to === this.#name) this.#tell(session, message)
		if (message.kind !== 'find' || !this.#meets(session, message.need)) return
		const { id: sessionId } = session
		this.#toPeers(session, { kind: 'found', sessionId, ticket: message.ticket, by: this.#name })
	}

	#meets({ id, running }: ClientSession, need: Need): boolean {
		const hasCall = running.size > 0
		return need === 'call' ? hasCall : this.#ways.hasStream(id) || (need === 'either' && hasCall)
	}

	/** Sends to the client for another process, which is told if the client may not have read it. */
	#tell(session: ClientSession, { message, id }: Extract<PeerMessage, { kind: 'tell' }>): void {
		if (this.#ways.sendAside(session.id, message)) return
		const unread = () => this.#toPeers(session, { kind: 'unread', sessionId: session.id, id })
		const call = takingCall(session)
		if (!call) return void unread()
		call.reply.notify(message)
		const sentMs = this.#clock.nowMs()
		call.cancellation.also(() => {
			if (this.#clock.nowMs() - sentMs <= unreadMs) unread()
		})
	}

	#toPeers(session: ClientSession, message: PeerMessage): void {
		this.#ways.peers.send(session, message).catch(() => {})
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
}

interface SentRequestWays extends Ways {
	clock: Clock
	waiting: Map<string, Waiting>
	newId(): string
	find(need: Need): Promise<string | null>
}

/** An input request on its way to its client. It can be sent more than once, each time under another id; the first answer counts. */
class SentRequest {
	readonly #session: ClientSession
	readonly #request: InputRequest
	readonly #token: unknown
	readonly #options: AskOptions
	readonly #ways: SentRequestWays
	/** The ids under which it was sent, each with the name of the process that sent it, or null for this one. */
	readonly #ids = new Map<string, string | null>()
	#waiting: Waiting | null = null
	#isAside = false

	constructor(session: ClientSession, request: InputRequest, options: AskOptions, ways: SentRequestWays) {
		this.#session = session
		this.#request = request
		this.#token = progressTokenOf(request.params)
		this.#options = options
		this.#ways = ways
	}

	/** False if neither this process nor another one can send it. */
	sendFor(operation: Asking): boolean {
		const id = this.#ways.newId()
		if (!this.#say(operation, this.#textFor(id))) return this.#ways.peers.hasReaders
		this.#note(id, null)
		return true
	}

	waitFor(operation: Asking): Promise<JsonObject | 'unsupported'> {
		const askedMs = this.#ways.clock.nowMs()
		const onCut = (next: Asking | null, failure: unknown, isRead = false) =>
			this.#goOn(next, failure, isRead || this.#ways.clock.nowMs() - askedMs > unreadMs)
		const inputRequest = new OpenInputRequest(operation, this.#options, () => this.#end(), onCut)
		this.#waiting = {
			inputRequest,
			sessionId: this.#session.id,
			askedMs,
			token: this.#token,
			options: this.#options,
			answeredBy: null,
			repeat: () => this.#sendElsewhere('either', () => inputRequest.withdraw(operationEnded())),
		}
		for (const id of this.#ids.keys()) this.#ways.waiting.set(id, this.#waiting)
		if (this.#ids.size === 0)
			this.#sendElsewhere(this.#options.successor ? 'either' : 'stream', () => inputRequest.giveUp())
		return inputRequest.answered
	}

	/** Whoever cancels a call may close its stream before having read the request. `next`: null if another process may run one. */
	#goOn(next: Asking | null, failure: unknown, isRead: boolean): void {
		const { inputRequest } = this.#waiting as Waiting
		if (next === null)
			this.#sendElsewhere('call', () => inputRequest.withdraw(failure), isRead || this.#isAside)
		else if (!this.#isAside && !isRead) this.sendFor(next)
	}

	/**
	 * Has another process send it, unless the client has read it; `onNowhere` is called if there is none, also later if a call there
	 * is what keeps it open.
	 */
	#sendElsewhere(need: Need, onNowhere: () => void, isRead = false): void {
		if (!this.#waiting?.inputRequest.isOpen) return
		this.#ways.find(need).then((to) => {
			if (!this.#waiting?.inputRequest.isOpen) return
			if (to === null) return onNowhere()
			if (need === 'call') setTimeout(() => this.#sendElsewhere(need, onNowhere, true), checkMs).unref()
			if (isRead) return
			const id = this.#ways.newId()
			this.#tell(to, id, this.#textFor(id))
			this.#note(id, to)
		}, onNowhere)
	}

	#note(id: string, by: string | null): void {
		this.#ids.set(id, by)
		if (this.#waiting) this.#ways.waiting.set(id, this.#waiting)
	}

	#end(): void {
		const { answeredBy, inputRequest } = this.#waiting as Waiting
		for (const [id, by] of this.#ids) {
			this.#ways.waiting.delete(id)
			if (id === answeredBy) continue
			const text = textOf({ method: 'notifications/cancelled', params: { requestId: id } })
			if (by === null) this.#say(inputRequest.operation, text)
			else this.#tell(by, id, text)
		}
	}

	#textFor(id: string): string {
		const { method, params } = this.#request
		const isTracked = this.#token !== undefined
		return textOf({
			id,
			method,
			params: isTracked ? { ...params, _meta: { ...metaOf(params), progressToken: id } } : params,
		})
	}

	#say({ reply }: Asking, text: string): boolean {
		const { id } = this.#session
		this.#isAside = this.#options.isOfUnknownCall === true && this.#ways.sendAside(id, text)
		if (this.#isAside) return true
		if (!reply.takesMessages) return this.#ways.sendAside(id, text)
		reply.notify(text)
		return true
	}

	#tell(to: string, id: string, message: string): void {
		const { id: sessionId } = this.#session
		this.#ways.peers.send(this.#session, { kind: 'tell', sessionId, to, id, message }).catch(() => {})
	}
}

/** The newest call of a session whose client reads its stream. */
function takingCall({ running }: ClientSession): Operation | null {
	for (const call of [...running.values()].reverse()) {
		const operation = asOperation(call) as Operation
		if (!operation.cancellation.failure && operation.reply.takesMessages) return operation
	}
	return null
}

function textOf(message: object): string {
	return JSON.stringify({ jsonrpc: '2.0', ...message })
}
