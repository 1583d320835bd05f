import { type Cipheriv, createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

/** The row format of records that hold what a call carried, sealed, and not rows yet. */
export const factsFormat = 255
/** The row format of records that hold the rows made of one call, of several tables. */
export const madeFormat = 254

/** Before what is sealed: where its key stream begins. */
export const sealBytes = 6
const blockBytes = 16
const skipped = Buffer.alloc(blockBytes)

/**
 * Seals what calls carried on its way into one segment: AES-256 in counter mode, one key stream for the whole segment, of which no
 * byte is used twice. Whether a record is whole its checksum tells.
 */
export class FactsSeal {
	readonly #cipher: Cipheriv
	#used = 0

	constructor(key: Buffer) {
		this.#cipher = createCipheriv('aes-256-ctr', key, counterAt(0))
	}

	/** Returns the place after it. */
	write(target: Buffer, at: number, plain: Uint8Array): number {
		const start = target.writeUIntLE(this.#used, at, sealBytes)
		target.set(this.#cipher.update(plain), start)
		this.#used += plain.length
		return start + plain.length
	}
}

export function openSealed(key: Uint8Array | KeyObject, sealed: Buffer): Buffer {
	const used = sealed.readUIntLE(0, sealBytes)
	const decipher = createDecipheriv('aes-256-ctr', key, counterAt(Math.floor(used / blockBytes)))
	if (used % blockBytes > 0) decipher.update(skipped.subarray(0, used % blockBytes))
	return decipher.update(sealed.subarray(sealBytes))
}

function counterAt(block: number): Buffer {
	const counter = Buffer.alloc(blockBytes)
	counter.writeBigUInt64BE(BigInt(block), 8)
	return counter
}

/** Rows of one table. */
export interface RowsOfFormat {
	rowFormat: number
	count: number
	bytes: Uint8Array
}

const partHeadBytes = 9

export function madeBytes(parts: readonly RowsOfFormat[]): number {
	return parts.reduce((sum, { bytes }) => sum + partHeadBytes + bytes.length, 0)
}

/** The rows that were made of one call, as one record holds them. */
export function encodeMadeRows(parts: readonly RowsOfFormat[]): Buffer {
	const all = Buffer.allocUnsafe(madeBytes(parts))
	writeMadeRows(parts, all, 0)
	return all
}

/** Returns the place after them. */
export function writeMadeRows(parts: readonly RowsOfFormat[], all: Buffer, start: number): number {
	let at = start
	for (const { rowFormat, count, bytes } of parts) {
		at = all.writeUInt8(rowFormat, at)
		at = all.writeUInt32LE(count, at)
		at = all.writeUInt32LE(bytes.length, at)
		all.set(bytes, at)
		at += bytes.length
	}
	return at
}

/** Views of what `encodeMadeRows` wrote. */
export function decodeMadeRows(made: Uint8Array): RowsOfFormat[] {
	const bytes = Buffer.from(made.buffer, made.byteOffset, made.length)
	const parts: RowsOfFormat[] = []
	for (let at = 0; at < bytes.length; ) {
		const length = bytes.readUInt32LE(at + 5)
		const start = at + partHeadBytes
		parts.push({
			rowFormat: bytes.readUInt8(at),
			count: bytes.readUInt32LE(at + 1),
			bytes: bytes.subarray(start, start + length),
		})
		at = start + length
	}
	return parts
}
