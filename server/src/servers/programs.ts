import type { BodyOf, serverOperations } from '@signalbox/contract'
import type { Sealer } from '../platform/crypto/seal.ts'
import { Problem } from '../platform/errors.ts'
import type { ServerContext } from './context.ts'
import type { ServerRow } from './repository.ts'

type Program = Pick<BodyOf<(typeof serverOperations)['create']>, 'command' | 'args' | 'env'>

/** Variables that make a program load other code than its own. */
const loading =
	/^(LD_|DYLD_)|^(NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5LIB|PERL5OPT)$|^(RUBYLIB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|BASH_ENV|ENV|GIT_SSH_COMMAND|PATH)$/i

/** Programs run commands on our machine: a right that an operator gives to a workspace. */
export function requireProgramRight({ mayRunPrograms }: ServerContext, workspaceId: string): void {
	if (mayRunPrograms(workspaceId)) return
	throw new Problem(
		'stdio_not_allowed',
		'This workspace may not register programs (stdio). An operator of the instance can give it that right.',
	)
}

/** The columns of a program that was given. Throws `invalid_request`. */
export function programColumns(
	sealer: Sealer,
	server: Pick<ServerRow, 'id' | 'workspace_id'>,
	{ command, args, env }: Program,
): Partial<Pick<ServerRow, 'command' | 'args' | 'sealed_env'>> {
	for (const [index, arg] of (args ?? []).entries()) refuseNul(`/args/${index}`, arg)
	if (command !== undefined) refuseNul('/command', command)
	return {
		...(command !== undefined && { command }),
		...(args && { args: JSON.stringify(args) }),
		...(env && { sealed_env: sealEnv(sealer, server, env) }),
	}
}

function sealEnv(
	sealer: Sealer,
	{ id, workspace_id: workspaceId }: Pick<ServerRow, 'id' | 'workspace_id'>,
	env: Record<string, string>,
): string | null {
	for (const [name, value] of Object.entries(env)) {
		if (!/^[A-Za-z_]\w{0,127}$/.test(name)) throw malformed('/env', 'has a name that no variable can have')
		if (loading.test(name)) throw malformed(`/env/${name}`, 'would change which code runs')
		refuseNul(`/env/${name}`, value)
	}
	if (Object.keys(env).length === 0) return null
	return sealer.seal(JSON.stringify(env), envContext({ id, workspace_id: workspaceId }))
}

export function openEnv(
	sealer: Sealer,
	server: Pick<ServerRow, 'id' | 'workspace_id' | 'sealed_env'>,
): Record<string, string> {
	if (server.sealed_env === null) return {}
	return JSON.parse(sealer.open(server.sealed_env, envContext(server))) as Record<string, string>
}

function envContext({ id, workspace_id: workspaceId }: Pick<ServerRow, 'id' | 'workspace_id'>) {
	return { workspaceId, kind: 'server_env', origin: '', id }
}

function refuseNul(pointer: string, text: string): void {
	if (/[\0\r\n]/.test(text)) throw malformed(pointer, 'has a line break or a NUL')
}

export function malformed(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'invalid', detail }],
	})
}
