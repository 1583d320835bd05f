import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import type { Tags } from 'yaml'
import { editDistance } from '../platform/errors.ts'
import { isLoopbackHost } from './parse.ts'
import { type Setting, settings } from './settings.ts'
import { isProviderSetting, readSignInProviders, type SignInProvider } from './sign-in-providers.ts'

type Name = keyof typeof settings
type Values = { [K in Name]: (typeof settings)[K] extends Setting<infer T> ? T : never }
/** Variables of the command line tool and of agents' clients, which the program itself does not read. */
const toolNames: ReadonlySet<string> = new Set(['SIGNALBOX_URL', 'SIGNALBOX_KEY', 'SIGNALBOX_AGENT_KEY'])
const unprefixed: ReadonlySet<string> = new Set(['DATABASE_URL', 'CLICKHOUSE_URL'])

export interface Config extends Values {
	/** Absolute path of the data directory. */
	dataDir: string
	/** Whether people outside this machine can reach the instance. */
	exposed: boolean
	/** From `SIGNALBOX_OIDC_<NAME>_*`. */
	signInProviders: readonly SignInProvider[]
	/** Names of the settings that were given, as they were given. */
	given: ReadonlySet<string>
}

/** All mistakes of a configuration, one per line. */
export class ConfigError extends Error {
	readonly mistakes: string[]
	constructor(mistakes: string[]) {
		super(
			`The configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`,
		)
		this.mistakes = mistakes
	}
}

/** Sets what the command line gave, before anything reads the configuration. */
export function setCommandLine(flags: Environment, configFile: string | null): void {
	Object.assign(commandLine, { flags, configFile })
}

/** Flags, environment and `signalbox.yaml` of this process. */
function processSources(environment: Environment = process.env): ConfigSources {
	const { flags, configFile } = commandLine
	const dataDir = flags.SIGNALBOX_DATA_DIR ?? environment.SIGNALBOX_DATA_DIR ?? null
	const path = findConfigFile(configFile, dataDir)
	return { flags, environment, file: path === null ? null : readConfigFile(path) }
}

/**
 * Reads the configuration from all sources of this process, or from the given environment only. Throws a `ConfigError` that lists
 * every mistake.
 */
export function readConfig(environment?: Environment): Config {
	const sources = environment ? { flags: {}, environment, file: null } : processSources()
	const mistakes = [...(sources.file?.mistakes ?? []), ...unknownNames(sources)]
	const given = new Set<string>()
	const values: Record<string, unknown> = {}
	for (const [name, definition] of Object.entries(settings) as [Name, Setting<unknown>][]) {
		const found = findGiven(sources, fullName(name))
		if (found) given.add(fullName(name))
		try {
			values[name] = found === null ? definition.fallback : definition.parse(found.read())
		} catch (error) {
			mistakes.push(`${found?.place ?? fullName(name)}: ${(error as Error).message}`)
		}
	}
	const config = {
		...(values as Values),
		dataDir: resolve(String(values.DATA_DIR)),
		given,
		signInProviders: readSignInProviders(
			namesIn(sources),
			(name) => findGiven(sources, name)?.read() ?? null,
			mistakes,
		),
		exposed: isExposed(values as Values),
	}
	if (mistakes.length === 0) mistakes.push(...contradictions(config))
	if (mistakes.length > 0) throw new ConfigError(mistakes)
	return config
}

/** An environment variable that is not a setting of the program; null if it is absent or empty. */
export function readVariable(
	name: string,
	environment: Record<string, string | undefined> = process.env,
): string | null {
	return environment[name] || null
}

/** The name under which a setting is given, and the source of its value. */
export function sourceOf(name: Name, sources: ConfigSources = processSources()) {
	const found = findGiven(sources, fullName(name))
	return {
		fullName: fullName(name),
		source: found?.source ?? ('default' as const),
		place: found?.place ?? null,
	}
}

export function fullName(name: string): string {
	return unprefixed.has(name) ? name : `SIGNALBOX_${name}`
}

function namesIn({ environment, file }: ConfigSources): string[] {
	return [...Object.keys(environment), ...Object.keys(file?.values ?? {})]
}

function unknownNames({ environment, file }: ConfigSources): string[] {
	const known = new Set(Object.keys(settings).flatMap((name) => [fullName(name), `${fullName(name)}_FILE`]))
	const isUnknown = (name: string) => !known.has(name) && !isProviderSetting(name)
	const inEnvironment = Object.keys(environment)
		.filter((name) => name.startsWith('SIGNALBOX_') && !name.startsWith('SIGNALBOX_SDK_'))
		.filter((name) => isUnknown(name) && !toolNames.has(name))
		.map((name) => `${name}: there is no such setting; did you mean ${nearestName(name, [...known])}?`)
	const keyOf = (name: string) => name.replace(/^SIGNALBOX_/, '').toLowerCase()
	const inFile = [...(file?.keys ?? [])]
		.filter(([name]) => isUnknown(name))
		.map(
			([name, key]) =>
				`${key} in ${file?.path}: there is no such setting; did you mean ${keyOf(nearestName(name.replace(/^(SIGNALBOX_){2}/, '$1'), [...known]))}?`,
		)
	return [...inEnvironment, ...inFile]
}

/** SQLite opens files with paths of up to 512 bytes; the longest name in the directory is that of a copy before a migration. */
const longestDirectoryBytes = 430

/** Where the embedded stores could not work. Both follow symbolic links first. */
function unusableDirectory(realDataDir: string, { CLICKHOUSE_URL }: Config): string[] {
	if (Buffer.byteLength(realDataDir) > longestDirectoryBytes)
		return [
			`SIGNALBOX_DATA_DIR: the path is longer than ${longestDirectoryBytes} bytes; choose a shorter one`,
		]
	// The embedded engine takes such a path for a pattern that stands for several files.
	if (CLICKHOUSE_URL !== null || !/[?*{]/.test(realDataDir)) return []
	return [`SIGNALBOX_DATA_DIR: the path ${realDataDir} has a ?, * or {, which the embedded engine cannot use`]
}

function contradictions(config: Config): string[] {
	const mistakes: string[] = []
	if (!isLoopbackHost(config.HOST) && !config.PUBLIC_URL)
		mistakes.push(
			'SIGNALBOX_HOST is not a loopback address: set SIGNALBOX_PUBLIC_URL to the address that users see',
		)
	const dataDir = realPath(config.dataDir)
	mistakes.push(...unusableDirectory(dataDir, config))
	const readable = config.PROGRAM_PATHS.map((path) => realPath(resolve(path)))
	if (readable.includes('/'))
		mistakes.push(
			'SIGNALBOX_PROGRAM_PATHS contains /, and so every file: name the folders that programs need',
		)
	else if (readable.some((path) => isWithin(dataDir, path) || isWithin(path, dataDir)))
		mistakes.push('SIGNALBOX_PROGRAM_PATHS contains the data directory, which no program may see')
	if (config.DATABASE_URL && !config.MASTER_KEY)
		mistakes.push(
			'DATABASE_URL needs SIGNALBOX_MASTER_KEY (or _FILE): every node must have the same key; make one with `openssl rand -hex 32`',
		)
	if (config.MASTER_KEY_PREVIOUS && !config.MASTER_KEY)
		mistakes.push(
			'SIGNALBOX_MASTER_KEY_PREVIOUS needs SIGNALBOX_MASTER_KEY: the new key that takes its place',
		)
	if (config.WORKERS > 1 && process.platform !== 'linux')
		mistakes.push('SIGNALBOX_WORKERS is more than 1: processes share their ports on Linux only')
	if (config.PASSWORD_LOGIN === 'off' && config.signInProviders.length === 0)
		mistakes.push(
			'SIGNALBOX_PASSWORD_LOGIN is off and there is no SIGNALBOX_OIDC_<NAME>_CLIENT_ID: nobody could sign in',
		)
	if (config.SMTP_URL && !config.MAIL_FROM)
		mistakes.push('SIGNALBOX_SMTP_URL needs SIGNALBOX_MAIL_FROM: the address that mail comes from')
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

/** Without symbolic links, also if its last folders do not exist yet. */
function realPath(path: string): string {
	try {
		return realpathSync(path)
	} catch {
		return join(realPath(dirname(path)), basename(path))
	}
}

function isWithin(path: string, folder: string): boolean {
	return path === folder || path.startsWith(`${folder}/`)
}

function isExposed(values: Values): boolean {
	const publicHost = values.PUBLIC_URL ? new URL(values.PUBLIC_URL).hostname : '127.0.0.1'
	return !isLoopbackHost(values.HOST ?? '') || !isLoopbackHost(publicHost)
}

type SourceKind = 'flag' | 'environment' | 'file' | 'signalbox.yaml' | 'default'

/** The sources of values, highest precedence first, each keyed by the full name of the setting. */
interface ConfigSources {
	flags: Environment
	environment: Environment
	file: ConfigFile | null
}

interface GivenValue {
	source: SourceKind
	/** The place as written in its source: `--port`, `SIGNALBOX_PORT`, `port in /etc/signalbox.yaml`. */
	place: string
	/** Throws when a file that contains the value cannot be read, or when one source gives the value twice. */
	read(): string
}

/** The value with the highest precedence that is given for a setting, or null. */
function findGiven({ flags, environment, file }: ConfigSources, name: string): GivenValue | null {
	const flag = flags[name]
	if (flag) return { source: 'flag', place: flagOf(name), read: () => flag }
	const named = findNamed(environment, name, { source: 'environment', place: (key) => key })
	if (named || !file) return named
	const place = (key: string) => `${file.keys.get(key) ?? key} in ${file.path}`
	return findNamed(file.values, name, { source: 'signalbox.yaml', place })
}

/** `SIGNALBOX_DATA_DIR` becomes `--data-dir`. */
export function flagOf(name: string): string {
	return `--${name
		.replace(/^SIGNALBOX_/, '')
		.toLowerCase()
		.replaceAll('_', '-')}`
}

function findNamed(
	values: Environment,
	name: string,
	{ source, place }: { source: SourceKind; place(key: string): string },
): GivenValue | null {
	const fileName = `${name}_FILE`
	const [direct, path] = [values[name], values[fileName]]
	if (direct && path) {
		const read = () => {
			throw new Error(`is given twice: unset ${name} or ${fileName}`)
		}
		return { source, place: place(name), read }
	}
	if (path)
		return {
			source: source === 'environment' ? 'file' : source,
			place: place(source === 'environment' ? name : fileName),
			read: () => readFileSync(path, 'utf8').trim(),
		}
	return direct ? { source, place: place(name), read: () => direct } : null
}

/** Settings and file from the command line, set once before a command runs. Settings are keyed by their full names. */
const commandLine: { flags: Environment; configFile: string | null } = { flags: {}, configFile: null }

/** The known name with the smallest edit distance to a mistyped one. */
function nearestName(name: string, known: string[]): string {
	const distances = known.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
	return distances.sort((a, b) => a.distance - b.distance)[0]?.candidate ?? ''
}

type Environment = Record<string, string | undefined>

/** The settings of a `signalbox.yaml`, by their full names. */
interface ConfigFile {
	path: string
	values: Environment
	/** The key in the file of each setting: `SIGNALBOX_OIDC_HOUSE_ISSUER` is `oidc.house.issuer`. */
	keys: ReadonlyMap<string, string>
	/** Parts of the file that cannot be read. */
	mistakes: string[]
}

/**
 * The given file, which must exist; otherwise the one beside the data directory or, without a data directory, the one in the
 * current directory, if it exists.
 */
function findConfigFile(named: string | null, dataDir: string | null): string | null {
	if (named !== null) return resolve(named)
	const found = resolve(dataDir === null ? '.' : dirname(resolve(dataDir)), 'signalbox.yaml')
	return existsSync(found) ? found : null
}

/** Reads a file. Its mistakes are returned, so that all mistakes can be listed together. */
function readConfigFile(path: string): ConfigFile {
	try {
		// Loaded only if there is such a file.
		const { parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
		const document = parseDocument(readFileSync(path, 'utf8'), { customTags: withoutNumbers })
		const mistakes = document.errors.map(({ message }) => `${path}: ${message.split('\n')[0]}`)
		return mistakes.length > 0 ? emptyFile(path, mistakes) : toFile(path, document.toJS() ?? {})
	} catch (error) {
		return emptyFile(path, [`${path}: ${(error as Error).message}`])
	}
}

/** Numbers stay as they are written: a password of digits must keep its zeros. */
function withoutNumbers(tags: Tags): Tags {
	const isNumber = (tag: Tags[number]) => typeof tag === 'object' && /:(int|float)$/.test(tag.tag)
	return tags.filter((tag) => !isNumber(tag))
}

function emptyFile(path: string, mistakes: string[]): ConfigFile {
	return { path, values: {}, keys: new Map(), mistakes }
}

function toFile(path: string, root: unknown): ConfigFile {
	if (!isMap(root)) return emptyFile(path, [`${path}: expected settings like \`port: 7777\``])
	const { oidc, ...plain } = root
	const file = { path, values: {} as Environment, keys: new Map<string, string>(), mistakes: [] as string[] }
	for (const [key, value] of Object.entries(plain)) add(file, key, fullNameOf(key), value)
	if (oidc === undefined) return file
	if (!isMap(oidc) || !Object.values(oidc).every(isMap))
		return { ...file, mistakes: [`oidc in ${path}: expected names of providers with their settings`] }
	for (const [provider, settings] of Object.entries(oidc))
		for (const [key, value] of Object.entries(settings as object))
			add(file, `oidc.${provider}.${key}`, `SIGNALBOX_OIDC_${upper(provider)}_${upper(key)}`, value)
	return file
}

function add(file: ConfigFile, key: string, name: string, value: unknown): void {
	const text = textOf(value)
	if (text === null) file.mistakes.push(`${key} in ${file.path}: expected a text, a number or a list`)
	else if (text !== '') {
		const isPath = name === 'SIGNALBOX_DATA_DIR' || name.endsWith('_FILE')
		file.values[name] = isPath ? resolve(dirname(file.path), text) : text
		;(file.keys as Map<string, string>).set(name, key)
	}
}

/** The value as the environment would contain it: lists with commas, maps as `name=value` with commas. Null for anything else. */
function textOf(value: unknown): string | null {
	if (value === null) return ''
	if (typeof value === 'string') return value
	// Supports the habits of YAML 1.1: in YAML 1.2 `on` and `off` are strings, while true and false are booleans.
	if (typeof value === 'boolean') return value ? 'on' : 'off'
	if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.join(',') : null
	if (!isMap(value) || !Object.values(value).every((item) => typeof item === 'string')) return null
	return Object.entries(value)
		.map(([name, item]) => `${name}=${item}`)
		.join(',')
}

function fullNameOf(key: string): string {
	const name = upper(key)
	return unprefixed.has(name.replace(/_FILE$/, '')) ? name : `SIGNALBOX_${name}`
}

function upper(text: string): string {
	return text.toUpperCase().replaceAll('-', '_')
}

function isMap(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
