import { Worker } from 'node:worker_threads'
import { compiledCodeEnvironment } from '../../../platform/compiled-code.ts'
import type { ToolDefinition } from '../definition.ts'

/** Longer texts are not counted: the time to merge a run of equal letters grows quadratically. */
const maxText = 256 * 1024
const timeoutMs = 10_000
/** The tokenizer's tables take 76 MB and half a second to load, so the thread waits a little for the next server. */
const idleMs = 3000

/** The text that a model gets for a tool; providers differ in the words around it. */
export function textOf({ name, description, inputSchema }: ToolDefinition): string {
	return JSON.stringify({ name, description, input_schema: inputSchema })
}

/**
 * Counts tokens (o200k_base) in a thread that exists only while there is something to count, so that an idle program does not keep
 * the tables in memory. One caller at a time.
 */
export class TokenCounter {
	#worker: Worker | null = null
	#idle: NodeJS.Timeout | null = null

	/** Null for a text that is too long or takes over 10 s. Rejects when the signal is aborted. */
	async count(texts: readonly string[], signal: AbortSignal): Promise<(number | null)[]> {
		if (this.#idle) clearTimeout(this.#idle)
		const counts: (number | null)[] = []
		try {
			for (const text of texts) {
				signal.throwIfAborted()
				counts.push(text.length > maxText ? null : await this.#countOne(text))
			}
			return counts
		} finally {
			this.#idle = setTimeout(() => void this.close(), signal.aborted ? 0 : idleMs).unref()
		}
	}

	async close(): Promise<void> {
		const worker = this.#worker
		this.#worker = null
		await worker?.terminate()
	}

	async #countOne(text: string): Promise<number | null> {
		this.#worker ??= startThread()
		const count = await ask(this.#worker, text)
		if (count === null) await this.close()
		return count
	}
}

function startThread(): Worker {
	return new Worker(new URL('./token-thread.ts', import.meta.url), {
		execArgv: [],
		env: compiledCodeEnvironment(),
	})
}

function ask(worker: Worker, text: string): Promise<number | null> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => settle(() => resolve(null)), timeoutMs)
		const onCount = (count: number) => settle(() => resolve(count))
		const onError = (error: Error) => settle(() => reject(error))
		const onExit = () => onError(new Error('The thread that counts tokens ended.'))
		const settle = (run: () => void) => {
			clearTimeout(timer)
			worker.off('message', onCount).off('error', onError).off('exit', onExit).unref()
			run()
		}
		worker.on('message', onCount).on('error', onError).on('exit', onExit).ref()
		worker.postMessage(text)
	})
}
