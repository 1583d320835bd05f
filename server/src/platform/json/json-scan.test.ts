import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCases } from '../random-cases.testing.ts'
import { JsonFault, JsonScan, requestLimits } from './json-scan.ts'
import { KnownObjects } from './known-pieces.ts'
import { scanInTurns } from './scan-in-turns.ts'

const limits = requestLimits
const faultOf = (bytes: Buffer | string, of = limits) => {
	try {
		JsonScan.read(Buffer.from(bytes), { limits: of })
		return null
	} catch (error) {
		return error instanceof JsonFault ? error : expect.fail(String(error))
	}
}
const isJson = (text: string) => {
	try {
		JSON.parse(text)
		return true
	} catch {
		return false
	}
}

describe('the strict scan of JSON', () => {
	it('accepts what JSON.parse accepts, and refuses what it refuses', () => {
		const parts = [
			'{',
			'}',
			'[',
			']',
			':',
			',',
			'"',
			'"a"',
			'"b"',
			'\\',
			'u00e9',
			'é',
			'-',
			'0',
			'1',
			'.5',
			'e9',
			'true',
			'null',
			' ',
			'\n',
			'\t',
		]
		const text = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => some.join(''))
		const isRepeated = (fault: JsonFault | null) => fault?.kind === 'unsafe'
		fc.assert(
			fc.property(text, (some) => {
				const fault = faultOf(some)
				if (!isRepeated(fault)) expect([some, fault === null]).toEqual([some, isJson(some)])
			}),
			{ numRuns: randomCases(20_000) },
		)
		for (const some of [
			'01',
			'-',
			'1.',
			'.1',
			'1e',
			'1e+',
			'+1',
			'"\n"',
			'"\\x"',
			'"\\u12g4"',
			'tru',
			'[1,]',
			'{"a":1,}',
			'{"a"}',
			'[1 2]',
			'',
			' ',
			'{}x',
			'"',
			'[',
			'{"a":',
			'NaN',
			'Infinity',
			'// a\n1',
			"{'a':1}",
		])
			expect([some, faultOf(some)?.kind]).toEqual([some, 'syntax'])
		for (const some of [
			'-0.5e-7',
			'"\\ud83d\\ude00 \\" \\\\ \\/"',
			' [ ] ',
			'{"a":{"b":[1,"x",null,true,false,{}]}}',
		])
			expect([some, faultOf(some)]).toEqual([some, null])
	})

	it('gives the same result in steps of any size', async () => {
		await fc.assert(
			fc.asyncProperty(fc.json(), fc.integer({ min: 1, max: 7 }), async (text, step) => {
				const bytes = Buffer.from(text)
				const options = { limits, members: true, strings: true }
				let whole: JsonScan | string
				let pieces: JsonScan | string = new JsonScan(bytes, options)
				try {
					whole = JsonScan.read(bytes, options)
				} catch (error) {
					whole = (error as Error).message
				}
				try {
					while (!(pieces as JsonScan).advance(step));
				} catch (error) {
					pieces = (error as Error).message
				}
				expect(pieces).toEqual(whole)
			}),
			{ numRuns: randomCases(500) },
		)
		const long = Buffer.from(JSON.stringify({ model: 'm', text: 'é"\\'.repeat(300_000) }))
		const { members } = await scanInTurns(long, { limits, members: true })
		expect(
			members.map(({ name, from, to }) => [name, JSON.parse(long.toString('utf8', from, to)).length]),
		).toEqual([
			['model', 1],
			['text', 900_000],
		])
	})

	it('skips a known member as if it had scanned it, and nothing else', () => {
		const text = '{"client":{"name":"c","tags":["a",1]}}'
		const { values, containers } = JsonScan.read(Buffer.from(text), { limits })
		const known = new KnownObjects('_meta')
		known.add({ bytes: Buffer.from(text), value: {}, values: values - 1, containers })
		const scan = (document: string, of = limits, by: KnownObjects | null = known) => {
			const options = { limits: of, members: true, within: 'params', ...(by && { known: by }) }
			try {
				const read = JsonScan.read(Buffer.from(document), options)
				const members = read.innerMembers.map(({ name, from, to }) => [name, from, to])
				return [members, read.values, read.containers, read.exactNumbers]
			} catch (error) {
				return (error as JsonFault).message
			}
		}
		const isPassed = (document: string) => {
			const options = { limits, members: true, within: 'params', known }
			return JsonScan.read(Buffer.from(document), options).innerMembers.some((member) => member.known)
		}
		expect(isPassed(`{"params":{"name":"x","_meta":${text},"a":[1]}}`)).toBe(true)
		for (const document of [
			`{"params":{"name":"x","_meta":${text},"a":[1]}}`,
			`{"params":{"_meta": ${text} }}`,
			`{"params":{"_meta":${text}}`,
			`{"params":{"_meta":${text}x}}`,
			`{"params":{"_meta":${text},"_meta":${text}}}`,
			`{"params":{"_meta":${text.replace('"c"', '"d"')}}}`,
			`{"params":{"_meta":${text.slice(0, -1)},"more":1}}}`,
			`{"params":{"other":${text},"a":{"_meta":${text}}}}`,
			`{"result":{"_meta":${text}},"_meta":${text}}`,
			text,
		])
			for (const most of [limits, { ...limits, values: 6 }, { ...limits, containers: 4 }])
				expect(scan(document, most), document).toEqual(scan(document, most, null))
		expect(isPassed(`{"params":{"a":{"_meta":${text}}},"_meta":${text}}`)).toBe(false)
	})

	it('locates the members of one member, however deeply its siblings are nested', () => {
		const bytes = Buffer.from(
			'{"a":{"x":[{"name":1}]}, "params": {"name" : "é","n":{"name":[2]},"l":[]},"b":{"z":3}}',
		)
		const within = (name: string) =>
			JsonScan.read(bytes, { limits, members: true, within: name }).innerMembers.map((member) => [
				member.name,
				bytes.toString('utf8', member.from, member.to),
			])
		expect(within('params')).toEqual([
			['name', '"é"'],
			['n', '{"name":[2]}'],
			['l', '[]'],
		])
		expect([within('b'), within('c'), within('l')]).toEqual([[['z', '3']], [], []])
		const list = JsonScan.read(Buffer.from('[{"params":{"a":1}}]'), {
			limits,
			members: true,
			within: 'params',
		})
		expect([list.members, list.innerMembers]).toEqual([[], []])
	})

	it('compares all characters of each key, whatever came before', () => {
		const signs = fc.constantFrom('a', 'b', 'ab', 'ba', '0', '_')
		const key = fc.oneof(
			fc.array(signs, { maxLength: 40 }).map((some) => some.join('')),
			fc.string({ unit: 'grapheme-ascii', maxLength: 70 }),
		)
		// `__proto__` is reserved and refused.
		const named = fc.uniqueArray(
			key.filter((name) => name !== '__proto__'),
			{ maxLength: 20 },
		)
		fc.assert(
			fc.property(named, (names) => {
				const text = `{${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`
				const { members } = JsonScan.read(Buffer.from(text), { limits, members: true })
				expect(members.map(({ name }) => name)).toEqual(names)
			}),
			{ numRuns: 2000 },
		)
	})

	it('yields to the event loop while it reads a long document', async () => {
		const long = Buffer.from(`"${'a'.repeat(8 * 1024 * 1024)}"`)
		let turns = 0
		let reading = true
		const turn = () => {
			turns += 1
			if (reading) setImmediate(turn)
		}
		setImmediate(turn)
		await scanInTurns(long, { limits })
		reading = false
		expect(turns).toBeGreaterThan(20)
	})

	it('reports a document that two parsers could read differently', () => {
		const utf16 = Buffer.from('\ufeff{"a":1}', 'utf16le')
		expect(faultOf('\ufeff{}')?.message).toContain('byte order mark')
		expect(faultOf(utf16)?.message).toContain('UTF-16')
		expect(faultOf(utf16.subarray(2))?.kind).toBe('syntax')
		expect(faultOf(Buffer.from([0x22, 0xc3, 0x22]))?.message).toContain('not UTF-8')
		expect(faultOf('{"a":1,"\\u0061":2}')?.message).toContain('"a" occurs twice')
		expect(faultOf('{"é":1,"\\u00e9":2}')?.kind).toBe('unsafe')
		expect(faultOf('{"a":{"__proto__":1}}')?.kind).toBe('unsafe')
	})

	it.each([1, 15, 16, 17, 40])('finds a duplicate key among %d others, and no other', (count) => {
		const names = Array.from({ length: count }, (_, at) => `k${at}`)
		const inner = (more: string) => `{${names.map((name) => `"${name}":[{}]`).join()}${more}}`
		// The same keys also occur in the enclosing, neighbouring and nested objects.
		const outer = (last: string) => `{${names.map((name) => `"${name}":${inner('')}`).join()},"last":${last}}`
		expect(faultOf(outer(inner('')))).toBeNull()
		for (const name of [names[0], names.at(-1)]) {
			expect(faultOf(outer(inner(`,"${name}":1`)))?.message).toContain('occurs twice')
			expect(faultOf(outer(`1,"${name}":${inner('')}`))?.message).toContain('occurs twice')
		}
		expect(faultOf(outer('1,"last":1'))?.message).toContain('occurs twice')
	})

	it('limits depth, values, objects and numbers before anything is built', () => {
		expect(faultOf('['.repeat(64) + ']'.repeat(64))).toBe(null)
		expect(faultOf('['.repeat(65) + ']'.repeat(65))?.message).toContain('64 levels')
		expect(faultOf('[1,1,1]', { ...limits, values: 3 })?.kind).toBe('large')
		expect(faultOf('[[],[]]', { ...limits, containers: 2 })?.kind).toBe('large')
		expect(faultOf('1'.repeat(2000))?.kind).toBe('large')
	})

	it.each([
		['brackets', '['],
		['braces', '{"a":'],
		['numbers', '1,'],
		['objects', '{},'],
		['escapes', '"\\u0041",'],
		['white space', ' '],
		['keys', '{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":1},'],
	])('takes linear time for 8 MB of %s', (_what, piece) => {
		const benign = Buffer.from(JSON.stringify({ text: 'a'.repeat(8e6) }))
		const hostile = Buffer.from(`[${piece.repeat(8e6 / piece.length)}`)
		const usual = Math.max(10, costOf(benign))
		expect(costOf(hostile)).toBeLessThan(50 * usual)
	})
})

/** CPU time in ms. */
function costOf(bytes: Buffer): number {
	const before = process.cpuUsage()
	faultOf(bytes)
	const { user, system } = process.cpuUsage(before)
	return (user + system) / 1000
}
