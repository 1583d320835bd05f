const form = 'The master key must be 32 random bytes as hex or base64; make one with `openssl rand -hex 32`.'
const notRandom = 'The master key is not random; make one with `openssl rand -hex 32`.'

/** Reads a master key given as 64 hex digits or base64 of 32 bytes; refuses anything that a person made up. */
export function parseMasterKey(text: string): Buffer {
	const trimmed = text.trim()
	const isHex = /^[0-9a-fA-F]{64}$/.test(trimmed)
	const bytes = Buffer.from(trimmed, isHex ? 'hex' : 'base64')
	if (bytes.length !== 32 || (!isHex && !/^[\w+/-]+={0,2}$/.test(trimmed))) throw new Error(form)
	if (isMadeUp(bytes) || /changeme|password|signalbox/i.test(trimmed)) throw new Error(notRandom)
	return bytes
}

/** Random bytes have each of these properties less than once in 10^10 keys. */
function isMadeUp(bytes: Buffer): boolean {
	const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
	return new Set(bytes).size < 8 || isText || repeats(bytes) || steps(bytes)
}

/** `abcdefgh` four times, say. */
function repeats(bytes: Buffer): boolean {
	return [4, 8, 16].some((period) => bytes.every((byte, index) => byte === bytes[index % period]))
}

/** 00 01 02 … and its like. */
function steps(bytes: Buffer): boolean {
	const step = (index: number) => ((bytes[index] as number) - (bytes[index - 1] as number) + 256) % 256
	return bytes.every((_, index) => index < 2 || step(index) === step(1))
}
