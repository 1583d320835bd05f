import { describe, expect, it } from 'vitest'
import type { ServerEntry } from '../servers/servers.ts'
import { exposedTools, prefixIn } from './tool-names.ts'

const server = (slug: string, ...names: string[]) =>
	({
		slug,
		toolPrefix: slug,
		toolAliases: new Map(),
		tools: names.map((name) => ({ name })),
	}) as unknown as ServerEntry
const namesOf = (slug: string, ...names: string[]) => [...exposedTools(server(slug, ...names)).names.values()]

describe('names on the aggregate endpoint', () => {
	it('are slug__tool, with other characters replaced', () => {
		expect(namesOf('git-hub', 'list', 'a.b', 'größe')).toEqual([
			'git-hub__list',
			'git-hub__a_b',
			'git-hub__gr__e',
		])
	})
	it("are at most 64 characters long, made unique by a hash of the tool's name", () => {
		const [exact, long, other] = namesOf('s', 'x'.repeat(61), `${'x'.repeat(61)}a`, `${'x'.repeat(61)}b`)
		expect(exact).toBe(`s__${'x'.repeat(61)}`)
		expect(long).toMatch(/^s__x{54}_[a-z2-7]{6}$/)
		expect(other).toMatch(/^s__x{54}_[a-z2-7]{6}$/)
		expect(long).not.toBe(other)
	})
	it("keep a tool's plain name when another name would be normalized to the same", () => {
		const [plain, dotted, spaced] = namesOf('s', 'a_b', 'a.b', 'a b')
		expect(plain).toBe('s__a_b')
		expect(new Set([plain, dotted, spaced]).size).toBe(3)
		expect(dotted).toMatch(/^s__a_b_[a-z2-7]{6}$/)
	})
	it('do not depend on other tools, unless they collide', () => {
		expect(namesOf('s', 'b')).toEqual(namesOf('s', 'a', 'b').slice(1))
	})
	it('resolve to their tool', () => {
		const { byName } = exposedTools(server('s', 'a.b', 'c__d'))
		expect(byName.get('s__a_b')?.name).toBe('a.b')
		expect(byName.get('s__c__d')?.name).toBe('c__d')
		expect(prefixIn('s__c__d')).toBe('s')
	})
	it('carry the first 30 bits of SHA-256 in base32', () => {
		// printf %s a.b | sha256sum → 2e7336dc…
		expect(namesOf('s', 'a.b', 'a b')[0]).toBe('s__a_b_fzztnx')
	})
})
