import { describe, expect, it } from 'vitest'
import { etagOf, isKnown, isMatched, objectEtagOf } from './api.ts'

const agent = { name: 'A', last_seen_at: null as string | null }
const tag = (document: object) => objectEtagOf(document, ['last_seen_at'], JSON.stringify(document))

describe('ETags', () => {
	it('are quoted, strong and the same for the same text', () => {
		expect(etagOf('{}')).toMatch(/^"[\w-]{16}"$/)
		expect(etagOf('{}')).toBe(etagOf('{}'))
		expect(etagOf('{}')).not.toBe(etagOf('{"a":1}'))
	})

	it('change with every field, but If-Match compares only fields that people edit', () => {
		const seen = { ...agent, last_seen_at: 'now' }
		expect(tag(seen)).not.toBe(tag(agent))
		expect(isKnown(tag(agent), tag(seen))).toBe(false)
		expect(isMatched(tag(agent), seen, ['last_seen_at'])).toBe(true)
		expect(isMatched(tag(agent), { ...agent, name: 'B' }, ['last_seen_at'])).toBe(false)
	})

	it('match in lists, with W/ where that is allowed, and by *', () => {
		const etag = tag(agent)
		expect(isKnown(`"x", W/${etag}`, etag)).toBe(true)
		expect(isKnown('*', etag)).toBe(true)
		expect(isKnown(undefined, etag)).toBe(false)
		expect(isMatched(`"x", ${etag}`, agent, ['last_seen_at'])).toBe(true)
		expect(isMatched(`W/${etag}`, agent, ['last_seen_at'])).toBe(false)
		expect(isMatched('*', agent, [])).toBe(true)
		for (const odd of ['', '"', '".', etag.slice(1), 'W/*'])
			expect(isMatched(odd, agent, ['last_seen_at'])).toBe(false)
	})
})
