import { readFileSync } from 'node:fs'
import type { ConfigFile, Environment } from './config-file.ts'

type SourceKind = 'flag' | 'environment' | 'file' | 'signalbox.yaml' | 'default'

/** Where values may come from, strongest first; each by the full name of its setting. */
export interface ConfigSources {
	flags: Environment
	environment: Environment
	file: ConfigFile | null
}

interface GivenValue {
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

/** What the command line gave, set once before a command runs: settings by their full names, and the file. */
export const commandLine: { flags: Environment; configFile: string | null } = { flags: {}, configFile: null }

/** The known name that differs least from a mistyped one. */
export function nearestName(name: string, known: string[]): string {
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
