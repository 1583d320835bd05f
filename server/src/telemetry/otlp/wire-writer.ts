/** Writes protobuf fields, including those with default values. */
export class WireWriter {
	private readonly parts: Uint8Array[] = []

	int(field: number, value: bigint): void {
		this.parts.push(smallVarint(field << 3), varint(BigInt.asUintN(64, value)))
	}

	fixed32(field: number, value: number): void {
		const bytes = Buffer.alloc(4)
		bytes.writeUInt32LE(value)
		this.parts.push(smallVarint((field << 3) | 5), bytes)
	}

	fixed64(field: number, value: bigint): void {
		const bytes = Buffer.alloc(8)
		bytes.writeBigUInt64LE(value)
		this.parts.push(smallVarint((field << 3) | 1), bytes)
	}

	double(field: number, value: number): void {
		const bytes = Buffer.alloc(8)
		bytes.writeDoubleLE(value)
		this.parts.push(smallVarint((field << 3) | 1), bytes)
	}

	bytes(field: number, value: Uint8Array): void {
		this.parts.push(smallVarint((field << 3) | 2), smallVarint(value.length), value)
	}

	text(field: number, value: string): void {
		this.bytes(field, Buffer.from(value))
	}

	message(field: number, write: (inner: WireWriter) => void): void {
		const inner = new WireWriter()
		write(inner)
		this.bytes(field, inner.toBuffer())
	}

	toBuffer(): Buffer {
		return Buffer.concat(this.parts)
	}
}

const oneByte = Array.from({ length: 128 }, (_, value) => Buffer.of(value))

/** Encodes tags and lengths, which are most of what is written and almost always one byte. */
function smallVarint(value: number): Buffer {
	return oneByte[value] ?? varint(BigInt(value))
}

function varint(value: bigint): Buffer {
	const bytes: number[] = []
	let rest = value
	for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
	return Buffer.from([...bytes, Number(rest)])
}
