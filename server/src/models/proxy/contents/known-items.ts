import { RecentMap } from '../../../platform/recent-map.ts'
import type { ItemKind, RequestItem } from './request-items.ts'
import { type ItemRead, readItem } from './take-apart.ts'

/** Of the texts that are remembered, with what was read of them. */
const mostBytes = 24 * 1024 * 1024
/** What one takes at least, and how much of its own length: as it was sent, and as it is hashed. */
const leastBytes = 512
const bytesPerCharacter = 3

/** Places for marks of texts that came once. */
const places = 65_536

interface Known {
	salt: string
	read: ItemRead
}

/**
 * What items of requests came to, by how they were sent: an agent sends its instructions, its tools and the whole conversation with every
 * turn, and to find them costs a fraction of parsing, hashing and taking them apart again.
 */
export class KnownItems {
	readonly #known: Readonly<Record<ItemKind, RecentMap<string, Known>>> = {
		settings: new RecentMap(mostBytes / 8),
		tool: new RecentMap(mostBytes / 4),
		system: new RecentMap(mostBytes / 8),
		message: new RecentMap(mostBytes / 2),
	}

	/** By the beginnings of their hashes: most texts come once and never again, and are not worth the memory. */
	readonly #cameOnce = new Uint32Array(places)

	read(kind: ItemKind, item: RequestItem, salt: string): ItemRead {
		const { sent } = item
		if (sent === null) return readItem(kind, item.value(), salt)
		const bytes = leastBytes + bytesPerCharacter * sent.length
		const known = this.#known[kind].use(sent, bytes)
		if (known?.salt === salt) return known.read
		const read = readItem(kind, item.value(), salt)
		if (this.#came(read)) this.#known[kind].set(sent, { salt, read }, bytes)
		return read
	}

	#came({ pieces }: ItemRead): boolean {
		const mark = Number.parseInt(pieces[0]?.hash.slice(0, 8) ?? '0', 16)
		const place = mark % places
		if (this.#cameOnce[place] === mark) return true
		this.#cameOnce[place] = mark
		return false
	}
}
