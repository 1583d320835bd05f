import { tokenPrefixes } from '@signalbox/contract'
import type { Command } from 'commander'
import { unwrap } from '../client/client.ts'
import { answer, confirmDone, toTable } from './answer.ts'
import { connect } from './connection.ts'
import { readAll } from './find.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

interface CreateOptions {
	name: string
	workspace?: string
	scopes?: string
	agent?: string
	ingest?: true
	expires?: string
}

export function addKeyCommands(program: Command): void {
	const keys = program.command('keys').description('Platform keys, agent keys and ingest tokens')
	keys
		.command('create')
		.description('Create a key in the store of this machine and print its secret, once')
		.requiredOption('--name <name>', 'name of the key')
		.option('--workspace <name or id>', 'the workspace of the key', 'default')
		.option('--scopes <list>', 'comma-separated, or `all`')
		.option('--agent <id>', 'a key that acts as this agent')
		.option('--ingest', 'an ingest token: writes telemetry, nothing else')
		.option('--expires <time>', 'RFC 3339')
		.action(createKey)
	keys
		.command('revoke <id>')
		.description('Revoke a key or ingest token in the store of this machine; running streams are cut')
		.action(revokeKey)
	keys.command('list').description('List the keys of a running instance').action(listKeys)
	keys
		.command('rotate <id>')
		.description('Give a key of a running instance a new secret, and print it, once')
		.option('--grace <seconds>', 'how long the current one still works after the first use of the new one')
		.action(rotateKey)
	keys
		.command('rotate-master')
		.description('Replace the master key of a stopped instance, or finish an interrupted rotation')
		.action(async (options: object, command: Command) =>
			(await import('./rotate-master-key.ts')).rotateMasterKey(options, command),
		)
	keys
		.command('generate')
		.description('Print a value for SIGNALBOX_INIT_PLATFORM_KEY; nothing is stored')
		.option('--ingest', 'a value for SIGNALBOX_INIT_INGEST_TOKEN')
		.action(async (options: { ingest?: true }, command: Command) => {
			const { newToken } = await import('../../platform/crypto/token.ts')
			const secret = newToken(options.ingest ? tokenPrefixes.ingestToken : tokenPrefixes.key)
			answer(command, { secret }, [secret])
		})
}

async function createKey(options: CreateOptions, command: Command): Promise<void> {
	const wanted = {
		workspace: options.workspace,
		name: options.name,
		scopes: options.scopes?.split(',').map((scope) => scope.trim()),
		agentId: options.agent,
		ingest: options.ingest === true,
		expiresAtMs: options.expires === undefined ? null : parseTime(options.expires),
	}
	const { withControlStore, openIdentityAdmin } = await loadStore()
	const { fields, secret } = await withControlStore((access) => openIdentityAdmin(access).createKey(wanted))
	answer(command, { ...fields, secret }, [secret])
}

async function revokeKey(id: string, _options: object, command: Command): Promise<void> {
	const { withControlStore, openIdentityAdmin } = await loadStore()
	await withControlStore((access) => openIdentityAdmin(access).revokeKey(id))
	confirmDone(command, { id, status: 'revoked' }, `${id} is revoked.`)
}

/** Loaded only by commands that open the store, because loading takes half a second. */
async function loadStore() {
	const [{ withControlStore }, { openIdentityAdmin }] = await Promise.all([
		import('./control-store.ts'),
		import('../../accounts/identity/identity.ts'),
	])
	return { withControlStore, openIdentityAdmin }
}

async function listKeys(_options: object, command: Command): Promise<void> {
	const client = connect(command)
	const keys = await readAll(async (page) => {
		const query = { ...page, sort: 'name', order: 'asc' } as const
		const { keys: items, pagination } = await unwrap(client.GET('/v1/keys', { params: { query } }))
		return { items, pagination }
	})
	const rows = keys.map(({ id, name, status, prefix, last4, last_used_at, expires_at }) => [
		...[id, name, status, `${prefix}…${last4}`, last_used_at ?? 'never', expires_at ?? 'never'],
	])
	answer(command, { keys }, toTable([['ID', 'NAME', 'STATUS', 'KEY', 'LAST USED', 'EXPIRES'], ...rows]))
}

async function rotateKey(id: string, { grace }: { grace?: string }, command: Command): Promise<void> {
	const params = { path: { id } }
	const body = grace === undefined ? {} : { grace_s: Number(grace) }
	const rotated = await unwrap(connect(command).POST('/v1/keys/{id}/rotate', { params, body }))
	answer(command, rotated, [rotated.key])
}

/** The value of `--expires` in milliseconds. */
export function parseTime(text: string): number {
	const ms = Date.parse(text)
	if (Number.isNaN(ms))
		throw new CommandFailure(exitCodes.usage, `--expires: ${text} is not a time like 2027-01-31T00:00:00Z.`)
	return ms
}
