/** Up to this length a text is written byte by byte, because calling the native encoder takes longer. */
const shortText = 24
/** Up to this length bytes are copied one by one, for the same reason. */
const shortCopy = 48
/** By the code of a hex digit: its value; 255 for other codes. */
const digitValues = Uint8Array.from({ length: 256 }, (_, code) => {
	const value = Number.parseInt(String.fromCharCode(code), 16)
	return Number.isNaN(value) ? 255 : value
})

/** Writes protobuf fields, including those with default values, to one buffer that grows. */
export class WireWriter {
	#bytes: Buffer
	#view: DataView
	#at = 0

	/** @param capacity expected size in bytes */
	constructor(capacity = 256) {
		this.#bytes = Buffer.allocUnsafe(Math.max(capacity, 64))
		this.#view = viewOf(this.#bytes)
	}

	int(field: number, value: bigint): void {
		this.#tag(field, 0)
		this.#varint(BigInt.asUintN(64, value))
	}

	/** A whole number from 0 to 2^53. */
	uint(field: number, value: number): void {
		this.#tag(field, 0)
		this.#length(value)
	}

	fixed32(field: number, value: number): void {
		this.#tag(field, 5)
		this.#view.setUint32(this.#at, value, true)
		this.#at += 4
	}

	fixed64(field: number, value: bigint): void {
		this.#tag(field, 1)
		this.#view.setBigUint64(this.#at, value, true)
		this.#at += 8
	}

	double(field: number, value: number): void {
		this.#tag(field, 1)
		this.#view.setFloat64(this.#at, value, true)
		this.#at += 8
	}

	bytes(field: number, value: Uint8Array): void {
		this.#tag(field, 2)
		this.#length(value.length)
		this.#reserve(value.length)
		this.#bytes.set(value, this.#at)
		this.#at += value.length
	}

	/** As UTF-8; lone surrogates become U+FFFD. */
	text(field: number, value: string): void {
		const { length } = value
		this.#tag(field, 2)
		this.#reserve(3 * length + 5)
		if (length <= shortText && this.#shortAscii(value)) return
		// Most texts are ASCII: their length in bytes is known before they are written.
		this.#length(length)
		const from = this.#at
		this.#at += this.#bytes.write(value, from, 'utf8')
		if (this.#at - from !== length) this.#correctLength(from, varintSize(length))
	}

	/** A text that is UTF-8 already. */
	utf8(field: number, source: Buffer, from: number, to: number): void {
		this.#tag(field, 2)
		this.#length(to - from)
		this.copy(source, from, to)
	}

	/** Appends bytes of another buffer to the message that is begun. */
	copy(source: Buffer, from: number, to: number): void {
		const length = to - from
		this.#reserve(length)
		if (length > shortCopy) source.copy(this.#bytes, this.#at, from, to)
		else
			for (let place = 0; place < length; place += 1)
				this.#bytes[this.#at + place] = source[from + place] as number
		this.#at += length
	}

	/** Appends a character as UTF-8 to the text that is begun. */
	character(code: number): void {
		this.#reserve(4)
		if (code < 0x80) this.#bytes[this.#at++] = code
		else this.#at += this.#bytes.write(String.fromCodePoint(code), this.#at, 'utf8')
	}

	/** A 64-bit number that is given as two decimal halves: `high` × 10⁹ + `low`; `high` is below 2³⁴. */
	fixed64Of(field: number, high: number, low: number): void {
		this.#tag(field, 1)
		// Parts of 16 bits keep each product exact as a float.
		const lower = (high % 0x1_0000) * 1e9 + low
		const upper = Math.floor(high / 0x1_0000) * 1e9 + Math.floor(lower / 0x1_0000)
		this.#view.setUint32(this.#at, (upper % 0x1_0000) * 0x1_0000 + (lower % 0x1_0000), true)
		this.#view.setUint32(this.#at + 4, Math.floor(upper / 0x1_0000), true)
		this.#at += 8
	}

	/** Writes bytes that are given as hex digits in a buffer; returns whether they are hex digits and not all zero. */
	hexBytes(field: number, source: Buffer, from: number, to: number): boolean {
		this.#tag(field, 2)
		const length = (to - from) / 2
		this.#length(length)
		this.#reserve(length)
		let [some, isHex] = [0, true]
		for (let at = from; at < to; at += 2) {
			const high = digitValues[source[at] as number] as number
			const low = digitValues[source[at + 1] as number] as number
			if ((high | low) > 15) isHex = false
			some |= high | low
			this.#bytes[this.#at++] = high * 16 + low
		}
		return isHex && some !== 0
	}

	/** Writes bytes that are given as hex digits; returns how many were written, which is less than half of the digits if one is none. */
	hex(field: number, digits: string): number {
		this.#tag(field, 2)
		this.#length(digits.length >>> 1)
		this.#reserve(digits.length)
		const written = this.#bytes.write(digits, this.#at, 'hex')
		this.#at += written
		return written
	}

	message(field: number, write: (inner: WireWriter) => void): void {
		const from = this.begin(field)
		write(this)
		this.end(from)
	}

	/** Begins a message; what is written until `end` is in it. */
	begin(field: number): number {
		this.#tag(field, 2)
		this.#at += 1
		return this.#at
	}

	/** Ends the message that `begin` returned. Its length is written now; a length of several bytes moves the message. */
	end(from: number): void {
		const length = this.#at - from
		if (length < 128) this.#bytes[from - 1] = length
		else this.#correctLength(from, 1)
	}

	/** The number of bytes written. */
	get length(): number {
		return this.#at
	}

	/** Forgets what was written after the first `length` bytes. */
	rewind(length: number): void {
		this.#at = length
	}

	/** What was written. The writer must not be used afterwards. */
	toBuffer(): Buffer {
		return this.#bytes.subarray(0, this.#at)
	}

	#shortAscii(value: string): boolean {
		const bytes = this.#bytes
		const from = this.#at + 1
		for (let place = 0; place < value.length; place += 1) {
			const code = value.charCodeAt(place)
			if (code > 127) return false
			bytes[from + place] = code
		}
		bytes[from - 1] = value.length
		this.#at = from + value.length
		return true
	}

	/** Replaces the length of `size` bytes before `from` by that of what was written since. */
	#correctLength(from: number, size: number): void {
		const length = this.#at - from
		const moved = varintSize(length) - size
		if (moved !== 0) {
			this.#reserve(moved)
			this.#bytes.copyWithin(from + moved, from, this.#at)
		}
		this.#at = from - size
		this.#length(length)
		this.#at += length
	}

	/** The tag of a field. Afterwards there is room for a number of any type. */
	#tag(field: number, wireType: number): void {
		this.#reserve(24)
		this.#length(field * 8 + wireType)
	}

	/** A varint of up to 53 bits; there must be room for it. */
	#length(value: number): void {
		let rest = value
		for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128
		this.#bytes[this.#at++] = rest
	}

	#varint(value: bigint): void {
		let rest = value
		for (; rest > 127n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128
		this.#bytes[this.#at++] = Number(rest)
	}

	#reserve(count: number): void {
		const needed = this.#at + count
		if (needed <= this.#bytes.length) return
		const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
		this.#bytes.copy(grown, 0, 0, this.#at)
		this.#bytes = grown
		this.#view = viewOf(grown)
	}
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
	return new DataView(buffer, byteOffset, byteLength)
}

function varintSize(value: number): number {
	let size = 1
	for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size += 1
	return size
}
