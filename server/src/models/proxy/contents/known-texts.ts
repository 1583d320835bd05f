import type { StoredText } from '../../../telemetry/index.ts'
import type { RequestOfCall } from './read-contents.ts'

const limit = 100_000

/** Texts of which the table has one of the day; forgetting costs a second copy, which merges take away. */
export class KnownTexts {
	/** Oldest first. */
	readonly #known = new Set<string>()

	/** Those that were not there before; a text that is used stays known. */
	takeNew<Text extends Pick<StoredText, 'hash'>>(
		{ workspaceId, day }: Pick<RequestOfCall, 'workspaceId' | 'day'>,
		texts: readonly Text[],
	): Text[] {
		return texts.filter(({ hash }) => this.#isNew(`${workspaceId} ${day} ${hash}`))
	}

	#isNew(key: string): boolean {
		const isKnown = this.#known.delete(key)
		this.#known.add(key)
		if (this.#known.size > limit) this.#known.delete(this.#known.keys().next().value as string)
		return !isKnown
	}

	/** After a write that failed, nobody knows which are there. */
	forget(): void {
		this.#known.clear()
	}
}
