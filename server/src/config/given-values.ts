import { readFileSync } from 'node:fs'
import type { ConfigFile, Environment } from './config-file.ts'

export type SourceKind = 'flag' | 'environment' | 'file' | 'signalbox.yaml' | 'default'

/** Where values may come from, strongest first; each by the full name of its setting. */
export interface ConfigSources {
	flags: Environment
	environment: Environment
	file: ConfigFile | null
}

export interface GivenValue {
	source: SourceKind
	/** How the place is written there: `--port`, `SIGNALBOX_PORT`, `port in /etc/signalbox.yaml`. */
	place: string
	/** Throws when a file that holds the value cannot be read, or when the value is given twice in one place. */
	read(): string
}

/** The strongest value given for a setting, or null. */
export function findGiven({ flags, environment, file }: ConfigSources, name: string): GivenValue | null {
	const flag = flags[name]
	if (flag) return { source: 'flag', place: flagOf(name), read: () => flag }
	const named = findNamed(environment, name, { source: 'environment', place: (key) => key })
	if (named || !file) return named
	const place = (key: string) => `${file.keys.get(key) ?? key} in ${file.path}`
	return findNamed(file.values, name, { source: 'signalbox.yaml', place })
}

/** `SIGNALBOX_DATA_DIR` is `--data-dir`. */
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
