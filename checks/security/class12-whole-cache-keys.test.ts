import { describe, expect, it } from 'vitest'
import { readSource, repositoryFiles } from '../src/source-files.ts'
import { bearer, make, makeStranger, send } from './attack.ts'

// LiteLLM cached OIDC responses by the first characters of a token, so that one user could get another user's identity
// (CVE-2026-35030).
describe('two credentials with the same prefix', () => {
	it('are always two different callers, however often and in whatever order they are used', async () => {
		const people = await Promise.all([makeStranger(), makeStranger(), makeStranger()])
		expect(new Set(people.map((token) => token.slice(0, 100))).size).toBe(1)
		const ids = await Promise.all(
			people.map(
				async (token) => (await send('/auth/me', { headers: bearer(token) })).body.user.id as string,
			),
		)
		expect(new Set(ids).size).toBe(3)
		const answers = await Promise.all(
			Array.from({ length: 150 }, (_, turn) =>
				send('/auth/me', { headers: bearer(people[turn % 3] as string) }),
			),
		)
		expect(answers.map(({ body }) => body.user.id)).toEqual(
			Array.from({ length: 150 }, (_, turn) => ids[turn % 3]),
		)
	})

	it('do not authenticate each other: a known key does not make its prefix, its extension or a similar key valid', async () => {
		const { key } = await make('/v1/keys', { name: 'known' })
		expect((await send('/agent/list', { headers: bearer(key) })).status).toBe(200)
		const swapped = `${key.slice(0, -8)}${key.slice(-7)}${key.at(-8)}`
		for (const near of [
			key.slice(0, -1),
			`${key}0`,
			key.slice(0, 20),
			`${key.slice(0, -1)}${key.at(-1) === '0' ? '1' : '0'}`,
			swapped,
			key.toLowerCase(),
			key.toUpperCase(),
			`${key} ${key}`,
			`${key}\u00a0`,
		])
			if (near !== key)
				expect((await send('/agent/list', { headers: bearer(encodeURI(near)) })).status).not.toBe(200)
		expect((await send('/agent/list', { headers: bearer(key) })).status).toBe(200)
	})
})

describe('the source', () => {
	it('uses no shortened digest as a lookup key', () => {
		const digest = /(createHash|createHmac|hash)\([^\n]*\)[^\n]*\.(slice|substring|substr)\(/
		/** Names, validators and values that are recomputed for a comparison. Nothing is looked up by them. */
		const shown = /tool-names|canonical|suggestions\/suggestion/
		const etag = /^const etagHash = .*$/gm
		// 128 bits of SHA-256, salted with the workspace: a collision cannot be found in practice.
		const keeps128 = /\.digest\('hex'\)\.slice\(0, 32\)|hash\('sha256', [^\n]*\)\.slice\(0, 32\)/g
		const cut = repositoryFiles('.ts')
			.filter((path) => path.startsWith('server/src/') && !/test/.test(path) && !shown.test(path))
			.filter((path) => digest.test(readSource(path).replaceAll(keeps128, '').replaceAll(etag, '')))
		expect(cut).toEqual([])
	})
})
