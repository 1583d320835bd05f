import fc from 'fast-check'
import { expect, it } from 'vitest'
import { freeSlug } from './slug.ts'

it.each([
	['GitHub', 'github'],
	['My  Server!', 'my-server'],
	['a__b', 'a-b'],
	['Crème brûlée', 'creme-brulee'],
	['日本', 'server'],
	['--', 'server'],
	['abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnopqrstuvwx'],
])('turns %s into the slug %s', (name, slug) => {
	expect(freeSlug(name, new Set(), 'server')).toBe(slug)
})

it('appends a number when a slug is taken, within the maximum length', () => {
	expect(freeSlug('GitHub', new Set(['github']), 'server')).toBe('github-2')
	expect(freeSlug('GitHub', new Set(['github', 'github-2']), 'server')).toBe('github-3')
	const long = 'abcdefghijklmnopqrstuvwx'
	expect(freeSlug(long, new Set([long]), 'server')).toBe('abcdefghijklmnopqrstuv-2')
})

it('produces a valid slug for every name', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (name, others) => {
			const taken = new Set(others.map((other) => freeSlug(other, new Set(), 'server')))
			const slug = freeSlug(name, taken, 'server')
			return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) && slug.length <= 24 && !taken.has(slug)
		}),
	)
})
