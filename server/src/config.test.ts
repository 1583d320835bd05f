import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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
	it('has a default for everything', () => {
		const config = readConfig({})
		expect(config).toMatchObject({
			HOST: '127.0.0.1',
			PORT: 7777,
			OTLP_HTTP_PORT: 4318,
			RETENTION_DAYS: 30,
			exposed: false,
		})
		expect(config.given.size).toBe(0)
	})

	it('reads a value from a file, and refuses it beside the value itself', () => {
		const directory = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
		const file = join(directory, 'key')
		writeFileSync(file, 'from the file\n')
		expect(readConfig({ SIGNALBOX_MASTER_KEY_FILE: file }).MASTER_KEY).toBe('from the file')
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
		['an e-mail without a password', { SIGNALBOX_INIT_ADMIN_EMAIL: 'a@b.example' }, /belong together/],
		['a first key without an owner', { SIGNALBOX_INIT_PLATFORM_KEY: 'x' }, /INIT_ADMIN_EMAIL/],
	])('refuses %s', (_name, environment, text) => {
		expect(mistakesOf(environment as Record<string, string>).join()).toMatch(text)
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

	it('leaves the settings of the SDKs alone and knows when it is exposed', () => {
		expect(mistakesOf({ SIGNALBOX_SDK_ENDPOINT: 'x' })).toEqual([])
		expect(
			readConfig({ SIGNALBOX_HOST: '0.0.0.0', SIGNALBOX_PUBLIC_URL: 'https://signalbox.example' }).exposed,
		).toBe(true)
	})
})
