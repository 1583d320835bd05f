import { JsonFault, type JsonLimits } from './json-scan.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
/** `[` and `{`, `]` and `}` differ in this bit. */
const curly = 0x20
const open = 0x5b
const close = 0x5d
/** An integer of fewer digits is exact as a float. */
const exactDigits = 15

/**
 * Checks that parsing a document does not take more memory than the limits allow, without checking its grammar: for documents
 * written by other systems, whose duplicate keys and invalid UTF-8 nobody there would fix. Returns whether a number is so long that a
 * float may not represent it exactly. Throws `JsonFault`.
 */
export function checkJsonBounds(bytes: Uint8Array, limits: JsonLimits): { hasLongNumber: boolean } {
	let [depth, containers, values] = [0, 0, 1]
	let hasLongNumber = false
	for (let at = 0; at < bytes.length; at += 1) {
		const byte = bytes[at] as number
		if (byte === quote) at = endOfString(bytes, at + 1)
		else if ((byte | curly) === (open | curly)) {
			containers += 1
			values += 1
			depth += 1
			if (depth > limits.depth)
				throw new JsonFault('unsafe', `Nesting is deeper than ${limits.depth} levels.`)
			if (containers > limits.containers) throw tooMany(`${limits.containers} objects and arrays`)
		} else if ((byte | curly) === (close | curly)) depth -= 1
		else if (byte === comma) values += 1
		else if (byte === minus || (byte >= zero && byte <= nine)) {
			const from = at
			while (isDigit(bytes[at + 1])) at += 1
			hasLongNumber ||= at - from >= exactDigits
		}
		if (values > limits.values) throw tooMany(`${limits.values} values`)
	}
	return { hasLongNumber }
}

/** The position of the quote that ends a string, or of the end of the document. */
function endOfString(bytes: Uint8Array, from: number): number {
	let at = from
	while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
	return at
}

function isDigit(byte: number | undefined): boolean {
	return byte !== undefined && byte >= zero && byte <= nine
}

function tooMany(most: string): JsonFault {
	return new JsonFault('large', `There are more than ${most} in it.`)
}
