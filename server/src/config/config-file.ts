import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'

export type Environment = Record<string, string | undefined>

/** The settings of a `signalbox.yaml`, by their full names. */
export interface ConfigFile {
	path: string
	values: Environment
	/** The key in the file of each setting: `SIGNALBOX_OIDC_HOUSE_ISSUER` is `oidc.house.issuer`. */
	keys: ReadonlyMap<string, string>
	/** Parts of the file that cannot be read. */
	mistakes: string[]
}

const unprefixed: ReadonlySet<string> = new Set(['DATABASE_URL', 'CLICKHOUSE_URL'])

/**
 * The given file, which must exist; otherwise the one beside the data directory or, without a data directory, the one in the
 * current directory, if it exists.
 */
export function findConfigFile(named: string | null, dataDir: string | null): string | null {
	if (named !== null) return resolve(named)
	const found = resolve(dataDir === null ? '.' : dirname(resolve(dataDir)), 'signalbox.yaml')
	return existsSync(found) ? found : null
}

/** Reads a file. Its mistakes are returned, so that all mistakes can be listed together. */
export function readConfigFile(path: string): ConfigFile {
	try {
		// Loaded only if there is such a file.
		const { parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
		const document = parseDocument(readFileSync(path, 'utf8'))
		const mistakes = document.errors.map(({ message }) => `${path}: ${message.split('\n')[0]}`)
		return mistakes.length > 0 ? emptyFile(path, mistakes) : toFile(path, document.toJS() ?? {})
	} catch (error) {
		return emptyFile(path, [`${path}: ${(error as Error).message}`])
	}
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
	if (typeof value === 'string' || typeof value === 'number') return String(value)
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
