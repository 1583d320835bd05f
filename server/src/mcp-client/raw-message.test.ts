import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonFault } from '../platform/json/json-scan.ts'
import { parseJsonText } from '../platform/json/parse-json.ts'
import { randomCases } from '../platform/random-cases.testing.ts'
import { type RawRequest, readFromClient, readFromServer, scanAnswer } from './raw-message.ts'

const kindOf = (text: string) => {
	try {
		parseJsonText(text)
		return 'fine'
	} catch (error) {
		return error instanceof JsonFault ? error.kind : error
	}
}

describe('strict JSON', () => {
	it('gives what JSON.parse gives, for any value', () => {
		const values = fc
			.jsonValue({ maxDepth: 5 })
			.filter(
				(value) => !JSON.stringify(value).includes('__proto__') && !JSON.stringify(value).includes('-0'),
			)
		fc.assert(
			fc.property(values, fc.constantFrom(0, 2, '\t'), (value, indent) => {
				expect(parseJsonText(JSON.stringify(value, null, indent))).toEqual(JSON.parse(JSON.stringify(value)))
			}),
			{ numRuns: randomCases(2000) },
		)
	})
	it('writes back every number as it was written', () => {
		for (const source of [
			'1',
			'-0',
			'1.0',
			'1e3',
			'0.1',
			'1E-7',
			'12345678901234567890',
			'1e999',
			'-1.50e+10',
			'9007199254740993',
		]) {
			expect(JSON.stringify(parseJsonText(`{"a":[${source},"${source}"]}`))).toBe(
				`{"a":[${source},"${source}"]}`,
			)
		}
	})
	it('refuses a key that occurs twice in an object, in whatever spelling', () => {
		expect(kindOf('{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}')).toBe('fine')
		expect(kindOf('{"a":1,"a":2}')).toBe('unsafe')
		expect(kindOf('{"a":1,"\\u0061":2}')).toBe('unsafe')
		expect(kindOf('[{"x":{"a\\"":1, "a\\"" :2}}]')).toBe('unsafe')
		const many = Array.from({ length: 40 }, (_, index) => `"k${index}":0`)
		expect(kindOf(`{${many.join(',')}}`)).toBe('fine')
		expect(kindOf(`{${[...many, '"k3":1'].join(',')}}`)).toBe('unsafe')
	})
	it('finds every planted duplicate', () => {
		const keys = fc.uniqueArray(
			fc.string({ unit: 'binary', maxLength: 8 }).filter((key) => key !== '__proto__'),
			{ minLength: 1, maxLength: 40 },
		)
		fc.assert(
			fc.property(keys, fc.nat(), (names, at) => {
				const entries = names.map((name) => `${JSON.stringify(name)} : "}{:,\\\\\\""`)
				expect(kindOf(`{${entries.join(',')}}`)).toBe('fine')
				expect(kindOf(`{${[...entries, entries[at % entries.length]].join(',')}}`)).toBe('unsafe')
			}),
			{ numRuns: randomCases(1000) },
		)
	})
	it('refuses __proto__ and the 65th level', () => {
		expect(kindOf('{"a":{"__proto__":1}}')).toBe('unsafe')
		expect(kindOf('"__proto__"')).toBe('fine')
		expect(kindOf('['.repeat(64) + ']'.repeat(64))).toBe('fine')
		expect(kindOf('['.repeat(65) + ']'.repeat(65))).toBe('unsafe')
	})
	it('refuses invalid JSON and invalid UTF-8', () => {
		for (const text of ['', '{', '{a:1}', '01', '"\n"', '{}x', '\ufeff{}'])
			expect(kindOf(text)).toBe('syntax')
		expect(() => scanAnswer(Buffer.from([0x22, 0xc3, 0x22]))).toThrow(JsonFault)
	})
	it('reads a repeated `_meta` as before, and keeps numbers that JavaScript would change', () => {
		const request = (meta: string) => {
			const params = `{"name":"echo","_meta":${meta},"arguments":{"n":1.0}}`
			return readFromClient(
				Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`),
			) as RawRequest
		}
		const meta = '{"client":{"name":"c","since":2026}}'
		const [first, again] = [request(meta), request(meta)]
		expect(again.meta).toBe(request(meta).meta)
		expect(again.meta).toEqual(first.meta)
		expect(JSON.stringify(again.params)).toBe(`{"name":"echo","_meta":${meta},"arguments":{"n":1.0}}`)
		const other = request(meta.replace('"c"', '"d"'))
		expect(other.meta).toEqual({ client: { name: 'd', since: 2026 } })
		for (const own of ['{"n":1.0}', '{"progressToken":7}'])
			for (const { meta } of [request(own), request(own), request(own)])
				expect(JSON.stringify(meta)).toBe(own)
		expect(() => request(`${meta},"_meta":${meta}`)).toThrow('twice')
	})
	it('reads the code of an error that is written as a fraction', () => {
		const [answer] = readFromServer(
			Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":-32602.0,"message":"no"}}'),
		)
		expect(answer).toMatchObject({ kind: 'response', error: { code: -32602, message: 'no' } })
		expect(() =>
			readFromServer(Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":-32602.5,"message":"no"}}')),
		).toThrow()
	})
})
