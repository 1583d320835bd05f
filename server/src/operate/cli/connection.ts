import type { Command } from 'commander'
import { readVariable } from '../../config/config.ts'
import { type Client, createClient } from '../client/index.ts'
import { globalOptions } from './answer.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { type Profile, readProfile } from './profile.ts'

const localUrl = 'http://127.0.0.1:7777'

export interface Connection {
	url: string
	key: string
}

/** The instance that a command asks: option, then variable, then profile. */
export function connectionOf(command: Command): Connection {
	const { key: given } = globalOptions(command)
	const profile = profileOf(command)
	const url = urlOf(command)
	// A key of a profile goes to the address that it is for, and to no other.
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

/** The address alone, for commands that need no key. */
export function urlOf(command: Command): string {
	return givenUrl(command) ?? profileOf(command)?.url ?? localUrl
}

/** The address in the options or the environment, without a slash at its end. */
export function givenUrl(command: Command): string | null {
	const url = globalOptions(command).url ?? readVariable('SIGNALBOX_URL')
	if (url === null) return null
	if (!URL.canParse(url) || !/^https?:/.test(url))
		throw new CommandFailure(exitCodes.usage, `--url: ${url} is no address like https://box.example.org.`)
	return url.replace(/\/+$/, '')
}

/** A client of the instance that the command asks. */
export function connect(command: Command): Client {
	const { url, key } = connectionOf(command)
	return createClient({ baseUrl: url, key, patient: true })
}
