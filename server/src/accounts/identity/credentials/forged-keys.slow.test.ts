import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { scopes, tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { newToken, tokenOf } from '../../../platform/crypto/token.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { Problem } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/route.ts'
import { startTestApp, type TestApp } from '../testing.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const route: Route = {
	id: 'test',
	method: 'GET',
	path: '/test',
	family: 'api',
	access: { kinds: ['user', 'platform_key', 'agent_key', 'ingest_token'] },
	handle: () => {},
}

describe('forged keys', () => {
	let app: TestApp
	let database: Awaited<ReturnType<typeof openTestSqlite>>
	let key: string
	let reads = 0
	beforeAll(async () => {
		database = await openTestSqlite()
		app = await startTestApp(database.store, { clock: manualClock() })
		key = (await create({ name: 'real', scopes })).key
		const catchUp = app.feed.catchUp.bind(app.feed)
		// The only way an unknown key can reach the store.
		app.feed.catchUp = () => {
			reads += 1
			return catchUp()
		}
	})
	afterAll(async () => {
		await app.close()
		await database.end()
	})

	const create = async (body: object) =>
		(await app.request('POST', '/v1/keys', { token: app.owner.token, body })).body
	const authenticate = (secret: string, header = 'x-service-api-key') => {
		const value = header === 'authorization' ? `Bearer ${secret}` : secret
		const request = { rawHeaders: [header, value], headers: {}, url: '/' }
		try {
			const found = app.identity.authenticate(request as unknown as IncomingMessage, route, '127.0.0.1')
			return found instanceof Promise ? found.catch(nullIfRefused) : found
		} catch (error) {
			return nullIfRefused(error)
		}
	}
	const randomBody = () => Array.from({ length: 43 }, () => alphabet[randomInt(62)]).join('')

	it('a million of them are refused, and none with a wrong checksum causes a read of the store', async () => {
		expect(authenticate(key)).not.toBeNull()
		const before = reads
		let accepted = 0
		for (let round = 0; round < 1_000_000; round += 1) {
			const forged = forge(key, round)
			if (forged !== key && authenticate(forged) !== null) accepted += 1
		}
		expect([accepted, reads - before]).toEqual([0, 0])
	}, 300_000)

	it('with a valid checksum, ten thousand of them are refused and share their reads', async () => {
		const authenticateUnknown = () => authenticate(tokenOf(tokenPrefixes.key, randomBody()))
		const found: unknown[] = []
		for (let batch = 0; batch < 100; batch += 1)
			found.push(...(await Promise.all(Array.from({ length: 100 }, authenticateUnknown))))
		expect(found.filter((principal) => principal !== null)).toEqual([])
	})

	it('the response time does not reveal whether a prefix is right', async () => {
		const beginWith = (beginning: string) => () =>
			tokenOf(tokenPrefixes.key, beginning + randomBody().slice(40))
		const mistyped = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
		for (const spell of [(text: string) => text, mistyped]) {
			const values: number[] = []
			for (let attempt = 0; attempt < 3 && (values.at(-1) ?? 0) <= 0.01; attempt += 1) {
				// Within one attempt both prefixes stay the same, because changing characters would defeat branch prediction. Each
				// attempt uses another wrong prefix, whose characters may be faster or slower to check than those of the right one.
				const [near, far] = [beginWith(key.slice(bodyAt, bodyAt + 40)), beginWith(randomBody().slice(0, 40))]
				values.push(
					await compareTimes(
						authenticate,
						() => spell(near()),
						() => spell(far()),
					),
				)
			}
			expect(values.at(-1)).toBeGreaterThan(0.01)
		}
	}, 120_000)

	it.each([
		"' OR '1'='1",
		`${tokenPrefixes.key}' OR 1=1 --`,
		`${tokenPrefixes.key}%`,
		`${tokenPrefixes.key}";DROP TABLE credentials;--`,
	])('%s in a header is just a wrong key, in every form', async (text) => {
		const answers = await Promise.all(
			['x-service-api-key', 'x-api-key', 'authorization'].map((header) => {
				const value = header === 'authorization' ? `Bearer ${text}` : text
				return app.request('GET', '/v1/keys', { headers: { [header]: value } })
			}),
		)
		expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
		expect((await app.request('GET', '/v1/keys', { token: key })).status).toBe(200)
	})

	it('the three header forms are treated the same: valid, revoked, expired, mistyped, unknown, lacking a scope', async () => {
		const revoked = await create({ name: 'revoked', scopes })
		await app.request('DELETE', `/v1/keys/${revoked.id}`, { token: app.owner.token })
		const elsewhere = await create({ name: 'elsewhere', scopes, allowed_addresses: ['192.0.2.1'] })
		const weak = await create({ name: 'weak', scopes: ['agents:read'] })
		const cases = [
			key,
			revoked.key,
			`${key.slice(0, -1)}_`,
			newToken(tokenPrefixes.key),
			weak.key,
			elsewhere.key,
		]
		for (const secret of [...cases, newToken(tokenPrefixes.ingestToken), 'sk-foreign']) {
			const [first, ...others] = await Promise.all(
				[{ 'x-service-api-key': secret }, { 'x-api-key': secret }, { authorization: `Bearer ${secret}` }].map(
					async (headers) => {
						const { status, body } = await app.request('GET', '/v1/keys?limit=1', {
							headers: headers as never,
						})
						return { status, code: body.code, detail: body.detail }
					},
				),
			)
			for (const other of others) expect(other).toEqual(first)
		}
	})
})

/** Where the random part of a key begins. */
const bodyAt = tokenPrefixes.key.length

/** A key with one character changed, removed, added or swapped, or with other letter case. */
function forge(key: string, round: number): string {
	const at = bodyAt + randomInt(key.length - bodyAt)
	const digit = alphabet[randomInt(62)] as string
	switch (round % 5) {
		case 0:
			return key.slice(0, at) + key.slice(at + 1)
		case 1:
			return key.slice(0, at) + digit + key.slice(at)
		case 2:
			return key.slice(0, at) + (key[at] === digit ? '_' : digit) + key.slice(at + 1)
		case 3:
			return `${tokenPrefixes.key}${Array.from({ length: 49 }, () => alphabet[randomInt(62)]).join('')}`
		default: {
			const other = key[at] as string
			const changed = other === other.toLowerCase() ? other.toUpperCase() : other.toLowerCase()
			return key.slice(0, at) + (changed === other ? 'x_' : changed) + key.slice(at + 1)
		}
	}
}

function nullIfRefused(error: unknown): null {
	if (error instanceof Problem && error.code === 'unauthenticated') return null
	throw error
}

/** Two-sided p of Welch's test over times in random order, without the slowest tenth, which is noise of the machine. */
async function compareTimes(
	authenticate: (secret: string) => unknown,
	one: () => string,
	other: () => string,
): Promise<number> {
	// Flat strings as from a socket: V8's representation of concatenated strings would distort the measurement.
	const flat = (text: string) => Buffer.from(text).toString('latin1')
	const asked = Array.from({ length: 8000 }, () => {
		const which = randomInt(2) as 0 | 1
		return { which, secret: flat(which === 0 ? one() : other()) }
	})
	const times: [number[], number[]] = [[], []]
	for (const { which, secret } of asked) {
		const startedAt = performance.now()
		await authenticate(secret)
		times[which].push(performance.now() - startedAt)
	}
	return welch(trim(times[0]), trim(times[1]))
}

function trim(values: number[]): number[] {
	return values.toSorted((a, b) => a - b).slice(0, Math.floor(values.length * 0.9))
}

/** Uses the normal distribution instead of Student's: with thousands of values they are the same. */
function welch(a: number[], b: number[]): number {
	const t = (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length)
	return 2 * (1 - normal(Math.abs(t)))
}

function mean(values: number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: number[]): number {
	const middle = mean(values)
	return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}

/** Abramowitz and Stegun 26.2.17. */
function normal(x: number): number {
	const t = 1 / (1 + 0.2316419 * x)
	const tail =
		t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
	return 1 - (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * tail
}
