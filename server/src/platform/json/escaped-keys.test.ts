import { expect, it } from 'vitest'
import './escaped-keys.ts'

/** Makes `key` the only known continuation of an object with the key `first`, as any document of any caller can. */
function remember(first: string, key: string): void {
	for (let times = 0; times < 3; times += 1) JSON.parse(JSON.stringify({ [first]: 1, [key]: 2 }))
}

it.each([
	['\\u0', '\\u0065nv', 'env'],
	['gr\\u0', 'gr\\u00f6\\u00dfe', 'größe'],
	['\\', '\\n', '\n'],
	['\\', '\\"', '"'],
	['a\\', 'a\\\\', 'a\\'],
])('a key is read as it is, although %j is known: %s', (known, source, key) => {
	const first = `first of ${source}`
	remember(first, known)
	const text = `{"${first.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}":1,"${source}" \n : 2}`
	expect(Object.entries(JSON.parse(text))).toEqual([
		[first, 1],
		[key, 2],
	])
})

it('everything else about such a document stays as it was', () => {
	const text = String.raw`{"#0":"\"a\":","\u0032":1,"1":{"\u005f_proto__":[{"\t":1.0}]},"b\\":"\\","b\u005c":3}`
	const read = JSON.parse(text)
	expect(Object.entries(read)).toEqual([
		['1', expect.anything()],
		['2', 1],
		['#0', '"a":'],
		['b\\', 3],
	])
	expect(Object.entries(read['1'])).toEqual([['__proto__', [{ '\t': 1 }]]])
	const seen: unknown[] = []
	JSON.parse(text, (key, value, context?: { source?: string }) => {
		seen.push([key, context?.source])
		return value
	})
	expect(seen).toContainEqual(['\t', '1.0'])
	expect(seen.map((one) => (one as string[])[0])).toContain('2')
})

it.each(['{"\\n":', '{"\\x":1}', '{"a\\":1}', '\\', '"\\', '{"\\n":1,}'])(
	'a fault is reported as without it: %s',
	(text) => {
		expect(() => JSON.parse(text)).toThrow(SyntaxError)
		if (text.startsWith('{"\\n":1')) expect(() => JSON.parse(text)).toThrow(/position 8|at position/)
	},
)

it('random documents are read as they were written', () => {
	const pieces = ['\\', '\\u0', '"', '\n', 'a', 'é', '\u{1f600}', '\\n', ':', ' ', '{', 'u0065']
	const pick = <T>(of: readonly T[]) => of[Math.floor(Math.random() * of.length)] as T
	const text = () => Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () => pick(pieces)).join('')
	const value = (depth: number): unknown =>
		depth === 0
			? pick([text(), 1, null, true])
			: Math.random() < 0.3
				? Array.from({ length: 3 }, () => value(depth - 1))
				: Object.fromEntries(Array.from({ length: 3 }, () => [text(), value(depth - 1)]))
	for (let round = 0; round < 500; round += 1) {
		const written = value(3)
		expect(JSON.parse(JSON.stringify(written, null, round % 2))).toEqual(written)
		// Python writes everything beyond ASCII with escapes.
		const ascii = JSON.stringify(written).replaceAll(
			/[\u0080-\uffff]/g,
			(sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
		)
		expect(JSON.parse(ascii)).toEqual(written)
	}
})
