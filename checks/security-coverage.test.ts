import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSource, repositoryFiles, root } from './src/source-files.ts'

const page = readSource('docs/security-coverage.md')
const cited = [...page.matchAll(/`((?:checks|server)\/[\w./-]+)`/g)].map(([, path]) => path as string)

describe('the page of security coverage', () => {
	it('names tests that exist', () => {
		expect(cited.filter((path) => !existsSync(join(root, path)))).toEqual([])
	})

	it('names every security test', () => {
		const tests = repositoryFiles('.test.ts').filter((path) => path.startsWith('checks/security/'))
		expect(tests.filter((path) => !cited.includes(path))).toEqual([])
	})

	it('contains all fifteen rules and both OWASP lists in full', () => {
		for (let rule = 1; rule <= 15; rule += 1) expect(page).toMatch(new RegExp(`^\\| ${rule} `, 'm'))
		for (let item = 1; item <= 10; item += 1)
			for (const list of ['MCP', 'ASI']) expect(page).toContain(`${list}${String(item).padStart(2, '0')}`)
	})

	it('names for each published vulnerability a test that cites its id', () => {
		const rows = [...page.matchAll(/^\| ((?:CVE|PYSEC)-[\d-]+) \| [^|]+ \| `([^`]+)` \|$/gm)]
		expect(rows.length).toBeGreaterThanOrEqual(78)
		expect(
			rows.filter(([, id = '', path = '']) => !readSource(path).includes(id)).map(([, id]) => id),
		).toEqual([])
		// Every id that the rules cite is in the table.
		const cited = new Set(page.match(/(?:CVE|PYSEC)-\d{4}-\d+/g))
		expect([...cited].filter((id) => !rows.some(([, named]) => named === id))).toEqual([])
	})

	it('lists every vulnerability that a security test cites', () => {
		const replayed = repositoryFiles('.test.ts')
			.filter((path) => path.startsWith('checks/security/'))
			.flatMap((path) => readSource(path).match(/CVE-\d{4}-\d+/g) ?? [])
		expect(replayed.filter((id) => !page.includes(id))).toEqual([])
	})
})
