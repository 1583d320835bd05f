import { isObject, metaOf, parseJsonText } from '../../mcp-client/index.ts'
import type { Reply } from '../reply.ts'
import { relatedTo } from './task.ts'

/** Where the answer of a task goes: it is kept. What comes before it goes to who waits for the result just now. */
export class TaskReply implements Reply {
	message = ''
	readonly #taskId: string
	readonly #listeners = new Set<Reply>()
	#onListener: (() => void)[] = []

	constructor(taskId: string) {
		this.#taskId = taskId
	}

	/** Messages of the task go to this answer until the returned function is called. */
	attach(listener: Reply): () => void {
		this.#listeners.add(listener)
		for (const tell of this.#onListener.splice(0)) tell()
		return () => this.#listeners.delete(listener)
	}

	/** Resolves when somebody takes messages. */
	whenHeard(): Promise<void> {
		return this.takesMessages ? Promise.resolve() : new Promise((resolve) => this.#onListener.push(resolve))
	}

	get takesMessages(): boolean {
		return this.#listener !== undefined
	}

	get bytes(): number {
		return 0
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

/** Every message that belongs to a task says so. */
function withTask(text: string, taskId: string): string {
	const message = parseJsonText(text)
	if (!isObject(message) || !isObject(message.params)) return text
	const _meta = { ...metaOf(message.params), ...relatedTo(taskId) }
	return JSON.stringify({ ...message, params: { ...message.params, _meta } })
}
