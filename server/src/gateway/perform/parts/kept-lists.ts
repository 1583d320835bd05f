import type { Clock } from '../../../platform/clock.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import type { ListInputs } from '../../enforce.ts'

/** How far a client has read a list that spans servers: the server's slug, and a place in that server's own order. */
export interface Position {
	slug: string
	at: number
}

/** One item of a list that may span servers. */
export interface Entry extends Position {
	json: string
}

/** A list in the order of slugs and of each server's own, so that a page begins where the last one ended although others come and go. */
export interface WholeList {
	entries: readonly Entry[]
	/** Servers that did not tell theirs. */
	missing: readonly ServerEntry[]
	/** The items of pages that were written already, by where they begin. */
	written?: Map<number, string>
}

/** A list of tools, with the servers that it is of. */
export interface KeptList extends Omit<WholeList, 'missing'> {
	servers: readonly ServerEntry[]
}

interface Kept {
	inputs: ListInputs
	list: KeptList
	characters: number
	usedAtMs: number
}

const charactersMost = 16 * 1024 * 1024
/** Lists hold on to servers as they were, so those that nobody asks for go soon. */
const idleMs = 60_000

/**
 * Lists of tools, written out for as long as all that decided them is the same. Nothing has to tell that something changed:
 * the inputs are compared each time, and a change of an agent, a grant or a server makes a new object of it.
 */
export class KeptLists {
	readonly #clock: Clock
	readonly #kept = new Map<string, Kept>()
	#characters = 0

	constructor(clock: Clock) {
		this.#clock = clock
	}

	/** The list kept under `key` while its inputs hold, else what `make` makes. */
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

	/** Housekeeping, every few seconds. */
	sweep(): void {
		const before = this.#clock.nowMs() - idleMs
		for (const [key, { usedAtMs }] of this.#kept) if (usedAtMs < before) this.#forget(key)
	}

	/** The one that was not asked for longest goes first. */
	#keep(key: string, kept: Kept): KeptList {
		this.#kept.set(key, kept)
		this.#characters += kept.characters
		for (const oldest of this.#kept.keys()) {
			if (this.#characters <= charactersMost) break
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
