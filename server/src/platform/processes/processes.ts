import type { ProblemCode } from '@signalbox/contract'
import { Problem } from '../errors.ts'

/** Handles a request; `from` is the number of the process that asks. */
// biome-ignore lint/suspicious/noExplicitAny: each handler declares the type of its input, which is our own plain data.
type Answer = (input: any, from: number) => unknown
type Answers = Map<string, Answer>

/**
 * The processes of one program, which share its ports. Number 0 is the primary, and by default the only one. A worker reaches the
 * primary, the primary reaches every worker. Messages are plain data.
 */
export interface Processes {
	readonly number: number
	/** The other processes that this one reaches now. */
	others(): readonly number[]
	/** Sets the handler for requests and notices of other processes. */
	answer(name: string, answer: Answer): void
	/**
	 * Rejects as the other side's handler does; with Problem `store_unavailable` if that process has ended, or is still starting and
	 * has no handler yet.
	 */
	ask<Output>(to: number, name: string, input?: unknown): Promise<Output>
	/**
	 * Sends a notice to another process, or to all others, including those that only the primary reaches. Does not wait for
	 * delivery.
	 */
	tell(to: number | 'all', name: string, input?: unknown): void
	/** Called with the number of a process that ended. */
	onEnded(listener: (number: number) => void): void
}

export const primary = 0

/** The only process of a program without workers. */
export const singleProcess: Processes = {
	number: primary,
	others: () => [],
	answer: () => undefined,
	ask: async () => {
		throw processGone()
	},
	tell: () => undefined,
	onEnded: () => undefined,
}

export function processGone(): Problem {
	return new Problem('store_unavailable', 'Another process of the program does not answer.', {
		retryAfterS: 1,
	})
}

/** One end of the pipe between two processes: `process` in a worker, the child in the primary. */
export interface Pipe {
	send?: ((message: unknown, sent: (error: Error | null) => void) => boolean) | undefined
	on(event: 'message', listener: (message: unknown) => void): unknown
	once(event: 'disconnect', listener: () => void): unknown
	readonly connected: boolean
}

interface Failure {
	/** Null: the error is not a `Problem`. */
	code: ProblemCode | null
	message: string
	headers: Record<string, string>
}

/** A message without a response. */
interface Notice {
	kind: 'tell'
	name: string
	input: unknown
	/** Whether it goes to all processes. */
	forAll: boolean
}

interface Hearing {
	ask(name: string, input: unknown): unknown
	tell(notice: Notice): unknown
}

type Message =
	| { kind: 'ask'; id: number; name: string; input: unknown }
	| Notice
	| { kind: 'answer'; id: number; output?: unknown; failure?: Failure }

interface Waiting {
	resolve(output: unknown): void
	reject(error: Error): void
}

/** Requests and responses over the pipe between two processes. */
class Channel {
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

	tell(notice: Omit<Notice, 'kind'>): void {
		this.#send({ kind: 'tell', ...notice })
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

	/** The other end may close at any moment, which `disconnect` reports. */
	#send(message: Message): void {
		if (this.#pipe.connected) this.#pipe.send?.(message, () => undefined)
	}

	#failAll(): void {
		for (const { reject } of this.#waiting.values()) reject(processGone())
		this.#waiting.clear()
	}
}

/** A starting process sets its handlers one after the other, so a missing handler is reported as an error. */
function answerOf(answers: Answers, name: string): Answer {
	const answer = answers.get(name)
	if (!answer) throw processGone()
	return answer
}

function toFailure(error: unknown): Failure {
	if (error instanceof Problem) return { code: error.code, message: error.message, headers: error.headers }
	return { code: null, message: error instanceof Error ? error.message : String(error), headers: {} }
}

function toError({ code, message, headers }: Failure): Error {
	return code === null ? new Error(message) : new Problem(code, message, { headers })
}

export interface PrimaryProcesses extends Processes {
	/** Adds a started worker, until its pipe closes. */
	attach(number: number, pipe: Pipe): void
}

/** The primary's connection to its workers. A worker's notice to all is forwarded to the other workers. */
export function openPrimaryProcesses(): PrimaryProcesses {
	const channels = new Map<number, Channel>()
	const answers: Answers = new Map()
	const listeners: ((number: number) => void)[] = []
	const tellAll = (name: string, input: unknown, except?: number) => {
		for (const [number, channel] of channels)
			if (number !== except) channel.tell({ name, input, forAll: true })
	}
	const detach = (number: number) => {
		channels.delete(number)
		for (const listener of listeners) listener(number)
	}
	return {
		number: primary,
		others: () => [...channels.keys()],
		answer: (name, answer) => void answers.set(name, answer),
		ask: async <Output>(to: number, name: string, input?: unknown) => {
			const channel = channels.get(to)
			if (!channel) throw processGone()
			return (await channel.ask(name, input)) as Output
		},
		tell: (to, name, input) => {
			if (to === 'all') tellAll(name, input)
			else channels.get(to)?.tell({ name, input, forAll: false })
		},
		onEnded: (listener) => void listeners.push(listener),
		attach: (number, pipe) => {
			const channel = new Channel(pipe, {
				ask: (name, input) => answerOf(answers, name)(input, number),
				tell: ({ name, input, forAll }) => {
					if (forAll) tellAll(name, input, number)
					return answers.get(name)?.(input, number)
				},
			})
			channels.set(number, channel)
			pipe.once('disconnect', () => detach(number))
		},
	}
}

/** A worker's connection to the primary, over the pipe from which the primary started it. */
export function openWorkerProcesses(number: number, pipe: Pipe): Processes {
	const answers: Answers = new Map()
	const channel = new Channel(pipe, {
		ask: (name, input) => answerOf(answers, name)(input, primary),
		tell: ({ name, input }) => answers.get(name)?.(input, primary),
	})
	return {
		number,
		others: () => [primary],
		answer: (name, answer) => void answers.set(name, answer),
		ask: <Output>(_to: number, name: string, input?: unknown) => channel.ask(name, input) as Promise<Output>,
		tell: (to, name, input) => channel.tell({ name, input, forAll: to === 'all' }),
		// A worker ends together with its primary.
		onEnded: () => undefined,
	}
}
