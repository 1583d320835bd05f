import { isUtf8 } from 'node:buffer'

/** Bytes that are available after `ensure()` without an argument: enough for any sequence of fixed-size fields. */
const slackBytes = 256

/**
 * Writes ClickHouse RowBinary into one buffer that grows and is reused. Strings are written as well-formed UTF-8, whatever the input.
 */
export class RowWriter {
	buffer: Buffer
	position = 0
	/** View of the buffer. Unlike a Buffer it writes a bigint without allocating others, and a number without a function call. */
	#view: DataView

	constructor(initialBytes = 64 * 1024) {
		this.buffer = Buffer.allocUnsafeSlow(initialBytes)
		this.#view = viewOf(this.buffer)
	}

	/** Makes room for `bytes` more and a little extra. */
	ensure(bytes = 0): void {
		const needed = this.position + bytes + slackBytes
		if (needed <= this.buffer.length) return
		const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2))
		this.buffer.copy(grown, 0, 0, this.position)
		this.buffer = grown
		this.#view = viewOf(grown)
	}

	byte(value: number): void {
		this.ensure()
		this.buffer[this.position++] = value
	}

	/** A non-negative integer below 2^53, in LEB128. */
	varint(value: number): void {
		this.ensure()
		let rest = value
		while (rest > 127) {
			this.buffer[this.position++] = (rest % 128) | 128
			rest = Math.floor(rest / 128)
		}
		this.buffer[this.position++] = rest
	}

	uint16(value: number): void {
		this.ensure()
		this.position = this.buffer.writeUInt16LE(value, this.position)
	}

	uint32(value: number): void {
		if (value < 0 || value > 0xffff_ffff) throw tooLarge(value, 32)
		this.ensure()
		this.#view.setUint32(this.position, value, true)
		this.position += 4
	}

	int32(value: number): void {
		this.ensure()
		this.position = this.buffer.writeInt32LE(value, this.position)
	}

	/** A non-negative integer below 2^53, as an unsigned 64-bit number. */
	count(value: number): void {
		if (value < 0 || value >= 2 ** 64) throw tooLarge(value)
		this.ensure()
		this.#view.setUint32(this.position, value % 0x1_0000_0000, true)
		this.#view.setUint32(this.position + 4, value / 0x1_0000_0000, true)
		this.position += 8
	}

	int64(value: bigint): void {
		this.ensure()
		if (BigInt.asIntN(64, value) !== value) throw tooLarge(value)
		this.#view.setBigInt64(this.position, value, true)
		this.position += 8
	}

	uint64(value: bigint): void {
		this.ensure()
		if (BigInt.asUintN(64, value) !== value) throw tooLarge(value)
		this.#view.setBigUint64(this.position, value, true)
		this.position += 8
	}

	float64(value: number): void {
		this.ensure()
		this.position = this.buffer.writeDoubleLE(value, this.position)
	}

	/** Fixed-length bytes from hex digits; all zero if the text is empty. */
	hex(digits: string, bytes: number): void {
		this.ensure()
		if (digits === '') this.buffer.fill(0, this.position, this.position + bytes)
		else if (this.buffer.write(digits, this.position, bytes, 'hex') !== bytes) throw notHex(digits, bytes)
		this.position += bytes
	}

	raw(source: Uint8Array, start = 0, end = source.length): void {
		this.ensure(end - start)
		copyBytes(source, start, end, this.buffer, this.position)
		this.position += end - start
	}

	/** The decimal text of an integer from 0 to 2^53. */
	decimal(value: number): void {
		if (value >= 1e9) {
			this.text(String(value))
			return
		}
		this.ensure()
		let digits = 1
		for (let limit = 10; value >= limit; limit *= 10) digits++
		this.buffer[this.position] = digits
		let rest = value
		for (let at = this.position + digits; at > this.position; at--) {
			this.buffer[at] = 48 + (rest % 10)
			rest = Math.floor(rest / 10)
		}
		this.position += digits + 1
	}

	/** Repeats bytes that were written before. */
	again(start: number, end: number): void {
		this.ensure(end - start)
		if (end - start > shortBytes) this.buffer.copyWithin(this.position, start, end)
		else this.#copyShort(this.#view, start, end)
		this.position += end - start
	}

	/** Copies a few bytes. */
	bytes({ view }: Source, start: number, end: number): void {
		this.ensure(end - start)
		this.#copyShort(view, start, end)
		this.position += end - start
	}

	/** Copies to the current position. Returns the highest bits of all bytes, combined by OR. */
	#copyShort(from: DataView, start: number, end: number): number {
		const to = this.#view
		let seen = 0
		let at = this.position
		let i = start
		for (; i + 4 <= end; i += 4, at += 4) {
			const word = from.getInt32(i, true)
			seen |= word
			to.setInt32(at, word, true)
		}
		for (; i < end; i++, at++) {
			const byte = from.getUint8(i)
			seen |= byte
			to.setUint8(at, byte)
		}
		return seen & highBits
	}

	text(value: string): void {
		if (value.length < 43) {
			this.shortText(value)
			return
		}
		const bytes = Buffer.byteLength(value)
		this.varint(bytes)
		this.ensure(bytes)
		this.position += this.buffer.write(value, this.position, bytes)
	}

	/** Up to 42 characters are at most 126 bytes, so their length takes one byte and can be filled in afterwards. */
	private shortText(value: string): void {
		this.ensure()
		const at = this.position
		for (let i = 0; i < value.length; i++) {
			const code = value.charCodeAt(i)
			if (code > 127) {
				const bytes = this.buffer.write(value, at + 1, 126)
				this.buffer[at] = bytes
				this.position = at + 1 + bytes
				return
			}
			this.buffer[at + 1 + i] = code
		}
		this.buffer[at] = value.length
		this.position = at + 1 + value.length
	}

	/** A text given as UTF-8 bytes, repaired where they are malformed. */
	utf8(source: Source, start: number, end: number): void {
		const { bytes } = source
		const length = end - start
		this.varint(length)
		this.ensure(length)
		const at = this.position
		let isAscii = false
		if (length <= shortBytes) isAscii = this.#copyShort(source.view, start, end) === 0
		else bytes.copy(this.buffer, at, start, end)
		this.position = at + length
		if (isAscii || isUtf8(bytes.subarray(start, end))) return
		this.position = at - varintBytes(length)
		this.text(bytes.toString('utf8', start, end))
	}

	/** The rows so far, in memory of their own. */
	take(): Buffer<ArrayBuffer> {
		return this.#copyTo(Buffer.allocUnsafeSlow(this.position))
	}

	/** The rows so far, possibly in shared memory; for single rows, which would otherwise each need an allocation of their own. */
	takeSmall(): Buffer<ArrayBuffer> {
		return this.#copyTo(Buffer.allocUnsafe(this.position))
	}

	#copyTo(taken: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
		this.buffer.copy(taken, 0, 0, this.position)
		this.reset()
		return taken
	}

	reset(): void {
		this.position = 0
	}
}

/** Bytes with a view that reads four at once without a function call. */
export interface Source {
	readonly bytes: Buffer
	readonly view: DataView
}

const highBits = 0x8080_8080

/** Below this length, a loop over four bytes at a time is faster than a call into native code. */
const shortBytes = 128
/** The same for a loop over single bytes. */
const fewBytes = 48

function copyBytes(source: Uint8Array, start: number, end: number, target: Buffer, at: number): void {
	if (end - start > fewBytes) target.set(source.subarray(start, end), at)
	else for (let i = start, to = at; i < end; i++, to++) target[to] = source[i] as number
}

function tooLarge(value: bigint | number, bits = 64): RangeError {
	return new RangeError(`${value} does not fit into ${bits} bits.`)
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
	return new DataView(buffer, byteOffset, byteLength)
}

function varintBytes(value: number): number {
	let bytes = 1
	for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++
	return bytes
}

function notHex(digits: string, bytes: number): TypeError {
	return new TypeError(`An id of ${bytes * 2} hex digits was expected, not ${JSON.stringify(digits)}.`)
}
