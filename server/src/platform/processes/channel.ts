import type { ProblemCode } from '@signalbox/contract'
import { Problem } from '../errors.ts'
import { processGone } from './processes.ts'

/** One end of the pipe between two processes: `process` in a worker, the child in the primary. */
export interface Pipe {
	send?: ((message: unknown, sent: (error: Error | null) => void) => boolean) | undefined
	on(event: 'message', listener: (message: unknown) => void): unknown
	once(event: 'disconnect', listener: () => void): unknown
	readonly connected: boolean
}

interface Failure {
	/** Null: no `Problem`. */
	code: ProblemCode | null
	message: string
	headers: Record<string, string>
}

/** What nobody answers. */
export interface Told {
	kind: 'tell'
	name: string
	input: unknown
	/** Whether it is for all processes. */
	forAll: boolean
}

interface Hearing {
	ask(name: string, input: unknown): unknown
	tell(told: Told): unknown
}

type Message =
	| { kind: 'ask'; id: number; name: string; input: unknown }
	| Told
	| { kind: 'answer'; id: number; output?: unknown; failure?: Failure }

interface Waiting {
	resolve(output: unknown): void
	reject(error: Error): void
}

/** Questions and answers over the pipe between two processes. */
export class Channel {
	readonly #pipe: Pipe
	readonly #waiting = new Map<number, Waiting>()
	#lastId = 0

	constructor(pipe: Pipe, hearing: Hearing) {
		this.#pipe = pipe
		pipe.on('message', (message) => void this.#take(message as Message, hearing))
		pipe.once('disconnect', () => this.#failAll())
	}

	ask(name: string, input: unknown): Promise<unknown> {
		if (!this.#pipe.connected) return Promise.reject(processGone())
		return new Promise((resolve, reject) => {
			const id = ++this.#lastId
			this.#waiting.set(id, { resolve, reject })
			this.#send({ kind: 'ask', id, name, input })
		})
	}

	tell(told: Omit<Told, 'kind'>): void {
		this.#send({ kind: 'tell', ...told })
	}

	async #take(message: Message, hearing: Hearing): Promise<void> {
		if (message.kind === 'answer') return this.#settle(message)
		if (message.kind === 'tell') return void hearing.tell(message)
		const { id, name, input } = message
		await (async () => hearing.ask(name, input))().then(
			(output) => this.#send({ kind: 'answer', id, output }),
			(error: unknown) => this.#send({ kind: 'answer', id, failure: toFailure(error) }),
		)
	}

	#settle({ id, output, failure }: Extract<Message, { kind: 'answer' }>): void {
		const waiting = this.#waiting.get(id)
		this.#waiting.delete(id)
		if (failure) waiting?.reject(toError(failure))
		else waiting?.resolve(output)
	}

	/** The other end may go at any moment, which `disconnect` tells. */
	#send(message: Message): void {
		if (this.#pipe.connected) this.#pipe.send?.(message, () => undefined)
	}

	#failAll(): void {
		for (const { reject } of this.#waiting.values()) reject(processGone())
		this.#waiting.clear()
	}
}

function toFailure(error: unknown): Failure {
	if (error instanceof Problem) return { code: error.code, message: error.message, headers: error.headers }
	return { code: null, message: error instanceof Error ? error.message : String(error), headers: {} }
}

function toError({ code, message, headers }: Failure): Error {
	return code === null ? new Error(message) : new Problem(code, message, { headers })
}
