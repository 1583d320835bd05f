import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv, type KeyObject } from 'node:crypto'

/** Row format of records that hold the rows of one call, for several tables. Only earlier versions wrote them. */
const madeOfOneFormat = 254
/** Row format of records that hold the rows of several calls, preceded by the ids of those calls. */
export const madeFormat = 252

/** How many numbers `EndedCalls` stores per call. */
export const numbersOfCall = 9
/** Of a call's id. */
export const idBytes = 16

/** Bytes before the ciphertext. They hold its offset in the key stream. */
export const sealBytes = 6
const blockBytes = 16
const skipped = Buffer.alloc(16 * 1024)

/** A larger buffer is not kept for the next run. */
const keptBytes = 256 * 1024

/**
 * Encrypts the facts of calls on their way into one segment: AES-256 in counter mode, with one key stream for the whole segment, no
 * byte of which is used twice. Integrity is checked by the record's checksum. The records of a run are encrypted together, because
 * each use of the cipher costs as much as encrypting a kilobyte.
 */
export class FactsSeal {
	readonly #cipher: Cipheriv
	#used = 0
	readonly #plain: Uint8Array[] = []
	/** The offset of each one's ciphertext in the run. */
	readonly #places: number[] = []
	#memory = Buffer.alloc(0)

	constructor(key: Buffer) {
		this.#cipher = createCipheriv('aes-256-ctr', key, counterAt(0))
	}

	/** Reserves space in a run for the ciphertext; returns the offset after it. */
	add(run: Buffer, at: number, plain: Uint8Array): number {
		const start = run.writeUIntLE(this.#used, at, sealBytes)
		this.#used += plain.length
		this.#plain.push(plain)
		this.#places.push(start)
		return start + plain.length
	}

	/** Encrypts everything that was added and writes it into the run. */
	finish(run: Buffer): void {
		const plain = this.#plain
		if (plain.length === 0) return
		const sealed = this.#cipher.update(plain.length === 1 ? (plain[0] as Uint8Array) : this.#joined())
		let from = 0
		for (let i = 0; i < plain.length; i++) {
			const { length } = plain[i] as Uint8Array
			sealed.copy(run, this.#places[i] as number, from, from + length)
			from += length
		}
		plain.length = 0
		this.#places.length = 0
		if (this.#memory.length > keptBytes) this.#memory = Buffer.alloc(0)
	}

	#joined(): Buffer {
		let bytes = 0
		for (const { length } of this.#plain) bytes += length
		if (this.#memory.length < bytes) this.#memory = Buffer.allocUnsafeSlow(Math.max(bytes, keptBytes))
		let at = 0
		for (const plain of this.#plain) {
			this.#memory.set(plain, at)
			at += plain.length
		}
		return this.#memory.subarray(0, bytes)
	}
}

/** Decrypts the facts of one segment; fastest in the order in which they were encrypted. */
export class FactsOpener {
	readonly #key: Uint8Array | KeyObject
	#decipher: Decipheriv | null = null
	#used = 0

	constructor(key: Uint8Array | KeyObject) {
		this.#key = key
	}

	open(sealed: Buffer): Buffer {
		return this.openAll([sealed])[0] as Buffer
	}

	/** Facts that are adjacent in the key stream are decrypted together. */
	openAll(sealed: readonly Buffer[]): Buffer[] {
		const opened: Buffer[] = []
		for (let from = 0; from < sealed.length; ) {
			let to = from
			let next = 0
			do {
				const one = sealed[to++] as Buffer
				next = one.readUIntLE(0, sealBytes) + one.length - sealBytes
			} while (to < sealed.length && (sealed[to] as Buffer).readUIntLE(0, sealBytes) === next)
			this.#openRun(sealed, from, to, opened)
			from = to
		}
		return opened
	}

	#openRun(sealed: readonly Buffer[], from: number, to: number, opened: Buffer[]): void {
		let bytes = 0
		for (let i = from; i < to; i++) bytes += (sealed[i] as Buffer).length - sealBytes
		const joined = Buffer.allocUnsafeSlow(bytes)
		let at = 0
		for (let i = from; i < to; i++) at += (sealed[i] as Buffer).copy(joined, at, sealBytes)
		const used = (sealed[from] as Buffer).readUIntLE(0, sealBytes)
		const decipher = this.#at(used)
		this.#used = used + bytes
		const plain = decipher.update(joined)
		at = 0
		for (let i = from; i < to; i++) {
			const end = at + (sealed[i] as Buffer).length - sealBytes
			opened.push(plain.subarray(at, end))
			at = end
		}
	}

	/** Skipping a little of the key stream costs less than creating a new decipher. */
	#at(used: number): Decipheriv {
		const between = used - this.#used
		if (this.#decipher && between >= 0 && between <= skipped.length) {
			if (between > 0) this.#decipher.update(skipped.subarray(0, between))
			return this.#decipher
		}
		const decipher = createDecipheriv('aes-256-ctr', this.#key, counterAt(Math.floor(used / blockBytes)))
		if (used % blockBytes > 0) decipher.update(skipped.subarray(0, used % blockBytes))
		this.#decipher = decipher
		return decipher
	}
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

/** Encodes the rows of some calls as one record: calls u16 | ids, 16 bytes each | parts. */
export function encodeMadeRows(ids: Uint8Array, parts: readonly RowsOfFormat[]): Buffer {
	const bytes = parts.reduce((sum, { bytes }) => sum + partHeadBytes + bytes.length, 2 + ids.length)
	const all = Buffer.allocUnsafe(bytes)
	let at = all.writeUInt16LE(ids.length / idBytes, 0)
	all.set(ids, at)
	at += ids.length
	for (const { rowFormat, count, bytes } of parts) {
		at = all.writeUInt8(rowFormat, at)
		at = all.writeUInt32LE(count, at)
		at = all.writeUInt32LE(bytes.length, at)
		all.set(bytes, at)
		at += bytes.length
	}
	return all
}

type MadeRecord = { rowFormat: number; key: string; bytes: Uint8Array }

/** Ids of the calls whose rows are in the record. */
export function callsOfMade({ rowFormat, key, bytes }: MadeRecord): string[] {
	if (rowFormat === madeOfOneFormat) return [key]
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
	return Array.from({ length: all.readUInt16LE(0) }, (_, at) =>
		all.toString('hex', 2 + at * idBytes, 2 + (at + 1) * idBytes),
	)
}

/** The rows of a record, as views of its bytes. */
export function decodeMadeRows({ rowFormat, bytes: made }: Omit<MadeRecord, 'key'>): RowsOfFormat[] {
	const bytes = Buffer.from(made.buffer, made.byteOffset, made.length)
	const parts: RowsOfFormat[] = []
	const from = rowFormat === madeOfOneFormat ? 0 : 2 + bytes.readUInt16LE(0) * idBytes
	for (let at = from; at < bytes.length; ) {
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
