import type { Command } from 'commander'
import { openIdentityAdmin } from '../identity/index.ts'
import { newToken } from '../platform/crypto/token.ts'
import { isJson } from './config-commands.ts'
import { withControlStore } from './control-store.ts'
import { CommandFailure, exitCodes, printResult } from './outcome.ts'
import { rotateMasterKey } from './rotate-master-key.ts'

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
		.description('Create a key and print its secret, once')
		.requiredOption('--name <name>', 'what it is for')
		.option('--workspace <name or id>', 'whose key it is', 'default')
		.option('--scopes <list>', 'comma-separated, or `all`')
		.option('--agent <id>', 'a key that acts as this agent')
		.option('--ingest', 'an ingest token: writes telemetry, nothing else')
		.option('--expires <time>', 'RFC 3339')
		.action(createKey)
	keys
		.command('revoke <id>')
		.description('Revoke a key or ingest token; running streams are cut')
		.action(revokeKey)
	keys
		.command('rotate-master')
		.description('Replace the master key of an instance that does not run, or end an interrupted rotation')
		.action(rotateMasterKey)
	keys
		.command('generate')
		.description('Print a value for SIGNALBOX_INIT_PLATFORM_KEY; nothing is stored')
		.option('--ingest', 'a value for SIGNALBOX_INIT_INGEST_TOKEN')
		.action((options: { ingest?: true }, command: Command) => {
			const secret = newToken(options.ingest ? 'it_service_' : 'sk_service_')
			printResult(isJson(command), { secret }, [secret])
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
	const { fields, secret } = await withControlStore((access) => openIdentityAdmin(access).createKey(wanted))
	printResult(isJson(command), { ...fields, secret }, [secret])
}

async function revokeKey(id: string, _options: object, command: Command): Promise<void> {
	await withControlStore((access) => openIdentityAdmin(access).revokeKey(id))
	printResult(isJson(command), { id, status: 'revoked' }, [`${id} is revoked.`])
}

function parseTime(text: string): number {
	const ms = Date.parse(text)
	if (Number.isNaN(ms))
		throw new CommandFailure(exitCodes.usage, `--expires: ${text} is not a time like 2027-01-31T00:00:00Z.`)
	return ms
}
