import { isUtf8 } from 'node:buffer'
import { deepest } from './decoded.ts'
import { WireWriter } from './wire-writer.ts'

const quote = 0x22
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const backslash = 0x5c
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [comma, colon, space] = [0x2c, 0x3a, 0x20]
/** An integer of up to so many digits is exact as a float. */
const exactDigits = 15

/** The body has something that only the general reader takes, or refuses with a reason. */
class Unusual extends Error {
	override name = 'Unusual'
}
/** Thrown without a stack of its own, which would take longer than reading several spans. */
const unusual = new Unusual('This body is left to the general reader.')

/**
 * Encodes a message in protobuf's JSON form as protobuf in one pass over its bytes, without parsing it to objects. Returns null for a body
 * with anything that exporters do not write: unknown or repeated fields, null, names of enums, wrong types, invalid ids, base64, invalid
 * JSON or UTF-8.
 */
export function jsonToProtobuf(body: Buffer, message: MessageFields): Buffer | null {
	if (!isUtf8(body)) return null
	try {
		return new JsonToProtobuf(body).run(message)
	} catch (error) {
		if (error !== unusual) throw error
		return null
	}
}

/** The fields of a message: their names in JSON, and how the value of each is written. */
export class MessageFields {
	readonly names: readonly Buffer[]
	readonly writers: readonly ((t: JsonToProtobuf) => void)[]
	/** By field, and at the end for the first one: the field that last followed it. Senders keep to one order. */
	readonly followers: number[]
	/** Whether at most one of the fields may be there. */
	readonly isOneOf: boolean

	constructor(fields: Readonly<Record<string, (t: JsonToProtobuf) => void>>, isOneOf = false) {
		this.names = Object.keys(fields).map((name) => Buffer.from(`${name}"`))
		this.writers = Object.values(fields)
		this.followers = [...this.names.keys(), -1].map((place) => (place + 1) % this.names.length)
		this.isOneOf = isOneOf
	}
}

class JsonToProtobuf {
	private readonly bytes: Buffer
	private readonly w: WireWriter
	private at = 0
	private depth = 0
	private containers = 0

	constructor(body: Buffer) {
		this.bytes = body
		// A message is shorter in protobuf than in JSON.
		this.w = new WireWriter(body.length)
	}

	run(message: MessageFields): Buffer {
		this.readMessage(message)
		const { bytes } = this
		if (this.peek() !== undefined) throw unusual
		// The general reader refuses a body of tiny objects.
		if (this.containers * 12 > Math.max(120_000, bytes.length)) throw unusual
		return this.w.toBuffer()
	}

	/** A message in a field. */
	message(field: number, message: MessageFields): void {
		const from = this.w.begin(field)
		this.readMessage(message)
		this.w.end(from)
	}

	/** A repeated field of messages. */
	list(field: number, message: MessageFields): void {
		if (this.isEmptyList()) return
		do this.message(field, message)
		while (this.hasNext(closeBracket))
	}

	/** A repeated field of texts. */
	texts(field: number): void {
		if (this.isEmptyList()) return
		do this.text(field)
		while (this.hasNext(closeBracket))
	}

	/** An array or a list of keys inside a value. */
	nested(field: number, message: MessageFields): void {
		this.depth += 1
		if (this.depth > deepest) throw unusual
		this.message(field, message)
		this.depth -= 1
	}

	text(field: number): void {
		this.take(quote)
		const from = this.at
		const to = this.endOfPlain(from)
		if (this.bytes[to] === quote) {
			this.w.utf8(field, this.bytes, from, to)
			this.at = to + 1
		} else this.escapedText(field, from, to)
	}

	/** An id of `length` bytes that is not zero. */
	id(field: number, length: number): void {
		this.take(quote)
		const from = this.at
		const to = from + 2 * length
		if (this.bytes[to] !== quote || !this.w.hexBytes(field, this.bytes, from, to)) throw unusual
		this.at = to + 1
	}

	/** An id that may be left out by an empty text. */
	optionalId(field: number, length: number): void {
		if (this.peek() === quote && this.bytes[this.at + 1] === quote) this.at += 2
		else this.id(field, length)
	}

	/** A time in nanoseconds, as digits with or without quotes. */
	time(field: number): void {
		const isText = this.openNumber()
		const from = this.at
		const to = this.endOfDigits(isText)
		if (to - from > 19) throw unusual
		const low = Math.max(from, to - 9)
		this.w.fixed64Of(field, this.numberAt(from, low), this.numberAt(low, to))
		this.closeNumber(to, isText)
	}

	uint32(field: number): void {
		this.w.uint(field, this.readUint32())
	}

	fixed32(field: number): void {
		this.w.fixed32(field, this.readUint32())
	}

	integer(field: number): void {
		const isText = this.openNumber()
		const from = this.at
		const isNegative = this.bytes[from] === minus
		if (isNegative) this.at += 1
		const to = this.endOfDigits(isText)
		if (to - from <= exactDigits && !isNegative) this.w.uint(field, this.numberAt(from, to))
		else {
			const value = to - from > 20 ? null : BigInt(this.bytes.toString('latin1', from, to))
			if (value === null || BigInt.asIntN(64, value) !== value) throw unusual
			this.w.int(field, value)
		}
		this.closeNumber(to, isText)
	}

	double(field: number): void {
		this.peek()
		const from = this.at
		let to = from
		while (isInNumber(this.bytes[to])) to += 1
		const digits = this.bytes.toString('latin1', from, to)
		if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(digits)) throw unusual
		this.w.double(field, Number(digits))
		this.at = to
	}

	boolean(field: number): void {
		const isTrue = this.peek() === 0x74
		const word = isTrue ? 'true' : 'false'
		if (this.bytes.toString('latin1', this.at, this.at + word.length) !== word) throw unusual
		this.w.uint(field, isTrue ? 1 : 0)
		this.at += word.length
	}

	private readMessage(message: MessageFields): void {
		this.take(openBrace)
		this.containers += 1
		if (this.peek() === closeBrace) return void this.at++
		const { names, writers } = message
		let seen = 0
		let field = names.length
		do {
			field = this.readName(message, field)
			if (seen & (1 << field) || (message.isOneOf && seen !== 0)) throw unusual
			seen |= 1 << field
			this.take(colon)
			const write = writers[field] as (t: JsonToProtobuf) => void
			write(this)
		} while (this.hasNext(closeBrace))
	}

	/** Takes the start of a list, and its end if it is empty. */
	private isEmptyList(): boolean {
		this.take(openBracket)
		this.containers += 1
		const isEmpty = this.peek() === closeBracket
		if (isEmpty) this.at += 1
		return isEmpty
	}

	/** Reads a field's name; `before` is the field before it. */
	private readName({ names, followers }: MessageFields, before: number): number {
		this.take(quote)
		const likely = followers[before] as number
		if (this.isNext(names[likely] as Buffer)) return likely
		for (let field = 0; field < names.length; field += 1)
			if (this.isNext(names[field] as Buffer)) {
				followers[before] = field
				return field
			}
		throw unusual
	}

	/** Takes a name with its closing quote if it is next. */
	private isNext(name: Buffer): boolean {
		const { bytes, at } = this
		for (let place = 0; place < name.length; place += 1) if (bytes[at + place] !== name[place]) return false
		this.at += name.length
		return true
	}

	/** The next byte that is not white space. */
	private peek(): number | undefined {
		const { bytes } = this
		let byte = bytes[this.at]
		while (byte !== undefined && byte <= space) {
			if (byte !== space && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) throw unusual
			this.at += 1
			byte = bytes[this.at]
		}
		return byte
	}

	private take(byte: number): void {
		if (this.peek() !== byte) throw unusual
		this.at += 1
	}

	/** Takes the comma before the next item, or the end of the list or object. */
	private hasNext(close: number): boolean {
		const byte = this.peek()
		if (byte !== comma && byte !== close) throw unusual
		this.at += 1
		return byte === comma
	}

	/** The position of the first quote, backslash or control character. */
	private endOfPlain(from: number): number {
		const { bytes } = this
		const { length } = bytes
		let to = from
		while (to < length && plain[bytes[to] as number] === 1) to += 1
		if (to === length) throw unusual
		return to
	}

	private escapedText(field: number, start: number, firstEscape: number): void {
		const { w, bytes } = this
		const begun = w.begin(field)
		let from = start
		let to = firstEscape
		while (bytes[to] === backslash) {
			w.copy(bytes, from, to)
			this.at = to + 1
			this.escape()
			from = this.at
			to = this.endOfPlain(from)
		}
		if (bytes[to] !== quote) throw unusual
		w.copy(bytes, from, to)
		w.end(begun)
		this.at = to + 1
	}

	/** What follows a backslash. */
	private escape(): void {
		const byte = this.bytes[this.at] as number
		this.at += 1
		const code = byte === 0x75 ? this.escapedCharacter() : escapes[byte]
		if (code === undefined) throw unusual
		this.w.character(code)
	}

	private escapedCharacter(): number {
		const unit = this.codeUnit()
		if (unit < 0xd800 || unit > 0xdfff) return unit
		const { bytes, at } = this
		if (unit > 0xdbff || bytes[at] !== backslash || bytes[at + 1] !== 0x75) throw unusual
		this.at += 2
		const low = this.codeUnit()
		if (low < 0xdc00 || low > 0xdfff) throw unusual
		return 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
	}

	private codeUnit(): number {
		const digits = this.bytes.toString('latin1', this.at, this.at + 4)
		if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw unusual
		this.at += 4
		return Number.parseInt(digits, 16)
	}

	private readUint32(): number {
		const isText = this.openNumber()
		const from = this.at
		const to = this.endOfDigits(isText)
		const value = to - from > 10 ? Number.NaN : this.numberAt(from, to)
		if (!(value <= 0xffff_ffff)) throw unusual
		this.closeNumber(to, isText)
		return value
	}

	/** Returns whether the number is in quotes. */
	private openNumber(): boolean {
		const isText = this.peek() === quote
		if (isText) this.at += 1
		return isText
	}

	private closeNumber(to: number, isText: boolean): void {
		if (isText ? this.bytes[to] !== quote : isInNumber(this.bytes[to])) throw unusual
		this.at = isText ? to + 1 : to
	}

	/** The position behind the digits, of which there is at least one; JSON allows no zero before others outside of quotes. */
	private endOfDigits(isText: boolean): number {
		const { bytes, at } = this
		let to = at
		while (isDigit(bytes[to])) to += 1
		if (to === at || (!isText && bytes[at] === zero && to > at + 1)) throw unusual
		return to
	}

	/** The number that the digits give; exact up to 15 of them. */
	private numberAt(from: number, to: number): number {
		let number = 0
		for (let at = from; at < to; at += 1) number = number * 10 + (this.bytes[at] as number) - zero
		return number
	}
}

/** By byte: 1 if it stands for itself in a text. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
	Number(byte >= space && byte !== quote && byte !== backslash),
)

/** By the byte after a backslash: the character that it stands for. */
const escapes: readonly (number | undefined)[] = Array.from(
	{ length: 256 },
	(_, byte) => ({ 34: 34, 47: 47, 92: 92, 98: 8, 102: 12, 110: 10, 114: 13, 116: 9 })[byte],
)

function isDigit(byte: number | undefined): boolean {
	return byte !== undefined && byte >= zero && byte <= nine
}

/** Whether a byte can be in a number: digits, signs, the point and the exponent. */
function isInNumber(byte: number | undefined): boolean {
	return isDigit(byte) || byte === minus || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45
}
