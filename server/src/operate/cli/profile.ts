import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { readVariable } from '../../config/config.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

export interface Profile {
	url: string
	key: string
}
type Profiles = Record<string, Profile>

/** Where `signalbox login` keeps addresses and keys. */
export function profilePath(): string {
	const directory = readVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
	return join(directory, 'signalbox', 'profiles.json')
}

export function readProfile(name: string): Profile | null {
	return readProfiles()[name] ?? null
}

/** Stores a profile, or with null takes it away; false when there was none. */
export function changeProfile(name: string, profile: Profile | null): boolean {
	const profiles = readProfiles()
	const existed = name in profiles
	const { [name]: _, ...others } = profiles
	writePrivately(profilePath(), profile === null ? others : { ...others, [name]: profile })
	return existed
}

function readProfiles(): Profiles {
	const path = profilePath()
	if (!existsSync(path)) return {}
	if ((statSync(path).mode & 0o077) !== 0)
		throw new CommandFailure(exitCodes.failed, `${path} has keys and others can read it: chmod 600 ${path}`)
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as Profiles
	} catch {
		throw new CommandFailure(exitCodes.failed, `${path} is no JSON; remove it and run signalbox login again.`)
	}
}

/** A half-written file would lose the other profiles, so it takes its place in one step. */
function writePrivately(path: string, content: object): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
	const draft = `${path}.${process.pid}`
	writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
	chmodSync(draft, 0o600)
	renameSync(draft, path)
}
