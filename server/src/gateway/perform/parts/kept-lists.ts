import type { Clock } from '../../../platform/clock.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import type { ListInputs } from '../../enforce.ts'

/** A position in a list that spans servers: the server's slug, and the index in that server's own order. */
export interface Position {
	slug: string
	at: number
}

/** One item of a list that may span servers. */
export interface Entry extends Position {
	json: string
}

/** A list ordered by slug and by each server's own order, so that pages stay aligned when other items are added or removed. */
export interface WholeList {
	entries: readonly Entry[]
	/** Servers whose list is unknown. */
	missing: readonly ServerEntry[]
	/** The items of pages that were already serialized, by the index of their first item. */
	written?: Map<number, string>
}

/** A list of tools, with the servers that it covers. */
export interface KeptList extends Omit<WholeList, 'missing'> {
	servers: readonly ServerEntry[]
}

interface Kept {
	inputs: ListInputs
	list: KeptList
	characters: number
	usedAtMs: number
}

const maxCharacters = 16 * 1024 * 1024
/** Lists keep old versions of servers in memory, so unused ones are dropped soon. */
const idleMs = 60_000

/**
 * A cache of serialized tool lists. It needs no invalidation: all inputs are compared by identity on each use, and every change
 * of an agent, a grant or a server creates a new object.
 */
export class KeptLists {
	readonly #clock: Clock
	readonly #kept = new Map<string, Kept>()
	#characters = 0

	constructor(clock: Clock) {
		this.#clock = clock
	}

	/** The list cached under `key` if its inputs are unchanged, otherwise the result of `make`. */
	list(key: string, inputs: ListInputs, make: () => KeptList): KeptList {
		const nowMs = this.#clock.nowMs()
		const kept = this.#kept.get(key)
		this.#forget(key)
		if (kept && nowMs < kept.inputs.untilMs && isSame(kept.inputs, inputs))
			return this.#keep(key, { ...kept, usedAtMs: nowMs })
		const list = { ...make(), written: new Map() }
		const characters = list.entries.reduce((sum, { json }) => sum + json.length, 0)
		return this.#keep(key, { inputs, list, characters, usedAtMs: nowMs })
	}

	/** Drops unused lists; called every few seconds. */
	sweep(): void {
		const before = this.#clock.nowMs() - idleMs
		for (const [key, { usedAtMs }] of this.#kept) if (usedAtMs < before) this.#forget(key)
	}

	/** Evicts the least recently used lists when the cache is full. */
	#keep(key: string, kept: Kept): KeptList {
		this.#kept.set(key, kept)
		this.#characters += kept.characters
		for (const oldest of this.#kept.keys()) {
			if (this.#characters <= maxCharacters) break
			this.#forget(oldest)
		}
		return kept.list
	}

	#forget(key: string): void {
		const kept = this.#kept.get(key)
		if (!kept) return
		this.#kept.delete(key)
		this.#characters -= kept.characters
	}
}

function isSame({ facts }: ListInputs, now: ListInputs): boolean {
	return facts.length === now.facts.length && facts.every((fact, at) => fact === now.facts[at])
}
