import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import { scopes } from '@signalbox/contract/access'
import type { Command } from 'commander'
import { createClient, unwrap } from '../client/client.ts'
import { confirmDone, globalOptions } from './answer.ts'
import { changeProfile, givenUrl, profilePath } from './connection.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

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
		.addHelpText('after', '\nWithout --email, the key itself is read from standard input.')
		.action(logIn)
}

export function addLogoutCommand(program: Command): void {
	program
		.command('logout')
		.description('Remove the profile; the key stays valid until revoked')
		.action(logOut)
}

async function logIn(options: { email?: string; programs?: true }, command: Command): Promise<void> {
	const url = givenUrl(command)
	if (url === null)
		throw new CommandFailure(exitCodes.usage, 'login needs --url: the address of the instance.')
	const secret = (await text(process.stdin)).trim()
	if (secret === '')
		throw new CommandFailure(
			exitCodes.usage,
			'Pass the key, or with --email the password, on standard input.',
		)
	const key =
		options.email === undefined
			? await checkedKey(url, secret)
			: await makeKey(url, { email: options.email, password: secret }, options.programs === true)
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

function notAnInstance(url: string): string {
	return `${url} is not the address of an instance. Give the address that the program prints at its start, without the path of a page.`
}

async function makeKey(
	url: string,
	body: { email: string; password: string },
	withPrograms: boolean,
): Promise<string> {
	const wanted = withPrograms ? [...managementScopes, 'programs:write' as const] : [...managementScopes]
	const { token } = await unwrap(
		createClient({ baseUrl: url, key: null }).POST('/auth/login', { body }),
	).catch((error: unknown) => {
		throw isElsewhere(error) ? new CommandFailure(exitCodes.usage, notAnInstance(url)) : error
	})
	const client = createClient({ baseUrl: url, key: token ?? null })
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
