import { quietly } from '../quietly.ts'
import { activeContext, runIn } from './active-context.ts'
import { ConnectionFacts } from './connection-facts.ts'
import { isAnswer, isRequest, type Message, metaOf, type Request } from './message.ts'
import { type Direction, Operation } from './operation.ts'
import type { Peer } from './peer.ts'
import { contextOf, withTraceContext } from './trace-context.ts'
import type { Extra, Transport, Watcher } from './transport.ts'

type Id = string | number
/** Limits how many requests without an answer are kept. */
const maxOpen = 10_000

/** Records operations from what passes one transport. No failure in here reaches the host. */
export class Connection implements Watcher {
	readonly #peer: Peer
	readonly #facts: ConnectionFacts
	readonly #incoming = new Map<Id, Operation>()
	readonly #outgoing = new Map<Id, Operation>()
	readonly #startedMs = performance.now()
	#passing: Message | null = null
	#closed = false

	constructor(peer: Peer, transport: Transport) {
		this.#peer = peer
		this.#facts = new ConnectionFacts(transport)
	}

	receive(message: Message, extra: Extra | undefined, next: () => unknown): unknown {
		// The SDKs call the previous callback from their own, so the same message may be seen twice.
		if (!this.#peer.observing || this.#passing === message) return next()
		const operation = quietly(() => this.#received(message, extra))
		const before = this.#passing
		this.#passing = message
		try {
			return operation ? runIn(operation.context, next) : next()
		} finally {
			this.#passing = before
		}
	}

	send(message: Message, options: unknown, next: (message: Message) => Promise<void>): Promise<void> {
		if (!this.#peer.observing) return next(message)
		const operation = quietly(() => this.#asked(message, options))
		if (operation)
			return this.#sending(message as Request, this.#outgoing, () => next(this.#carrying(operation)))
		if (isAnswer(message)) return this.#sending(message, this.#incoming, () => next(message))
		quietly(() => this.#noticed(message, this.#outgoing, this.#incoming))
		return next(message)
	}

	/** A request or an answer that cannot be sent ends its operation; an answer ends it when it has been sent. */
	#sending(
		message: Message & { id: Id },
		open: Map<Id, Operation>,
		send: () => Promise<void>,
	): Promise<void> {
		const onSent = () => {
			if (isAnswer(message)) quietly(() => this.#answer(open, message))
		}
		const onFailure = (error: unknown): never => {
			quietly(() => this.#settle(open, message.id)?.failed(nameOf(error)))
			throw error
		}
		const answered = isAnswer(message) && open.get(message.id)
		if (answered) answered.answer = message
		try {
			const sent = send()
			if (typeof sent?.then !== 'function') onSent()
			// Derived promise, so that an unhandled rejection stays unhandled.
			else return sent.then(onSent, onFailure)
			return sent
		} catch (error) {
			return onFailure(error)
		}
	}

	closed(): void {
		quietly(() => this.#close())
	}

	#received(message: Message, extra: Extra | undefined): Operation | undefined {
		if (isRequest(message)) return this.#begin('incoming', message, extra)
		if (isAnswer(message)) this.#answer(this.#outgoing, message)
		else this.#noticed(message, this.#incoming, this.#outgoing)
		return undefined
	}

	#asked(message: Message, options: unknown): Operation | undefined {
		if (!isRequest(message)) return undefined
		const operation = this.#begin('outgoing', message)
		const signal = (options as { requestSignal?: AbortSignal } | undefined)?.requestSignal
		const onAbort = () =>
			quietly(() => this.#settle(this.#outgoing, message.id)?.failed(reasonOf(signal?.reason)))
		signal?.addEventListener('abort', onAbort, { once: true })
		return operation
	}

	#carrying({ request, context }: Operation): Request {
		const agent = this.#peer.side === 'client' ? this.#peer.config.agent : null
		return quietly(() => withTraceContext(request, context, agent)) ?? request
	}

	#begin(direction: Direction, request: Request, extra?: Extra): Operation | undefined {
		const open = direction === 'incoming' ? this.#incoming : this.#outgoing
		if (open.size >= maxOpen) return undefined
		this.#facts.learnFromRequest(request, extra)
		const ambient = activeContext()
		const context = direction === 'incoming' ? contextOf(request, extra, ambient) : ambient
		const operation = new Operation(this.#peer, this.#facts, direction, request, context, ambient)
		open.set(request.id, operation)
		return operation
	}

	#answer(open: Map<Id, Operation>, message: Message & { id: Id }): void {
		const operation = this.#settle(open, message.id)
		if (!operation) return
		this.#facts.learnFromAnswer(operation.request.method, message)
		operation.answered(message)
	}

	/** A cancellation ends a request of its sender; progress refers to a request of its receiver. */
	#noticed({ method, params }: Message, ofSender: Map<Id, Operation>, ofReceiver: Map<Id, Operation>): void {
		if (method === 'notifications/cancelled')
			this.#settle(ofSender, params?.requestId as Id)?.failed(reasonOf(params?.reason))
		if (method !== 'notifications/progress') return
		const token = params?.progressToken
		if (token === undefined) return
		for (const operation of ofReceiver.values())
			if (metaOf(operation.request.params).progressToken === token) operation.progressed()
	}

	#settle(open: Map<Id, Operation>, id: Id): Operation | undefined {
		const operation = open.get(id)
		open.delete(id)
		return operation
	}

	#close(): void {
		if (this.#closed || !this.#peer.observing) return
		this.#closed = true
		for (const operation of [...this.#incoming.values(), ...this.#outgoing.values()])
			if (operation.answer) operation.answered(operation.answer)
			else operation.failed('connection_closed')
		this.#incoming.clear()
		this.#outgoing.clear()
		const seconds = (performance.now() - this.#startedMs) / 1000
		this.#peer.pipeline().record(`mcp.${this.#peer.side}.session.duration`, seconds, this.#facts.few)
	}
}

function reasonOf(reason: unknown): string {
	return /timed? ?out/i.test(String(reason)) ? 'timeout' : 'cancelled'
}

function nameOf(error: unknown): string {
	return error instanceof Error ? error.constructor.name : 'unknown'
}
