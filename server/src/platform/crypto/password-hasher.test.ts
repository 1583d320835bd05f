import { argon2Sync } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { Problem } from '../errors.ts'
import { PasswordHasher } from './password-hasher.ts'
import { parsePhc } from './password-phc.ts'

describe('password hashing', () => {
	const hasher = new PasswordHasher()
	afterAll(() => hasher.close())

	it('makes an argon2id hash as strong as ASVS requires, confirmed by an independent computation', async () => {
		const phc = await hasher.hash('correct horse')
		expect(phc).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/)
		const { salt, hash } = parsePhc(phc)
		const parameters = {
			message: 'correct horse',
			nonce: salt,
			parallelism: 1,
			tagLength: 32,
			memory: 47_104,
			passes: 1,
		}
		expect(argon2Sync('argon2id', parameters).equals(hash)).toBe(true)
	})

	it('accepts the password and no similar one', async () => {
		const phc = await hasher.hash('correct horse')
		expect(await hasher.verify('correct horse', phc)).toBe(true)
		for (const wrong of ['correct horsf', 'correct horse ', '', 'Correct horse']) {
			expect(await hasher.verify(wrong, phc)).toBe(false)
		}
		expect(await hasher.verify('correct horse', hasher.unmatchableHash)).toBe(false)
		await expect(hasher.verify('x', 'plain')).rejects.toThrow(/unknown form/)
	})

	it('ends its idle thread, and starts another one when needed', async () => {
		const own = new PasswordHasher(1024)
		const phc = await own.hash('correct horse')
		const threads = () => readdirSync('/proc/self/task').length
		const working = threads()
		await expect.poll(threads, { timeout: 10_000 }).toBeLessThan(working)
		expect(await own.verify('correct horse', phc)).toBe(true)
		await own.close()
	})

	it('does not block the event loop, and refuses when too many wait', async () => {
		let ticks = 0
		const timer = setInterval(() => {
			ticks += 1
		}, 1)
		const results = await Promise.allSettled(
			Array.from({ length: 20 }, () => hasher.verify('x', hasher.unmatchableHash)),
		)
		clearInterval(timer)
		const refused = results
			.filter((result) => result.status === 'rejected')
			.map((result) => result.reason as Problem)
		expect(refused).toHaveLength(4)
		expect(refused[0]).toBeInstanceOf(Problem)
		expect(refused[0]).toMatchObject({ code: 'too_many_requests', headers: { 'retry-after': '2' } })
		// Sixteen hashes take a second; if they ran on this thread, the timer would fire sixteen times.
		expect(ticks).toBeGreaterThan(60)
	})
})
