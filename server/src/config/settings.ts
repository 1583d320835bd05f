import { type TokenPrefix, tokenPrefixes } from '@signalbox/contract'
import { parseMasterKey } from '../platform/crypto/master-key-file.ts'
import { isMadeUpToken, isToken } from '../platform/crypto/token.ts'
import {
	absolutePaths,
	baseUrl,
	integerBetween,
	listenHost,
	mailbox,
	networks,
	oneOf,
	origins,
	port,
	type RateLimits,
	rateLimits,
	text,
	urlOf,
} from './parse.ts'

/** One setting: its parser, its default, and its meaning. */
export interface Setting<T> {
	parse: ((text: string) => T) & { schema?: object }
	fallback: T
	meaning: string
	secret?: true
	/** The value of the flag when it is given without one. */
	bare?: string
}

function setting<T>(
	parse: Setting<T>['parse'],
	fallback: T,
	meaning: string,
	options: Pick<Setting<T>, 'secret' | 'bare'> = {},
): Setting<T> {
	return { parse, fallback, meaning, ...options }
}

/** Every setting, by its name after `SIGNALBOX_` (two are known without the prefix). */
export const settings = {
	HOST: setting(listenHost, '127.0.0.1', 'Address of the main listener'),
	PORT: setting(port, 7777, 'Port of the main listener; 0 picks a free one'),
	OTLP_HTTP_PORT: setting(port, 4318, 'Port of the OTLP/HTTP listener; 0 turns it off'),
	OTLP_GRPC_PORT: setting(port, 4317, 'Port of the OTLP/gRPC listener; 0 turns it off'),
	OTLP_MAX_BODY_BYTES: setting(
		integerBetween(64 * 1024, 1024 ** 3),
		64 * 1024 * 1024,
		'Largest OTLP body after decompression; larger ones get 413',
	),
	API_MAX_BODY_BYTES: setting(
		integerBetween(64 * 1024, 64 * 1024 * 1024),
		1024 * 1024,
		'Largest body of the platform API; larger ones get 413',
	),
	MCP_MAX_BODY_BYTES: setting(
		integerBetween(64 * 1024, 256 * 1024 * 1024),
		8 * 1024 * 1024,
		'Largest message of an MCP client; larger ones get 413',
	),
	MCP_IDLE_MS: setting(
		integerBetween(1000, 86_400_000),
		120_000,
		'A call ends when its MCP server sends nothing for this long; progress counts as activity',
	),
	MCP_CALL_MS: setting(
		integerBetween(1000, 86_400_000),
		300_000,
		'A call to an MCP server ends after this time, even if it reports progress; waiting for people does not count, and tasks have their own limits',
	),
	MODEL_MAX_BODY_BYTES: setting(
		integerBetween(64 * 1024, 1024 ** 3),
		32 * 1024 * 1024,
		'Largest body of a model call; larger ones get 413',
	),
	DATA_DIR: setting(text, './data', 'Directory of the embedded stores, the log and the master key (0700)'),
	WORKERS: setting(
		integerBetween(1, 64),
		1,
		'Number of processes that share the ports and the traffic of agents, models and telemetry; more than one only on Linux',
	),
	DATABASE_URL: setting(
		urlOf('postgres:', 'postgresql:'),
		null as string | null,
		'PostgreSQL 13 or newer instead of the embedded SQLite',
		{ secret: true },
	),
	CLICKHOUSE_URL: setting(
		urlOf('http:', 'https:'),
		null as string | null,
		'ClickHouse server, 26.3 or newer, instead of the embedded engine',
		{ secret: true },
	),
	PUBLIC_URL: setting(baseUrl, null as string | null, 'Address at which users reach the instance'),
	NODE_URL: setting(
		baseUrl,
		null as string | null,
		'Address of this machine for operators, if there are several machines; shown beside figures of one machine',
	),
	MASTER_KEY: setting(
		masterKey,
		null as string | null,
		'32 random bytes as hex or base64; created in the data directory by default',
		{ secret: true },
	),
	MASTER_KEY_PREVIOUS: setting(
		masterKey,
		null as string | null,
		'The previous master key; keep it until the log says that it can be removed',
		{ secret: true },
	),
	DEMO: setting(
		oneOf('on', 'off'),
		'off',
		'Whether this start creates the demo workspace, a day of traffic that you can remove again, if there is none yet',
		{ bare: 'on' },
	),
	SIGNUP: setting(
		oneOf('open', 'invite', 'closed'),
		null as 'open' | 'invite' | 'closed' | null,
		'Who may register: `open`, `invite` or `closed`; by default `open` on loopback, otherwise `invite`',
	),
	WORKSPACES_PER_PERSON: setting(
		integerBetween(1, 10_000),
		20,
		'How many workspaces one person may own; operators can create more',
	),
	PASSWORD_LOGIN: setting(
		oneOf('on', 'off'),
		'on',
		'Whether people may have passwords; `off` leaves only sign-in providers',
	),
	SMTP_URL: setting(
		urlOf('smtp:', 'smtps:'),
		null as string | null,
		'Mail server, `smtp://user:password@host:587` or `smtps://…:465`; without one, links go to the log and the operator',
		{ secret: true },
	),
	MAIL_FROM: setting(
		mailbox,
		null as string | null,
		'Sender of mail, `Signalbox <signalbox@example.org>`; needed with SIGNALBOX_SMTP_URL',
	),
	TRUSTED_PROXIES: setting(
		networks,
		null as string[] | null,
		'CIDR list of proxies whose X-Forwarded-For is trusted; none by default',
	),
	INIT_ADMIN_EMAIL: setting(text, null as string | null, 'Headless first start: e-mail of the operator'),
	INIT_ADMIN_PASSWORD: setting(
		text,
		null as string | null,
		'Headless first start: password of the operator',
		{ secret: true },
	),
	INIT_PLATFORM_KEY: setting(
		credential(tokenPrefixes.key, '`signalbox keys generate`'),
		null as string | null,
		'Headless first start: a platform key with all scopes',
		{ secret: true },
	),
	INIT_INGEST_TOKEN: setting(
		credential(tokenPrefixes.ingestToken, '`signalbox keys generate --ingest`'),
		null as string | null,
		'Headless first start: an ingest token',
		{ secret: true },
	),
	ALLOWED_PRIVATE_NETWORKS: setting(
		networks,
		null as string[] | null,
		'CIDR list of private networks that upstreams may be in',
	),
	CORS_ORIGINS: setting(
		origins,
		[] as string[],
		'Exact origins, separated by commas, of other websites that may call the platform API and /mcp, and send telemetry, with a key or a token, such as `https://app.example`; cookies are not shared with them',
	),
	WAL_MAX_BYTES: setting(
		integerBetween(16 * 1024 * 1024, Number.MAX_SAFE_INTEGER),
		2 * 1024 ** 3,
		'Maximum size of the telemetry log; when it is full, ingestion and calls that must be recorded get 503',
	),
	DISK_RESERVE_BYTES: setting(
		integerBetween(0, Number.MAX_SAFE_INTEGER),
		null as number | null,
		'When less than this is free on the disk of the data directory, the oldest days of telemetry are dropped, but never the current day; by default 1 GiB or a twentieth of the disk, whichever is less; 0 turns this off',
	),
	RATE_LIMITS: setting(
		rateLimits,
		{} as RateLimits,
		'Rate limits, `class=requests/seconds` or `class=off`, separated by commas; classes are api, anonymous, mcp, model and otlp; defaults are api=1000/10 and anonymous=500/10, and the others are off',
	),
	RATE_LIMIT_CEILINGS: setting(
		rateLimits,
		{} as RateLimits,
		'The highest limits that a workspace may set with PUT /v1/limits, in the same form; api=10000/10 by default',
	),
	OVERLOAD_LAG_MS: setting(
		integerBetween(0, 60_000),
		100,
		'Event loop lag at which ingestion gets 503, as far as Signalbox itself causes it; the API gets 503 at 4 times this lag; MCP and model calls wait for 16 times as long, and at least a second, before they get 503; with 0, lag is ignored and no call waits',
	),
	PROGRAM_PATHS: setting(
		absolutePaths,
		[] as string[],
		'Folders that hosted programs (stdio servers) may read in their sandbox, separated by commas, in addition to the system folders; never the data directory',
	),
	PROGRAM_IDLE_MS: setting(
		integerBetween(1000, 86_400_000),
		300_000,
		'A hosted program is stopped after this time without a request; the next request starts it again',
	),
	PROGRAM_MEMORY_BYTES: setting(
		integerBetween(64 * 1024 * 1024, Number.MAX_SAFE_INTEGER),
		1024 ** 3,
		'Maximum memory of a hosted program, including its children',
	),
	PROGRAMS_MAX: setting(
		integerBetween(0, 10_000),
		100,
		'Maximum number of hosted programs that run at a time',
	),
	RETENTION_DAYS: setting(
		integerBetween(1, 3650),
		30,
		'How many days telemetry is kept, unless the workspace sets another value',
	),
	STOP_GRACE_SECONDS: setting(
		integerBetween(0, 600),
		25,
		'How long running requests have to finish after the first SIGTERM; streams on which clients only listen end at once',
	),
	METRICS_TOKEN: setting(
		chosenSecret,
		null as string | null,
		'Bearer token that /metrics requires; without one, only loopback callers of an instance that is not exposed may read it',
		{
			secret: true,
		},
	),
	LOG_LEVEL: setting(
		oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
		'info',
		'Least severe log line that is written: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
	),
} as const

/** The text of a master key; refused unless it looks random. */
function masterKey(value: string): string {
	parseMasterKey(value)
	return value
}

/** One of our credentials. Samples such as `sk_service_aaaa…` are refused even if their checksum is valid. */
function credential(prefix: TokenPrefix, remedy: string) {
	return (value: string): string => {
		if (!isToken(value, prefix))
			throw new Error(`is not of the form ${prefix} + 43 characters + checksum; make one with ${remedy}`)
		if (isMadeUpToken(value)) throw new Error(`is not random; make one with ${remedy}`)
		return value
	}
}

/** A secret chosen by the operator; guessable ones are refused. */
function chosenSecret(value: string): string {
	if (value.length >= 16 && new Set(value).size >= 8 && !/changeme|password/i.test(value)) return value
	throw new Error('can be guessed: give at least 16 random characters, say of `openssl rand -hex 32`')
}

interface KnownSetting {
	parse: { schema?: object }
	fallback: unknown
	meaning: string
}

/** JSON Schema of `signalbox.yaml`, for editors. The program itself checks more than a schema can express. */
export function configFileSchema(): object {
	const properties = Object.entries(settings as Record<string, KnownSetting>).flatMap(([name, setting]) => {
		const key = name.toLowerCase()
		const file = { type: 'string', description: `File that holds the value of ${key}` }
		return [
			[key, propertyOf(setting)],
			[`${key}_file`, file],
		] as const
	})
	return {
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		title: 'signalbox.yaml',
		type: 'object',
		additionalProperties: false,
		properties: {
			...Object.fromEntries(properties),
			oidc: {
				description: 'Where people sign in, by name',
				type: 'object',
				additionalProperties: {
					type: 'object',
					additionalProperties: { type: ['string', 'array', 'object'] },
				},
			},
		},
	}
}

function propertyOf({ parse, fallback, meaning }: KnownSetting): object {
	const shape = parse.schema ?? { type: ['string', 'array', 'object'], items: { type: 'string' } }
	const isShown = typeof fallback === 'string' || typeof fallback === 'number'
	return { description: meaning, ...shape, ...(isShown && { default: fallback }) }
}
