/** Writes protobuf into one growing buffer; five bytes are reserved for the length of a nested message. */
export class WireWriter {
	#bytes = Buffer.allocUnsafe(16_384)
	#at = 0

	int(field: number, value: number): void {
		this.#varint(field << 3)
		if (value >= 0) this.#varint(value)
		else this.#negative(value)
	}

	fixed32(field: number, value: number): void {
		this.#varint((field << 3) | 5)
		this.#room(4)
		this.#at = this.#bytes.writeUInt32LE(value, this.#at)
	}

	fixed64(field: number, value: bigint): void {
		this.#varint((field << 3) | 1)
		this.#room(8)
		this.#at = this.#bytes.writeBigUInt64LE(value, this.#at)
	}

	double(field: number, value: number): void {
		this.#varint((field << 3) | 1)
		this.#room(8)
		this.#at = this.#bytes.writeDoubleLE(value, this.#at)
	}

	text(field: number, value: string): void {
		const length = Buffer.byteLength(value)
		this.#varint((field << 3) | 2)
		this.#varint(length)
		this.#room(length)
		this.#at += this.#bytes.write(value, this.#at)
	}

	hex(field: number, value: string): void {
		this.#varint((field << 3) | 2)
		this.#varint(value.length / 2)
		this.#room(value.length / 2)
		this.#at += this.#bytes.write(value, this.#at, 'hex')
	}

	message(field: number, write: () => void): void {
		this.#varint((field << 3) | 2)
		this.#room(5)
		this.#at += 5
		const start = this.#at
		write()
		this.#lengthAt(start - 5, this.#at - start)
	}

	toBuffer(): Buffer {
		return this.#bytes.subarray(0, this.#at)
	}

	/** A varint longer than necessary, which protobuf allows, so that the message need not be moved. */
	#lengthAt(place: number, length: number): void {
		for (let i = 0; i < 4; i++) this.#bytes[place + i] = ((length >>> (7 * i)) & 127) | 128
		this.#bytes[place + 4] = (length >>> 28) & 127
	}

	#varint(value: number): void {
		this.#room(10)
		let rest = value
		for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128
		this.#bytes[this.#at++] = rest
	}

	#negative(value: number): void {
		this.#room(10)
		let rest = BigInt.asUintN(64, BigInt(value))
		for (; rest > 127n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128
		this.#bytes[this.#at++] = Number(rest)
	}

	#room(bytes: number): void {
		if (this.#at + bytes <= this.#bytes.length) return
		const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes))
		this.#bytes.copy(larger, 0, 0, this.#at)
		this.#bytes = larger
	}
}
