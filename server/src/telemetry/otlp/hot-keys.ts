import { mappedKeys } from '../normalise/map-attributes.ts'

/** FNV-1a. */
export function hashOf(bytes: Buffer, start: number, end: number): number {
	let hash = 0x811c9dc5 | 0
	for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
	return hash
}

const hotByHash = new Map(
	Array.from(mappedKeys, ([key, number]) => {
		const bytes = Buffer.from(key)
		return [hashOf(bytes, 0, bytes.length), { bytes, number }]
	}),
)
if (hotByHash.size !== mappedKeys.size) throw new Error('Two mapped keys share a hash.')

/** The number of a key that columns are made from; -1 for any other. */
export function hotNumber(bytes: Buffer, hash: number, start: number, end: number): number {
	const hot = hotByHash.get(hash)
	if (hot === undefined || hot.bytes.length !== end - start) return -1
	for (let i = 0; i < hot.bytes.length; i++) if (hot.bytes[i] !== bytes[start + i]) return -1
	return hot.number
}
