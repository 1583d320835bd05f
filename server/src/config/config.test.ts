import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokenPrefixes } from '@signalbox/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { newToken, tokenOf } from '../platform/crypto/token.ts'
import { ConfigError, readConfig } from './config.ts'

function mistakesOf(environment: Record<string, string>): string[] {
	try {
		readConfig(environment)
	} catch (error) {
		if (error instanceof ConfigError) return error.mistakes
		throw error
	}
	return []
}

describe('the configuration', () => {
	const folder = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
	const link = `${folder}/link`
	symlinkSync(folder, link)
	afterAll(() => rmSync(folder, { recursive: true }))

	it('has a default for everything', () => {
		const config = readConfig({})
		expect(config).toMatchObject({
			HOST: '127.0.0.1',
			PORT: 7777,
			OTLP_HTTP_PORT: 4318,
			OTLP_GRPC_PORT: 4317,
			RETENTION_DAYS: 30,
			exposed: false,
		})
		expect(config.given.size).toBe(0)
	})

	it('ignores the variables of the command line tool', () => {
		expect(
			mistakesOf({ SIGNALBOX_URL: 'http://box.test', SIGNALBOX_KEY: 'k', SIGNALBOX_AGENT_KEY: 'a' }),
		).toEqual([])
	})

	it('reads a value from a file, and refuses a file together with the value itself', () => {
		const directory = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
		const file = join(directory, 'key')
		const key = randomBytes(32).toString('hex')
		writeFileSync(file, `${key}\n`)
		expect(readConfig({ SIGNALBOX_MASTER_KEY_FILE: file }).MASTER_KEY).toBe(key)
		expect(mistakesOf({ SIGNALBOX_MASTER_KEY_FILE: file, SIGNALBOX_MASTER_KEY: 'x' })).toEqual([
			'SIGNALBOX_MASTER_KEY: is given twice: unset SIGNALBOX_MASTER_KEY or SIGNALBOX_MASTER_KEY_FILE',
		])
		rmSync(directory, { recursive: true })
	})

	it('reports every mistake at once, each with what was expected', () => {
		expect(
			mistakesOf({
				SIGNALBOX_PORT: 'eighty',
				SIGNALBOX_PROT: '80',
				SIGNALBOX_SIGNUP: 'yes',
				DATABASE_URL: 'mysql://x',
				SIGNALBOX_ALLOWED_PRIVATE_NETWORKS: '10.0.0.0',
			}),
		).toEqual([
			'SIGNALBOX_PROT: there is no such setting; did you mean SIGNALBOX_PORT?',
			'SIGNALBOX_PORT: expected a whole number from 0 to 65535, got "eighty"',
			'DATABASE_URL: expected an address that starts with postgres:// or postgresql://',
			'SIGNALBOX_SIGNUP: expected one of open, invite, closed, got "yes"',
			'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS: "10.0.0.0" is not a network like 10.0.0.0/8',
		])
	})

	it.each([
		['an open listener without a public address', { SIGNALBOX_HOST: '0.0.0.0' }, /SIGNALBOX_PUBLIC_URL/],
		['PostgreSQL without a master key', { DATABASE_URL: 'postgres://x/y' }, /SIGNALBOX_MASTER_KEY/],
		['a mail server without a sender', { SIGNALBOX_SMTP_URL: 'smtp://x' }, /SIGNALBOX_MAIL_FROM/],
		['a sender that is not an address', { SIGNALBOX_MAIL_FROM: 'Signalbox' }, /expected an e-mail address/],
		['a star as origin', { SIGNALBOX_CORS_ORIGINS: '*' }, /"\*" is not an origin like/],
		['an origin with a path', { SIGNALBOX_CORS_ORIGINS: 'https://a.example/' }, /is not an origin like/],
		['the opaque origin null', { SIGNALBOX_CORS_ORIGINS: 'null' }, /"null" is not an origin like/],
		['folders with a colon', { SIGNALBOX_PROGRAM_PATHS: '/opt/a:/opt/b' }, /several paths: put commas/],
		['folders with a space', { SIGNALBOX_PROGRAM_PATHS: '/opt/a /opt/b' }, /several paths: put commas/],
		['every folder', { SIGNALBOX_PROGRAM_PATHS: '/' }, /contains \/, and so every file/],
		[
			'the folder with the data',
			{ SIGNALBOX_PROGRAM_PATHS: folder, SIGNALBOX_DATA_DIR: `${folder}/data` },
			/no program may/,
		],
		[
			'a link to the data',
			{ SIGNALBOX_PROGRAM_PATHS: link, SIGNALBOX_DATA_DIR: folder },
			/no program may see/,
		],
		['a data directory like a pattern', { SIGNALBOX_DATA_DIR: `${folder}/a*b` }, /has a \?, \* or \{/],
		[
			'a very long path',
			{ SIGNALBOX_DATA_DIR: '/漢'.repeat(108) },
			/longer than 430 bytes; choose a shorter/,
		],
		['a host with a port', { SIGNALBOX_HOST: '127.0.0.1:80' }, /expected a host name or an IP address/],
		[
			'a public address with a query',
			{ SIGNALBOX_PUBLIC_URL: 'https://a.example/?b=c' },
			/without user name/,
		],
		['two limits of one class', { SIGNALBOX_RATE_LIMITS: 'api=1/1,api=off' }, /is not the only limit of api/],
		['an e-mail without a password', { SIGNALBOX_INIT_ADMIN_EMAIL: 'a@b.example' }, /belong together/],
		[
			'a first key without an owner',
			{ SIGNALBOX_INIT_PLATFORM_KEY: newToken(tokenPrefixes.key) },
			/INIT_ADMIN_EMAIL/,
		],
	])('refuses %s', (_name, environment, text) => {
		expect(mistakesOf(environment as Record<string, string>).join()).toMatch(text)
	})

	it.each([
		['MASTER_KEY', '0'.repeat(64)],
		['MASTER_KEY', 'ab'.repeat(32)],
		['MASTER_KEY', '0123456789abcdef'.repeat(4)],
		['MASTER_KEY', Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(2, '0')).join('')],
		['MASTER_KEY', Buffer.from('correct horse battery staple 123').toString('hex')],
		['MASTER_KEY', `changeme${randomBytes(26).toString('base64').slice(0, 35)}=`],
		['MASTER_KEY', 'changeme'],
		['MASTER_KEY', randomBytes(31).toString('hex')],
		['MASTER_KEY_PREVIOUS', 'f'.repeat(64)],
		['INIT_PLATFORM_KEY', tokenOf(tokenPrefixes.key, 'a'.repeat(43))],
		['INIT_PLATFORM_KEY', tokenOf(tokenPrefixes.key, '0123456789'.repeat(5).slice(0, 43))],
		['INIT_PLATFORM_KEY', newToken(tokenPrefixes.ingestToken)],
		['INIT_INGEST_TOKEN', tokenOf(tokenPrefixes.ingestToken, 'x'.repeat(43))],
	])('an unsuitable %s prevents the start: %s', (name, value) => {
		const mistakes = mistakesOf({ [`SIGNALBOX_${name}`]: value })
		expect(mistakes).toHaveLength(1)
		expect(mistakes[0]).toMatch(/make one with/)
		expect(mistakes[0]).not.toContain(value)
	})

	it('accepts a folder whose name begins like that of the data', () => {
		readConfig({ SIGNALBOX_PROGRAM_PATHS: `${folder}-2`, SIGNALBOX_DATA_DIR: folder })
	})

	it('accepts any path for the data with a ClickHouse server', () => {
		readConfig({ SIGNALBOX_DATA_DIR: `${folder}/a*b`, CLICKHOUSE_URL: 'http://127.0.0.1:8123/signalbox' })
	})

	it('takes no name for this machine that only begins like its addresses', () => {
		expect(readConfig({ SIGNALBOX_PUBLIC_URL: 'https://127.example.org' }).exposed).toBe(true)
		expect(readConfig({ SIGNALBOX_PUBLIC_URL: 'http://127.0.0.9:7777' }).exposed).toBe(false)
	})

	it('takes an IPv6 address with and without brackets', () => {
		for (const host of ['[::1]', '::1']) expect(readConfig({ SIGNALBOX_HOST: host }).HOST).toBe('::1')
	})

	it('accepts random secrets', () => {
		for (let round = 0; round < 200; round += 1)
			for (const text of [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')])
				readConfig({ SIGNALBOX_MASTER_KEY: text })
	})

	it('never repeats a secret in a mistake', () => {
		expect(
			mistakesOf({
				SIGNALBOX_MASTER_KEY: 'CANARY',
				SIGNALBOX_PORT: 'x',
				DATABASE_URL: 'mysql://CANARY@h',
			}).join(),
		).not.toContain('CANARY')
	})

	it('ignores the settings of the SDKs and knows when it is exposed', () => {
		expect(mistakesOf({ SIGNALBOX_SDK_ENDPOINT: 'x' })).toEqual([])
		expect(
			readConfig({ SIGNALBOX_HOST: '0.0.0.0', SIGNALBOX_PUBLIC_URL: 'https://signalbox.example' }).exposed,
		).toBe(true)
	})
})
