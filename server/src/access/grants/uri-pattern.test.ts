import { describe, expect, it } from 'vitest'
import { uriPattern } from './uri-pattern.ts'

describe('uriPattern', () => {
	it.each([
		['file:///a.txt', 'file:///a.txt'],
		['file:///docs/*', 'file:///docs/'],
		['file:///docs/*', 'file:///docs/a/b.txt'],
		['*', 'anything://at.all/../even'.replace('../', '')],
		['*.md', 'file:///docs/a.md'],
		['repo://*/issues/*', 'repo://x/y/issues/7'],
		['test://{id}/data', 'test://123/data'],
		['test://{id}/data', 'test://{id}/data'],
		['file:///{+path}', 'file:///a/b'],
		['file:///..', 'file:///..'],
	])('%s matches %s', (pattern, uri) => {
		expect(uriPattern(pattern).matches(uri)).toBe(true)
	})

	it.each([
		['file:///a.txt', 'file:///a.txtx'],
		['file:///a.txt', 'file:///A.txt'],
		['file:///docs/*', 'file:///other/a'],
		['test://{id}/data', 'test:///data'],
		['test://{id}/data', 'test://1/2/data'],
		['test://{id}/data', 'test://1/data?x'],
		['a+b://*', 'aab://x'],
	])('%s does not match %s', (pattern, uri) => {
		expect(uriPattern(pattern).matches(uri)).toBe(false)
	})

	it.each([
		'file:///docs/../secret',
		'file:///docs/%2e%2E/secret',
		'file:///docs/..%2fsecret',
		'file:///docs/..\\secret',
		'file:///docs/%2e./secret',
		'file:///docs/a/..',
		'file:///docs/.\t./secret',
		'file:///docs/.\n\r./secret',
		'file:///docs/..;/secret',
	])('a wildcard does not match %s, which climbs out of its place', (uri) => {
		expect(uriPattern('file:///docs/*').matches(uri)).toBe(false)
	})

	// Regression test for CVE-2026-0621: templates of the TypeScript SDK became patterns with exponential running time.
	it('takes no time that grows exponentially with the number of wildcards', () => {
		const pattern = uriPattern(`${'*a'.repeat(250)}b`)
		const before = process.threadCpuUsage()
		expect(pattern.matches('a'.repeat(4096))).toBe(false)
		// CPU time of this thread, because the clock also counts the time when others have the core.
		const { user, system } = process.threadCpuUsage(before)
		expect((user + system) / 1000).toBeLessThan(2000)
	})
})
