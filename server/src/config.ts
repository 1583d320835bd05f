import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'

/** One setting: how its text becomes a value, what stands when nothing is given, and what it means. */
interface Setting<T> {
	parse(text: string): T
	fallback: T
	meaning: string
	secret?: true
}

function setting<T>(
	parse: (text: string) => T,
	fallback: T,
	meaning: string,
	options: { secret?: true } = {},
): Setting<T> {
	return { parse, fallback, meaning, ...options }
}

const text = (value: string) => value
const port = integerBetween(0, 65_535)

/** Every setting, by its name after `SIGNALBOX_` (two are known without the prefix). */
export const settings = {
	HOST: setting(text, '127.0.0.1', 'Address of the main listener'),
	PORT: setting(port, 7777, 'Port of the main listener; 0 takes a free one'),
	OTLP_HTTP_PORT: setting(port, 4318, 'Port of the OTLP/HTTP listener; 0 switches it off'),
	DATA_DIR: setting(text, './data', 'Directory of the embedded stores, the log and the master key (0700)'),
	DATABASE_URL: setting(
		urlOf('postgres:', 'postgresql:'),
		null as string | null,
		'PostgreSQL in place of the embedded SQLite',
		{ secret: true },
	),
	CLICKHOUSE_URL: setting(
		urlOf('http:', 'https:'),
		null as string | null,
		'ClickHouse server in place of the embedded engine',
		{ secret: true },
	),
	PUBLIC_URL: setting(urlOf('http:', 'https:'), null as string | null, 'The address that users see'),
	MASTER_KEY: setting(
		text,
		null as string | null,
		'32 random bytes as hex or base64; made in the data directory when absent',
		{ secret: true },
	),
	SIGNUP: setting(
		oneOf('open', 'invite', 'closed'),
		null as 'open' | 'invite' | 'closed' | null,
		'Who may register; open on loopback, else invite',
	),
	INIT_ADMIN_EMAIL: setting(text, null as string | null, 'Headless first start: e-mail of the operator'),
	INIT_ADMIN_PASSWORD: setting(
		text,
		null as string | null,
		'Headless first start: password of the operator',
		{ secret: true },
	),
	INIT_PLATFORM_KEY: setting(
		text,
		null as string | null,
		'Headless first start: a platform key with all scopes',
		{ secret: true },
	),
	INIT_INGEST_TOKEN: setting(text, null as string | null, 'Headless first start: an ingest token', {
		secret: true,
	}),
	ALLOWED_PRIVATE_NETWORKS: setting(
		networks,
		null as string[] | null,
		'CIDR list of private networks that upstreams may live in',
	),
	CORS_ORIGINS: setting(list, [] as string[], 'Origins of foreign pages that may call the API'),
	WAL_MAX_BYTES: setting(
		integerBetween(16 * 1024 * 1024, Number.MAX_SAFE_INTEGER),
		2 * 1024 ** 3,
		'Largest size of the telemetry log; full answers 503',
	),
	RETENTION_DAYS: setting(integerBetween(1, 3650), 30, 'Age at which telemetry is dropped'),
	METRICS_TOKEN: setting(text, null as string | null, 'Bearer token that /metrics asks for off loopback', {
		secret: true,
	}),
	LOG_LEVEL: setting(
		oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
		'info',
		'Least severe log line that is written',
	),
} as const

type Name = keyof typeof settings
type Values = { [K in Name]: (typeof settings)[K] extends Setting<infer T> ? T : never }
const unprefixed: ReadonlySet<string> = new Set(['DATABASE_URL', 'CLICKHOUSE_URL'])

export interface Config extends Values {
	/** Absolute path of the data directory. */
	dataDir: string
	/** Whether people outside this machine can reach the instance. */
	exposed: boolean
	/** Settings that were given, by the name they were given under. */
	given: ReadonlySet<string>
}

/** All mistakes of a configuration at once, each on a line of its own. */
export class ConfigError extends Error {
	readonly mistakes: string[]
	constructor(mistakes: string[]) {
		super(
			`The configuration has ${mistakes.length} mistake(s):\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`,
		)
		this.mistakes = mistakes
	}
}

/** Reads the configuration from the environment, or throws a `ConfigError` that lists every mistake. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
	const mistakes = unknownNames(environment)
	const given = new Set<string>()
	const values: Record<string, unknown> = {}
	for (const [name, definition] of Object.entries(settings) as [Name, Setting<unknown>][]) {
		const full = fullName(name)
		try {
			const raw = rawValue(environment, full)
			if (raw !== null) given.add(full)
			values[name] = raw === null ? definition.fallback : definition.parse(raw)
		} catch (error) {
			mistakes.push(`${full}: ${(error as Error).message}`)
		}
	}
	const config = {
		...(values as Values),
		dataDir: resolve(String(values.DATA_DIR)),
		given,
		exposed: isExposed(values as Values),
	}
	if (mistakes.length === 0) mistakes.push(...contradictions(config))
	if (mistakes.length > 0) throw new ConfigError(mistakes)
	return config
}

/** Under which name a setting is given, and where its value comes from. */
export function sourceOf(
	name: Name,
	environment: Record<string, string | undefined> = process.env,
): { fullName: string; source: 'environment' | 'file' | 'default' } {
	const full = fullName(name)
	const source = environment[full] ? 'environment' : environment[`${full}_FILE`] ? 'file' : 'default'
	return { fullName: full, source }
}

function fullName(name: string): string {
	return unprefixed.has(name) ? name : `SIGNALBOX_${name}`
}

function rawValue(environment: Record<string, string | undefined>, name: string): string | null {
	const direct = environment[name]
	const file = environment[`${name}_FILE`]
	if (direct && file) throw new Error(`is given twice: unset ${name} or ${name}_FILE`)
	if (file) return readFileSync(file, 'utf8').trim()
	return direct ? direct : null
}

function unknownNames(environment: Record<string, string | undefined>): string[] {
	const known = new Set(Object.keys(settings).flatMap((name) => [fullName(name), `${fullName(name)}_FILE`]))
	return Object.keys(environment)
		.filter((name) => name.startsWith('SIGNALBOX_') && !name.startsWith('SIGNALBOX_SDK_') && !known.has(name))
		.map((name) => `${name}: there is no such setting; did you mean ${nearest(name, [...known])}?`)
}

function contradictions(config: Config): string[] {
	const mistakes: string[] = []
	if (!isLoopbackHost(config.HOST) && !config.PUBLIC_URL)
		mistakes.push(
			'SIGNALBOX_HOST is not a loopback address: set SIGNALBOX_PUBLIC_URL to the address that users see',
		)
	if (config.DATABASE_URL && !config.MASTER_KEY)
		mistakes.push(
			'DATABASE_URL needs SIGNALBOX_MASTER_KEY (or _FILE): every node must have the same key; make one with `openssl rand -hex 32`',
		)
	if (Boolean(config.INIT_ADMIN_EMAIL) !== Boolean(config.INIT_ADMIN_PASSWORD))
		mistakes.push(
			'SIGNALBOX_INIT_ADMIN_EMAIL and SIGNALBOX_INIT_ADMIN_PASSWORD belong together: set both or none',
		)
	if ((config.INIT_PLATFORM_KEY || config.INIT_INGEST_TOKEN) && !config.INIT_ADMIN_EMAIL)
		mistakes.push(
			'SIGNALBOX_INIT_PLATFORM_KEY and _INIT_INGEST_TOKEN need SIGNALBOX_INIT_ADMIN_EMAIL: they belong to its workspace',
		)
	return mistakes
}

function isExposed(values: Values): boolean {
	const publicHost = values.PUBLIC_URL ? new URL(values.PUBLIC_URL).hostname : '127.0.0.1'
	return !isLoopbackHost(values.HOST ?? '') || !isLoopbackHost(publicHost)
}

export function isLoopbackHost(host: string): boolean {
	return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\./.test(host)
}

function integerBetween(least: number, most: number) {
	return (value: string): number => {
		const number = Number(value)
		if (!/^\d+$/.test(value) || number < least || number > most)
			throw new Error(`expected a whole number from ${least} to ${most}, got "${value}"`)
		return number
	}
}

function oneOf<const T extends string>(...values: T[]) {
	return (value: string): T => {
		if (!values.includes(value as T)) throw new Error(`expected one of ${values.join(', ')}, got "${value}"`)
		return value as T
	}
}

function urlOf(...protocols: string[]) {
	return (value: string): string => {
		const url = URL.parse(value)
		if (!url || !protocols.includes(url.protocol))
			throw new Error(
				`expected an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
			)
		return value
	}
}

function list(value: string): string[] {
	return value
		.split(',')
		.map((part) => part.trim())
		.filter(Boolean)
}

function networks(value: string): string[] {
	for (const network of list(value)) {
		const [address = '', bits] = network.split('/')
		const family = isIP(address)
		if (!family || !/^\d{1,3}$/.test(bits ?? ''))
			throw new Error(`"${network}" is not a network like 10.0.0.0/8`)
		new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
	}
	return list(value)
}

function nearest(name: string, known: string[]): string {
	const distances = known.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
	return distances.sort((a, b) => a.distance - b.distance)[0]?.candidate ?? ''
}

function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index)
	for (let i = 1; i <= a.length; i += 1) {
		const next = [i]
		for (let j = 1; j <= b.length; j += 1) {
			next[j] = Math.min(
				(next[j - 1] as number) + 1,
				(row[j] as number) + 1,
				(row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
			)
		}
		row = next
	}
	return row[b.length] as number
}
