/** A seeded random source, so that a failing case can be reproduced from the seed that the test prints. */
export interface Chance {
	/** A random integer from 0 to `limit` - 1. */
	below(limit: number): number
	pick<T>(values: readonly T[]): T
}

export function createChance(seed: number): Chance {
	let state = seed >>> 0
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
	}
	const below = (limit: number) => Math.floor(next() * limit)
	return { below, pick: (values) => values[below(values.length)] as (typeof values)[number] }
}

const strangeValues: readonly unknown[] = [
	null,
	true,
	false,
	0,
	-1,
	1.5,
	1e308,
	-0,
	Number.MAX_SAFE_INTEGER + 2,
	'',
	' ',
	'x'.repeat(5000),
	'\u0000',
	'\ud800',
	'\u202e\u200b',
	"'; drop table agents; --",
	'%{jndi:x}',
	'../../etc/passwd',
	[],
	{},
	[[]],
	{ __proto__: null },
	'NaN',
	'1e999',
	'2026-13-45T00:00:00Z',
	'00000000-0000-0000-0000-000000000000',
	'http://169.254.169.254/',
	'file:///etc/passwd',
	['x'.repeat(300)],
]
const strangeText = [
	'',
	'{',
	'[',
	'null',
	'"',
	'{"a":',
	'{"a":1,}',
	'{"a":1}{"b":2}',
	'\ufeff{}',
	'{"__proto__":{"polluted":true}}',
	'{"constructor":{"prototype":{"polluted":true}}}',
	'{"a":1,"a":2}',
	'{"\\ud800":1}',
	'{"a":"\\udfff"}',
	'['.repeat(20_000),
	`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
	'1e99999',
	'{"a":00}',
	'undefined',
	'<xml/>',
	'\u0000',
	'%00',
	'{"a":"\u0001"}',
]

/** Makes a valid body invalid: a value of another type, unusual keys, malformed JSON or damaged bytes. */
export function mutateBody(chance: Chance, valid: unknown): Buffer {
	const way = chance.below(10)
	if (way < 2) return Buffer.from(chance.pick(strangeText))
	if (way < 4) return damageBytes(chance, Buffer.from(JSON.stringify(valid)))
	return Buffer.from(JSON.stringify(mutateValue(chance, valid, 0)) ?? 'null')
}

function mutateValue(chance: Chance, value: unknown, depth: number): unknown {
	if (chance.below(4) === 0 || typeof value !== 'object' || value === null || depth > 6)
		return chance.pick(strangeValues)
	if (Array.isArray(value)) {
		const copy: unknown[] = [...value]
		copy[chance.below(copy.length + 1)] = mutateValue(chance, copy[0], depth + 1)
		return copy
	}
	const entries = Object.entries(value)
	const [name, inner] = entries[chance.below(entries.length)] ?? ['a', 1]
	const changed =
		chance.below(4) === 0
			? chance.pick(['__proto__x', 'constructor', 'toString', '', 'a'.repeat(300), '\ud800'])
			: name
	const kept = chance.below(5) === 0 ? entries.filter(([other]) => other !== name) : entries
	return Object.fromEntries([...kept, [changed, mutateValue(chance, inner, depth + 1)]])
}

/** Truncates the bytes, flips a bit or inserts bytes. */
export function damageBytes(chance: Chance, bytes: Buffer): Buffer {
	if (bytes.length === 0) return bytes
	const at = chance.below(bytes.length)
	const way = chance.below(3)
	if (way === 0) return bytes.subarray(0, at)
	const copy = Buffer.from(bytes)
	if (way === 1) {
		copy[at] = (copy[at] as number) ^ (1 << chance.below(8))
		return copy
	}
	return Buffer.concat([
		copy.subarray(0, at),
		Buffer.from([chance.below(256), 0xff, 0xc0]),
		copy.subarray(at),
	])
}
