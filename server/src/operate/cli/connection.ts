import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { scopes } from '@signalbox/contract/access'
import type { Command } from 'commander'
import { readVariable } from '../../config/config.ts'
import { type Client, createClient, notAnInstance, unwrap } from '../client/client.ts'
import { answer, confirmDone, globalOptions } from './answer.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

interface Profile {
	url: string
	key: string
}
type Profiles = Record<string, Profile>

/** The file in which `signalbox login` stores URLs and keys. */
function profilePath(): string {
	const directory = readVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
	return join(directory, 'signalbox', 'profiles.json')
}

function readProfile(name: string): Profile | null {
	return readProfiles()[name] ?? null
}

/** Stores a profile, or removes it if null; false if there was none. */
function changeProfile(name: string, profile: Profile | null): boolean {
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
	const { profile: name = 'default' } = globalOptions(command)
	const profile = readProfile(name)
	if (profile !== null || name === 'default') return profile
	throw new CommandFailure(
		exitCodes.notFound,
		`There is no profile ${name}. Make it with signalbox login --profile ${name}.`,
	)
}

/** Only the URL, for commands that need no key. */
export function urlOf(command: Command): string {
	return givenUrl(command) ?? profileOf(command)?.url ?? localUrl
}

/** The URL in the options or the environment, without a trailing slash. */
function givenUrl(command: Command): string | null {
	const { url: option } = globalOptions(command)
	const url = option ?? readVariable('SIGNALBOX_URL')
	if (url === null) return null
	if (!URL.canParse(url) || !/^https?:/.test(url)) {
		const place = option === undefined ? 'SIGNALBOX_URL' : '--url'
		throw new CommandFailure(exitCodes.usage, `${place}: ${url} is not a URL like https://box.example.org.`)
	}
	return url.replace(/\/+$/, '')
}

/** A client for the instance that the command connects to. */
export function connect(command: Command): Client {
	const { url, key } = connectionOf(command)
	return createClient({ baseUrl: url, key, patient: true })
}

/**
 * All scopes except two. Deciding approvals is left out because agents get their keys from this key, and a key can only pass on its
 * own scopes. Programs are left out because anyone who reads the profile could otherwise run commands on the Signalbox host.
 */
const managementScopes = scopes.filter((scope) => !['approvals:decide', 'programs:write'].includes(scope))

export function addLoginCommand(program: Command): void {
	program
		.command('login')
		.description('Store the address of an instance and a key for it, in a file that only you can read')
		.option('--email <email>', 'sign in with the password from standard input, and create a key')
		.option('--programs', 'with --email: the key may also register, change and accept programs (stdio)')
		.option(
			'--token',
			'with --email: print an access token with your own rights, valid for an hour, and store nothing',
		)
		.addHelpText('after', '\nWithout --email, the key itself is read from standard input.')
		.action(logIn)
}

export function addLogoutCommand(program: Command): void {
	program
		.command('logout')
		.description('Remove the profile; the key stays valid until revoked')
		.action(logOut)
}

interface LoginOptions {
	email?: string
	programs?: true
	token?: true
}

async function logIn(options: LoginOptions, command: Command): Promise<void> {
	const url = givenUrl(command)
	if (url === null)
		throw new CommandFailure(exitCodes.usage, 'login needs --url: the address of the instance.')
	if (options.token && options.email === undefined)
		throw new CommandFailure(exitCodes.usage, '--token needs --email.')
	const secret = (await text(process.stdin)).trim()
	if (secret === '')
		throw new CommandFailure(
			exitCodes.usage,
			'Pass the key, or with --email the password, on standard input.',
		)
	const person = options.email === undefined ? null : { email: options.email, password: secret }
	if (options.token && person) {
		const token = await signIn(url, person)
		return answer(command, { url, token }, [token])
	}
	const key = person ? await makeKey(url, person, options.programs === true) : await checkedKey(url, secret)
	const { profile = 'default' } = globalOptions(command)
	changeProfile(profile, { url, key })
	const path = profilePath()
	confirmDone(command, { url, profile, path }, `Signed in at ${url}; the key is in ${path}.`)
}

/** A key without the scope to list agents is still valid; only a 401 says that it is not. */
async function checkedKey(url: string, key: string): Promise<string> {
	const query = { limit: 1 }
	await createClient({ baseUrl: url, key })
		.GET('/v1/agents', { params: { query } })
		.catch((error: { status?: number }) => {
			if (error.status !== 403) throw error
		})
	return key
}

/** Every instance has the path of the sign-in, so these answers come from another program, or from a page of the instance. */
function isElsewhere(error: unknown): boolean {
	return error instanceof Error && 'status' in error && (error.status === 404 || error.status === 405)
}

interface Person {
	email: string
	password: string
}

/** The access token of a new session. */
async function signIn(url: string, body: Person): Promise<string> {
	const { token } = await unwrap(
		createClient({ baseUrl: url, key: null }).POST('/auth/login', { body }),
	).catch((error: unknown) => {
		throw isElsewhere(error) ? new CommandFailure(exitCodes.usage, notAnInstance(url)) : error
	})
	if (token === undefined) throw new CommandFailure(exitCodes.failed, notAnInstance(url))
	return token
}

async function makeKey(url: string, person: Person, withPrograms: boolean): Promise<string> {
	const wanted = withPrograms ? [...managementScopes, 'programs:write' as const] : [...managementScopes]
	const client = createClient({ baseUrl: url, key: await signIn(url, person) })
	const name = `Command line on ${hostname()}`.slice(0, 100)
	const { key } = await unwrap(client.POST('/v1/keys', { body: { name, scopes: wanted } }))
	// Only the key is kept, so the session would stay among the person's sessions for 30 days. If it cannot be ended, it ends then.
	await client.POST('/auth/logout').catch(() => undefined)
	return key
}

function logOut(_options: object, command: Command): void {
	const { profile = 'default' } = globalOptions(command)
	const existed = changeProfile(profile, null)
	confirmDone(
		command,
		{ profile, removed: existed },
		existed ? `${profile} is forgotten.` : 'There was nothing.',
	)
}
