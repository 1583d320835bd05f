/** A 64-bit number as two signed halves, modified in place. BigInt would allocate an object for each step. */
class Wide {
	high: number
	low: number

	constructor(high = 0, low = 0) {
		this.high = high | 0
		this.low = low | 0
	}

	set({ high, low }: Wide): this {
		this.high = high
		this.low = low
		return this
	}

	count(value: number): this {
		this.high = Math.floor(value / 0x1_0000_0000) | 0
		this.low = value | 0
		return this
	}

	add({ high, low }: Wide): this {
		const sum = (this.low >>> 0) + (low >>> 0)
		this.high = (this.high + high + (sum > 0xffff_ffff ? 1 : 0)) | 0
		this.low = sum | 0
		return this
	}

	subtract({ high, low }: Wide): this {
		const borrow = this.low >>> 0 < low >>> 0 ? 1 : 0
		this.high = (this.high - high - borrow) | 0
		this.low = (this.low - low) | 0
		return this
	}

	xor({ high, low }: Wide): this {
		this.high ^= high
		this.low ^= low
		return this
	}

	/** Multiplies; keeps the lower 64 bits of the product. */
	multiply({ high, low }: Wide): this {
		const [a0, a1, b0, b1] = [this.low & 0xffff, this.low >>> 16, low & 0xffff, low >>> 16]
		const first = a0 * b0
		const second = a1 * b0 + (first >>> 16)
		const third = a0 * b1 + (second & 0xffff)
		const carried = a1 * b1 + (second >>> 16) + (third >>> 16)
		this.high = (carried + Math.imul(this.high, low) + Math.imul(this.low, high)) | 0
		this.low = Math.imul(this.low, low)
		return this
	}

	/** Rotates right by 1 to 63 bits. */
	rotate(bits: number): this {
		const [high, low] = bits < 32 ? [this.high, this.low] : [this.low, this.high]
		const rest = bits & 31
		if (rest === 0) {
			this.high = high
			this.low = low
			return this
		}
		this.high = (high >>> rest) | (low << (32 - rest))
		this.low = (low >>> rest) | (high << (32 - rest))
		return this
	}

	/** Mixes the upper bits into the lower ones. */
	fold(bits: 33 | 47): this {
		this.low ^= this.high >>> (bits - 32)
		return this
	}

	read(bytes: Buffer, at: number): this {
		this.low = bytes.readInt32LE(at)
		this.high = bytes.readInt32LE(at + 4)
		return this
	}
}

/** The constants of CityHash 1.0.2, on which the engine's `cityHash64` is based. */
const k0 = new Wide(0xc3a5c85c, 0x97cb3127)
const k1 = new Wide(0xb492b66f, 0xbe98f273)
const k2 = new Wide(0x9ae16a3b, 0x2f90404f)
const k3 = new Wide(0xc949d7c7, 0x509e6557)
const pairing = new Wide(0x9ddfea08, 0xeb382d69)
/** Constants with which numbers are mixed, and then multiplied. */
const beforeNumbers = new Wide(0x4cf2d2ba, 0xae6da887)
const ofNumbers = [new Wide(0xff51afd7, 0xed558ccd), new Wide(0xc4ceb9fe, 0x1a85ec53)] as const

const copy = (value: Wide) => new Wide(value.high, value.low)
const at = (bytes: Buffer, position: number) => new Wide().read(bytes, position)
const small = (value: number) => new Wide(0, value)

/** Combines two hashes into one; modifies both. */
function pair(one: Wide, other: Wide): Wide {
	const mixed = one.xor(other).multiply(pairing).fold(47)
	return other.xor(mixed).multiply(pairing).fold(47).multiply(pairing)
}

function hashBytes(bytes: Buffer, start: number, end: number): Wide {
	const length = end - start
	if (length <= 16) return upTo16(bytes, start, length)
	if (length <= 32) return upTo32(bytes, start, length)
	return length <= 64 ? upTo64(bytes, start, length) : longer(bytes, start, length)
}

function upTo16(bytes: Buffer, start: number, length: number): Wide {
	const end = start + length
	if (length > 8) {
		const last = at(bytes, end - 8)
		const turned = copy(last).add(small(length)).rotate(length)
		return pair(at(bytes, start), turned).xor(last)
	}
	if (length >= 4) {
		const first = bytes.readUInt32LE(start)
		return pair(new Wide().count(first * 8 + length), small(bytes.readInt32LE(end - 4)))
	}
	if (length === 0) return copy(k2)
	const [first, middle, last] = [bytes[start], bytes[start + (length >> 1)], bytes[end - 1]] as [
		number,
		number,
		number,
	]
	const [y, z] = [small(first + middle * 256), small(length + last * 4)]
	return y.multiply(k2).xor(z.multiply(k3)).fold(47).multiply(k2)
}

function upTo32(bytes: Buffer, start: number, length: number): Wide {
	const end = start + length
	const a = at(bytes, start).multiply(k1)
	const b = at(bytes, start + 8)
	const c = at(bytes, end - 8).multiply(k2)
	const d = at(bytes, end - 16).multiply(k0)
	const one = copy(a).subtract(b).rotate(43).add(copy(c).rotate(30)).add(d)
	return pair(one, a.add(b.xor(k3).rotate(20)).subtract(c).add(small(length)))
}

/** Half of `upTo64`: combines two words with those at `second` and `third`; modifies `a`. */
function halfOf64(a: Wide, z: Wide, bytes: Buffer, second: number, third: number): [Wide, Wide] {
	const b = copy(a).add(z).rotate(52)
	const c = copy(a).rotate(37)
	a.add(at(bytes, second))
	c.add(copy(a).rotate(7))
	a.add(at(bytes, third))
	const turned = copy(a).rotate(31)
	return [a.add(z), b.add(turned).add(c)]
}

function upTo64(bytes: Buffer, start: number, length: number): Wide {
	const end = start + length
	const a = at(bytes, end - 16)
		.add(small(length))
		.multiply(k0)
		.add(at(bytes, start))
	const [v, vs] = halfOf64(a, at(bytes, start + 24), bytes, start + 8, start + 16)
	const second = at(bytes, start + 16).add(at(bytes, end - 32))
	const [w, ws] = halfOf64(second, at(bytes, end - 8), bytes, end - 24, end - 16)
	const mixed = v.add(ws).multiply(k2).add(w.add(vs).multiply(k0)).fold(47)
	return mixed.multiply(k0).add(vs).fold(47).multiply(k2)
}

/** Mixes 32 bytes into two seeds; modifies the seeds. */
function mix32(bytes: Buffer, position: number, a: Wide, b: Wide): [Wide, Wide] {
	const z = at(bytes, position + 24)
	a.add(at(bytes, position))
	b.add(a).add(z).rotate(21)
	const c = copy(a)
	a.add(at(bytes, position + 8)).add(at(bytes, position + 16))
	b.add(copy(a).rotate(44))
	return [a.add(z), b.add(c)]
}

function longer(bytes: Buffer, start: number, length: number): Wide {
	const end = start + length
	let x = at(bytes, start)
	const y = at(bytes, end - 16).xor(k1)
	let z = at(bytes, end - 56).xor(k0)
	let v = mix32(bytes, end - 64, small(length), copy(y))
	let w = mix32(bytes, end - 32, small(length).multiply(k1), copy(k0))
	z.add(copy(v[1]).fold(47).multiply(k1))
	x.add(z).rotate(39).multiply(k1)
	y.rotate(33).multiply(k1)
	const whole = start + ((length - 1) & ~63)
	for (let position = start; position < whole; position += 64) {
		x.add(y)
			.add(v[0])
			.add(at(bytes, position + 16))
			.rotate(37)
			.multiply(k1)
		y.add(v[1])
			.add(at(bytes, position + 48))
			.rotate(42)
			.multiply(k1)
		x.xor(w[1])
		y.xor(v[0])
		z.xor(w[0]).rotate(33)
		const next = mix32(bytes, position, v[1].multiply(k1), copy(x).add(w[0]))
		w = mix32(bytes, position + 32, w[1].add(z), copy(y))
		v = next
		;[x, z] = [z, x]
	}
	const one = pair(v[0], w[0]).add(y.fold(47).multiply(k1)).add(z)
	return pair(one, pair(v[1], w[1]).add(x))
}

/** The engine's `cityHash64` of several values in sequence. Texts are hashed as UTF-8. */
export class CityHash {
	#hash: Wide | null = null
	#scratch = Buffer.allocUnsafeSlow(1024)

	begin(): this {
		this.#hash = null
		return this
	}

	text(value: string): this {
		if (value.length * 3 > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(value.length * 6)
		return this.bytes(this.#scratch, 0, this.#scratch.write(value, 'utf8'))
	}

	/** Hashes a text in a buffer. */
	bytes(buffer: Buffer, start: number, end: number): this {
		return this.#add(hashBytes(buffer, start, end))
	}

	/** Hashes the sum of non-negative integers below 2^53, as a UInt64. */
	sum(...values: readonly number[]): this {
		const hash = new Wide()
		for (const value of values) hash.add(new Wide().count(value))
		hash.xor(beforeNumbers).fold(33)
		for (const factor of ofNumbers) hash.multiply(factor).fold(33)
		return this.#add(hash)
	}

	/** The upper half of the result. */
	get high(): number {
		return this.#hash?.high ?? 0
	}

	get low(): number {
		return this.#hash?.low ?? 0
	}

	#add(hash: Wide): this {
		this.#hash = this.#hash === null ? hash : pair(this.#hash, hash)
		return this
	}
}
