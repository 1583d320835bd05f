import { isObject, metaOf, parseJsonText } from '../../mcp-client/index.ts'
import type { Reply } from '../reply.ts'
import { relatedTo } from './task.ts'

/** The reply of a task: it keeps the answer, and forwards earlier messages to the client that currently waits for the result. */
export class TaskReply implements Reply {
	message = ''
	readonly #taskId: string
	readonly #listeners = new Set<Reply>()
	#onListener: (() => void)[] = []

	constructor(taskId: string) {
		this.#taskId = taskId
	}

	/** Forwards the task's messages to this reply until the returned function is called. */
	attach(listener: Reply): () => void {
		this.#listeners.add(listener)
		for (const listener of this.#onListener.splice(0)) listener()
		return () => this.#listeners.delete(listener)
	}

	/** Resolves when a client receives messages. */
	whenListening(): Promise<void> {
		return this.takesMessages ? Promise.resolve() : new Promise((resolve) => this.#onListener.push(resolve))
	}

	get takesMessages(): boolean {
		return this.#listener !== undefined
	}

	bytesWith(message: string): number {
		return Buffer.byteLength(message)
	}

	notify(message: string): boolean {
		return this.#listener?.notify(withTask(message, this.#taskId)) ?? true
	}

	onDrain(resume: () => void): void {
		if (this.#listener) this.#listener.onDrain(resume)
		else resume()
	}

	heartbeat(): void {}

	end(message: string): void {
		this.message = message
	}

	get #listener(): Reply | undefined {
		return [...this.#listeners].find(({ takesMessages }) => takesMessages)
	}
}

/** Adds the id of the task to a message, as every message of a task must have it. */
function withTask(text: string, taskId: string): string {
	const message = parseJsonText(text)
	if (!isObject(message) || !isObject(message.params)) return text
	const _meta = { ...metaOf(message.params), ...relatedTo(taskId) }
	return JSON.stringify({ ...message, params: { ...message.params, _meta } })
}
