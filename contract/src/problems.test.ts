import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
	type ProblemCode,
	plainDetail,
	problems,
	remedyForPeople,
	remedyOf,
	textWithoutRemedy,
} from './problems.ts'

const codes = Object.keys(problems) as ProblemCode[]

it('a remedy refers to the text of its failure, and to no field that is not shown', () => {
	for (const code of codes) {
		expect(remedyOf(code)).not.toContain('`detail`')
		expect(remedyOf(code)).toMatch(/^\S/)
	}
	expect(remedyOf('forbidden')).toBe('The text above names it; an admin of the workspace can grant it.')
	expect(remedyOf('recorder_full')).toContain('; the text above says whether')
})

it('a remedy for people mentions no status, header or path of the API', () => {
	const spoken = codes.map((code) => `${code}: ${remedyForPeople(code)}`)
	const technical =
		/Retry-After|If-Match|ETag|Idempotency-Key|\bheaders?\b|\bx-[a-z]|\/v1\/|\/auth\/|\b(GET|POST|PUT|PATCH|DELETE)\b|\b[1-5]\d\d\b|`detail`|`errors`/
	expect(spoken.filter((text) => technical.test(text))).toEqual([])
})

it('a failure without a text of its own gets its remedy, once where the remedy is shown beside it', () => {
	const detail = plainDetail('invalid_path')
	expect(detail).toBe(`${problems.invalid_path.title}. ${problems.invalid_path.remedy}`)
	expect(codes.map(plainDetail).filter((text) => /`(detail|errors)`/.test(text))).toEqual([])
	expect(textWithoutRemedy('invalid_path', detail)).toBe(problems.invalid_path.title)
	expect(textWithoutRemedy('invalid_path', 'Another.')).toBe('Another.')
})

it('if a remedy refers to the detail of a failure, there is one', () => {
	const leading = new Set<string>(codes.filter((code) => problems[code].remedy.includes('`detail`')))
	const bare = globSync('../server/src/**/*.ts', { cwd: `${import.meta.dirname}/..` }).flatMap((path) => {
		if (/\btesting\b|\.test\.ts$|testing\.ts$/.test(path)) return []
		const text = readFileSync(`${import.meta.dirname}/../${path}`, 'utf8')
		const made = [...text.matchAll(/new Problem\(\s*'(\w+)',?\s*\)/g)].map(([, code]) => code as string)
		return made.filter((code) => leading.has(code)).map((code) => `${path}: ${code}`)
	})
	expect(bare).toEqual([])
})
