/**
 * Flushes a file for many at once: whoever asks while a flush is under way shares the next one. After a flush has failed,
 * nobody knows what of the file is on disk (the system forgets which pages it could not write), so all further ones fail too.
 */
export class GroupFlush {
	readonly #flushFile: () => Promise<void>
	#failure: Error | null = null
	#running: Promise<void> | null = null
	#next: Promise<void> | null = null

	constructor(flushFile: () => Promise<void>) {
		this.#flushFile = flushFile
	}

	/** Resolves when everything that was written before the call is on disk. */
	flush(): Promise<void> {
		if (this.#running === null) return this.#begin()
		this.#next ??= this.#running
			.catch(() => {})
			.then(() => {
				this.#next = null
				return this.#begin()
			})
		return this.#next
	}

	/** Throws when what is written now could never be told to be on disk. */
	requireWorking(): void {
		if (this.#failure) throw this.#failure
	}

	#begin(): Promise<void> {
		this.#running = this.#flushOnce().finally(() => {
			this.#running = null
		})
		return this.#running
	}

	async #flushOnce(): Promise<void> {
		this.requireWorking()
		try {
			await this.#flushFile()
		} catch (cause) {
			this.#failure = new Error(
				'The control store could not be flushed to disk; it takes no changes until the program is started again.',
				{ cause },
			)
			throw this.#failure
		}
	}
}
