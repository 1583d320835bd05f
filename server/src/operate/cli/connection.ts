import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { readVariable } from '../../config/config.ts'
import { type Client, createClient } from '../client/client.ts'
import { globalOptions } from './answer.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

interface Profile {
	url: string
	key: string
}
type Profiles = Record<string, Profile>

/** The file in which `signalbox login` stores URLs and keys. */
export function profilePath(): string {
	const directory = readVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
	return join(directory, 'signalbox', 'profiles.json')
}

function readProfile(name: string): Profile | null {
	return readProfiles()[name] ?? null
}

/** Stores a profile, or removes it if null; false if there was none. */
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
		throw new CommandFailure(
			exitCodes.failed,
			`${path} is not valid JSON; remove it and run signalbox login again.`,
		)
	}
}

/** The file is replaced atomically, because a partial write would lose the other profiles. */
function writePrivately(path: string, content: object): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
	const draft = `${path}.${process.pid}`
	writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
	chmodSync(draft, 0o600)
	renameSync(draft, path)
}

const localUrl = 'http://127.0.0.1:7777'

interface Connection {
	url: string
	key: string
}

/** The instance that a command connects to: option, then variable, then profile. */
export function connectionOf(command: Command): Connection {
	const { key: given } = globalOptions(command)
	const profile = profileOf(command)
	const url = urlOf(command)
	// A profile's key is sent only to the profile's own URL.
	const own = profile?.url === url ? profile.key : null
	const key = given ?? readVariable('SIGNALBOX_KEY') ?? own
	if (key !== null) return { url, key }
	throw new CommandFailure(
		exitCodes.notAllowed,
		`There is no key for ${url}. Run signalbox login, or set SIGNALBOX_KEY.`,
	)
}

function profileOf(command: Command): Profile | null {
	return readProfile(globalOptions(command).profile ?? 'default')
}

/** Only the URL, for commands that need no key. */
export function urlOf(command: Command): string {
	return givenUrl(command) ?? profileOf(command)?.url ?? localUrl
}

/** The URL in the options or the environment, without a trailing slash. */
export function givenUrl(command: Command): string | null {
	const url = globalOptions(command).url ?? readVariable('SIGNALBOX_URL')
	if (url === null) return null
	if (!URL.canParse(url) || !/^https?:/.test(url))
		throw new CommandFailure(exitCodes.usage, `--url: ${url} is not a URL like https://box.example.org.`)
	return url.replace(/\/+$/, '')
}

/** A client for the instance that the command connects to. */
export function connect(command: Command): Client {
	const { url, key } = connectionOf(command)
	return createClient({ baseUrl: url, key, patient: true })
}
