import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configFileSchema } from './settings.ts'

const bin = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url))

describe('the sources of settings', () => {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-sources-'))
	beforeAll(() => mkdirSync(join(directory, 'elsewhere')))
	afterAll(() => rmSync(directory, { recursive: true, force: true }))

	const run = (args: string[], environment: Record<string, string> = {}) => {
		const env = { PATH: process.env.PATH, ...environment }
		const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
			cwd: directory,
			env,
			encoding: 'utf8',
		})
		return { code: status, output: stdout, errors: stderr }
	}
	const print = (args: string[], environment: Record<string, string> = {}) => {
		const { output, errors } = run(['config', 'print', '--json', ...args], environment)
		if (output === '') throw new Error(errors)
		const { settings } = JSON.parse(output) as {
			settings: { name: string; value: string; source: string; place: string }[]
		}
		return (name: string) => {
			const found = settings.find((line) => line.name === name)
			return [found?.value, found?.source]
		}
	}
	const write = (text: string, name = 'signalbox.yaml') => writeFileSync(join(directory, name), text)

	it('a flag precedes the environment, then a _FILE, then signalbox.yaml, then the default', () => {
		write(
			'port: 1001\nretention_days: 7\nlog_level: warn\ncors_origins: [https://a.example, https://b.example]\nrate_limits:\n  api: 5/1\n  mcp: "off"\n',
		)
		write('1003\n', 'port')
		expect(print([])('SIGNALBOX_PORT')).toEqual(['1001', 'signalbox.yaml'])
		expect(print([], { SIGNALBOX_PORT_FILE: join(directory, 'port') })('SIGNALBOX_PORT')).toEqual([
			'1003',
			'file',
		])
		expect(print([], { SIGNALBOX_PORT: '1004' })('SIGNALBOX_PORT')).toEqual(['1004', 'environment'])
		const all = print(['--port', '1005'], { SIGNALBOX_PORT: '1004' })
		expect(all('SIGNALBOX_PORT')).toEqual(['1005', 'flag'])
		expect(all('SIGNALBOX_RETENTION_DAYS')).toEqual(['7', 'signalbox.yaml'])
		expect(all('SIGNALBOX_CORS_ORIGINS')).toEqual(['https://a.example,https://b.example', 'signalbox.yaml'])
		expect(all('SIGNALBOX_RATE_LIMITS')[0]).toBe('{"api":{"requests":5,"windowMs":1000},"mcp":null}')
		expect(all('SIGNALBOX_HOST')).toEqual(['127.0.0.1', 'default'])
	})

	it('the file is the given one, the one beside the data directory, or the one in the current directory', () => {
		write('port: 2002\n', 'elsewhere/signalbox.yaml')
		write('port: 2003\n# Not the number 100.\ndata_dir: 0100\n', 'named.yaml')
		expect(print(['--data-dir', 'elsewhere/data'])('SIGNALBOX_PORT')).toEqual(['2002', 'signalbox.yaml'])
		const named = print(['--config', 'named.yaml'])
		expect(named('SIGNALBOX_PORT')).toEqual(['2003', 'signalbox.yaml'])
		expect(named('SIGNALBOX_DATA_DIR')[0]).toBe(join(directory, '0100'))
		expect(run(['config', 'check', '--config', 'none.yaml']).code).toBe(1)
	})

	it('a current directory that was deleted is named as what is missing', () => {
		const gone = `mkdir gone && cd gone && rmdir ../gone && "$0" "$1" start`
		const { status, stderr } = spawnSync('sh', ['-c', gone, process.execPath, bin], {
			cwd: directory,
			encoding: 'utf8',
		})
		expect([status, stderr]).toEqual([1, expect.stringMatching(/^The current directory no longer exists/)])
	})

	it('all mistakes of all sources are listed together, with the source and the closest name, and without secrets', () => {
		write(
			'prot: 1\nsignalbox_hots: x\nmaster_key: CANARY\ndatabase_url: mysql://CANARY@h\nsmtp_url: smtp://h\nsmtp_url_file: x\nsignup: maybe\nhost:\n  a: [1]\n',
		)
		const { code, output, errors } = run(['config', 'check', '--json', '--port', 'eighty'], {
			SIGNALBOX_RETENTION_DAYS: '0',
			SIGNALBOX_LOG_LEVL: 'x',
		})
		expect([code, errors]).toEqual([1, ''])
		const { valid, mistakes } = JSON.parse(output) as { valid: boolean; mistakes: string[] }
		const path = join(directory, 'signalbox.yaml')
		expect(valid).toBe(false)
		expect(mistakes).toEqual([
			`host in ${path}: expected a text, a number or a list`,
			'SIGNALBOX_LOG_LEVL: there is no such setting; did you mean SIGNALBOX_LOG_LEVEL?',
			`prot in ${path}: there is no such setting; did you mean port?`,
			`signalbox_hots in ${path}: there is no such setting; did you mean host?`,
			'--port: expected a whole number from 0 to 65535, got "eighty"',
			`database_url in ${path}: expected an address that starts with postgres:// or postgresql://`,
			expect.stringMatching(/^master_key in .*make one with/),
			`signup in ${path}: expected one of open, invite, closed, got "maybe"`,
			`smtp_url in ${path}: is given twice: unset SIGNALBOX_SMTP_URL or SIGNALBOX_SMTP_URL_FILE`,
			'SIGNALBOX_RETENTION_DAYS: expected a whole number from 1 to 3650, got "0"',
		])
		expect(output).not.toContain('CANARY')
		expect(run(['config', 'check', '--master-key', 'x']).errors).toContain("unknown option '--master-key'")
	})

	it('sign-in providers can be set in the file, and the schema accepts valid and rejects invalid ones', () => {
		const text =
			'port: 7777\noidc:\n  house:\n    issuer: https://id.example\n    client_id: c\n    groups: [staff]\n'
		write(text)
		expect(run(['config', 'check']).errors + run(['config', 'check']).output).not.toMatch(
			/oidc\.house\.issuer/,
		)
		const validate = new Ajv2020({ strict: false }).compile(configFileSchema())
		expect(validate(parse(text))).toBe(true)
		expect(validate({ prot: 1 })).toBe(false)
		expect(validate({ port: 70_000 })).toBe(false)
		expect(JSON.parse(run(['config', 'schema']).output)).toEqual(configFileSchema())
	})
})
