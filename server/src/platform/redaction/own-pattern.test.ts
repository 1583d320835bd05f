import { describe, expect, it } from 'vitest'
import { compileOwnPattern, maxMatchLength, UnusablePattern } from './own-pattern.ts'

function redacted(pattern: string, text: string): string {
	return compileOwnPattern(pattern).replace(text, 'own', () => undefined)
}

/** CPU time in milliseconds. */
function costOf(pattern: string, text: string): number {
	const own = compileOwnPattern(pattern)
	const before = process.cpuUsage()
	own.replace(text, 'own', () => undefined)
	const { user, system } = process.cpuUsage(before)
	return (user + system) / 1000
}

describe('a custom pattern', () => {
	it.each([
		['EMP-[0-9]{6}', 'EMP-123456 and EMP-654321.', '[redacted:own] and [redacted:own].'],
		['(?i)project +(falcon|heron)', 'Project  Falcon', '[redacted:own]'],
		['\\bAB\\d+\\b', 'XAB1 AB12 AB3x', 'XAB1 [redacted:own] AB3x'],
		['^a', 'aaa', '[redacted:own]aa'],
		['(?m)^a', 'aa\na', '[redacted:own]a\n[redacted:own]'],
		['a$', 'aaa', 'aa[redacted:own]'],
		['\\b(?:x+)?', 'a x b', 'a [redacted:own] b'],
		['é+', '😀éé😀', '😀[redacted:own]😀'],
		['none', 'nothing', 'nothing'],
	])('%s', (pattern, text, result) => {
		expect(redacted(pattern, text)).toBe(result)
	})

	it('finds matches anywhere in a long text, also across windows', () => {
		for (const at of [0, 1535, 1536, 2040, 2047, 2048, 9999]) {
			const text = `${' '.repeat(at)}EMP-123456${' '.repeat(20_000)}`
			expect(redacted('\\bEMP-\\d{6}\\b', text)).toBe(`${' '.repeat(at)}[redacted:own]${' '.repeat(20_000)}`)
		}
		const long = 'x'.repeat(maxMatchLength)
		expect(redacted('x+', `${' '.repeat(1500)}${long}${' '.repeat(9000)}`)).not.toContain('x')
	})

	it.each([
		['(', 'missing closing )'],
		['(?=x)', 'unsupported Perl syntax'],
		['(a)\\1', 'invalid escape sequence'],
		['a*', 'matches an empty text'],
		['[a-z]{999}[0-9]{99}', 'is too large'],
	])('%s is refused', (pattern, message) => {
		expect(() => compileOwnPattern(pattern)).toThrow(UnusablePattern)
		expect(() => compileOwnPattern(pattern)).toThrow(message)
	})

	it.each(['a.*z|a', '(a|aa)+z', '\\b(a.*z)?', '([a-z]+ ){1,50}zz'])(
		'takes linear time, whatever the pattern: %s',
		(pattern) => {
			const quarter = costOf(pattern, 'a'.repeat(250_000))
			expect(costOf(pattern, 'a'.repeat(1_000_000))).toBeLessThan(400 + quarter * 16)
		},
	)

	it('redacts the whole rest of a text when it has too many matches', () => {
		const left = redacted('a.*z|a', 'a'.repeat(10_000))
		expect(left).toBe('[redacted:own]'.repeat(2001))
	})
})
