import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { tokenPrefixes } from '@signalbox/contract'
import { describe, expect, inject, it } from 'vitest'
import { refuseWeakPassword } from '../../server/src/accounts/identity/accounts/password-rules.ts'
import { tokenOf } from '../../server/src/platform/crypto/token.ts'
import { fillNewDataDir, newDataDir, owner, removeDataDir } from '../../server/src/program/program.testing.ts'
import { readSource, repositoryFiles } from '../src/source-files.ts'
import { bearer, send } from './attack.ts'

const bin = fileURLToPath(new URL('../../server/bin/signalbox.mjs', import.meta.url))

/** Runs the program until it ends by itself. */
function run(
	settings: Record<string, string>,
	...args: string[]
): Promise<{ code: number | null; output: string }> {
	const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings } as NodeJS.ProcessEnv
	const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
	let output = ''
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
	return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

const samples = {
	SIGNALBOX_MASTER_KEY: [
		'0'.repeat(64),
		'f'.repeat(64),
		'0123456789abcdef'.repeat(4),
		btoa('changeme'.repeat(4)),
		btoa('my-test-key-but-now-longer-than-3'.slice(0, 32)),
	],
	SIGNALBOX_INIT_PLATFORM_KEY: [
		tokenOf(tokenPrefixes.key, 'a'.repeat(43)),
		tokenOf(tokenPrefixes.key, `${'Ab1'.repeat(14)}x`),
		'sk-1234',
		'changeme',
	],
	SIGNALBOX_INIT_INGEST_TOKEN: [tokenOf(tokenPrefixes.ingestToken, '0'.repeat(43)), 'changeme'],
	SIGNALBOX_METRICS_TOKEN: ['changeme', 'secret', 'metrics', 'x'.repeat(40)],
}

describe('no secret has a known default', () => {
	it('refuses sample values in all secret settings, and reports all of them at once', async () => {
		const refuse = async (turn: number) => {
			const entries = Object.entries(samples).map(([name, values]) => [
				name,
				values[turn % values.length] as string,
			])
			const init = { SIGNALBOX_INIT_ADMIN_EMAIL: owner.email, SIGNALBOX_INIT_ADMIN_PASSWORD: owner.password }
			const { code, output } = await run({ ...Object.fromEntries(entries), ...init }, 'config', 'check')
			expect(code).not.toBe(0)
			for (const [name, value] of entries) {
				expect(output).toContain(`${name}:`)
				if ((value as string).length > 8) expect(output).not.toContain(value)
			}
		}
		await Promise.all([0, 1, 2, 3, 4].map(refuse))
	})

	/** A start opens the stores, so the short form tries one password of each kind. */
	const known = ['changeme', 'password', 'password1', owner.email]
	it.concurrent.each(known.filter((_, at) => process.env.LONG_TESTS || at === 0 || at === 3))(
		'does not start with the password %s',
		async (password) => {
			const dataDir = newDataDir()
			await fillNewDataDir(dataDir)
			const { code, output } = await run(
				{
					SIGNALBOX_DATA_DIR: dataDir,
					SIGNALBOX_PORT: '0',
					SIGNALBOX_OTLP_HTTP_PORT: '0',
					SIGNALBOX_OTLP_GRPC_PORT: '0',
					SIGNALBOX_INIT_ADMIN_EMAIL: owner.email,
					SIGNALBOX_INIT_ADMIN_PASSWORD: password,
				},
				'start',
			)
			removeDataDir(dataDir)
			expect({ code, output }).toMatchObject({ code: 1, output: expect.stringMatching(/password/i) })
		},
	)

	it.each(known)('the rule for passwords refuses %s', (password) => {
		expect(() => refuseWeakPassword(password, owner.email)).toThrow(/password/i)
	})

	it('accepts no credential from the examples in our documentation', async () => {
		const texts = repositoryFiles('.md', '.json', '.tsx').map(readSource)
		const printed = new Set(texts.flatMap((text) => text.match(/\b(sk|it)_service_\w+/g) ?? []))
		for (const credential of printed)
			expect((await send('/agent/list', { headers: bearer(credential) })).status, credential).toBe(401)
	})

	// LiteLLM has sample master keys, and ContextForge has a default account (CVE-2026-78573).
	it.each(['sk-1234', 'sk-master', 'changeme', 'my-test-key', 'admin', 'null', 'undefined', ''])(
		'does not know the key %j',
		async (key) => {
			for (const headers of [bearer(key), { 'x-api-key': key }, { 'x-service-api-key': key }])
				expect((await send('/agent/list', { headers })).status).toBe(401)
		},
	)

	it.each([
		['admin@example.com', 'changeme'],
		['admin@admin.com', 'admin'],
		['admin@localhost', 'password'],
		['owner@example.org', 'changeme'],
	])('has no account %s with the password %s', async (email, password) => {
		expect((await send('/auth/login', { body: { email, password } })).status).toBe(401)
	})
})

describe('a forged access token (CVE-2026-53709)', () => {
	const [, payload = '', signature = ''] = inject('program').token.split('.')
	const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
	const hmac = (header: object, secret: string | Buffer) => {
		const text = `${encode(header)}.${payload}`
		return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
	}

	it('is refused without a signature, whatever the case of `none`', async () => {
		for (const alg of ['none', 'None', 'NONE', 'nOnE', ''])
			for (const end of ['', signature])
				expect(
					(await send('/auth/me', { headers: bearer(`${encode({ alg, typ: 'at+jwt' })}.${payload}.${end}`) }))
						.status,
				).toBe(401)
	})

	it('is refused when it is signed with a default secret of another product', async () => {
		for (const secret of ['my-test-key', 'changeme', 'secret', 'your-256-bit-secret', ''])
			for (const typ of ['at+jwt', 'JWT'])
				expect(
					(await send('/auth/me', { headers: bearer(hmac({ alg: 'HS256', typ }, secret)) })).status,
				).toBe(401)
	})

	it('is refused when it is signed with our public key as an HMAC secret', async () => {
		const { body } = await send('/.well-known/jwks.json')
		const keys = body.keys as { kid: string }[]
		expect(keys.length).toBeGreaterThan(0)
		for (const key of keys)
			for (const secret of [JSON.stringify(key), JSON.stringify(body)])
				expect(
					(
						await send('/auth/me', {
							headers: bearer(hmac({ alg: 'HS256', typ: 'at+jwt', kid: key.kid }, secret)),
						})
					).status,
				).toBe(401)
	})

	it('is refused when its header contains the key to verify it', async () => {
		const jwk = { kty: 'oct', k: Buffer.from('attacker').toString('base64url') }
		for (const more of [
			{ jwk },
			{ jku: 'https://attacker.example/jwks' },
			{ x5u: 'https://attacker.example/x' },
		])
			expect(
				(
					await send('/auth/me', {
						headers: bearer(hmac({ alg: 'HS256', typ: 'at+jwt', ...more }, 'attacker')),
					})
				).status,
			).toBe(401)
	})
})
