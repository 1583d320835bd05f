import type { BodyOf, serverOperations } from '@signalbox/contract'
import type { Sealer } from '../platform/crypto/seal.ts'
import { Problem } from '../platform/errors.ts'
import type { Caller, ServerContext } from './server-context.ts'
import type { ServerRow } from './server-repository.ts'

type Program = Pick<BodyOf<(typeof serverOperations)['create']>, 'command' | 'args' | 'env'>

/** Variables that make a program load code other than its own. */
const loading =
	/^(LD_|DYLD_)|^(NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5LIB|PERL5OPT)$|^(RUBYLIB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|BASH_ENV|ENV|GIT_SSH_COMMAND|PATH)$/i

/**
 * Names of variables that people other than an owner may set: credentials and service addresses, which tell a program whom to talk
 * to and not what to run. Interpreters, package managers and the system's libraries have more variables that run commands
 * (`PYTHONWARNINGS`, `BROWSER`, `GCONV_PATH`, …) than a block list could cover.
 */
const credentialLike =
	/^(?!(NODE|NPM|YARN|PNPM|BUN|DENO|PYTHON|PIP|UV|CONDA|RUBY|GEM|BUNDLE|PERL|PHP|JAVA|JDK|JVM|MAVEN|GRADLE|DOTNET|CORECLR|GO|RUST|CARGO|GIT|SSH|LD|DYLD|GLIBC|MALLOC|OPENSSL|SSL|CURL|BASH|ZSH|HTTP|HTTPS|ALL|NO|DISPLAY|DBUS|XDG|ELECTRON)_)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_(KEY|TOKEN|PAT|SECRET|PASSWORD|PASS|USER|USERNAME|EMAIL|ID|URL|URI|HOST|PORT|REGION|PROJECT|DATABASE|DB|ORG|ORGANIZATION|ACCOUNT|WORKSPACE|TENANT|DOMAIN|TEAM)$|^(TZ|TOKEN|API_KEY|DATABASE_URL|LOG_LEVEL)$/

/** Programs run commands on our machine. So an operator must give the workspace the right, and keys need a special scope. */
export function requireProgramRight(
	{ mayRunPrograms }: ServerContext,
	{ workspaceId, mayChangePrograms }: Pick<Caller, 'workspaceId' | 'mayChangePrograms'>,
): void {
	if (!mayChangePrograms)
		throw new Problem('forbidden', 'Programs (stdio) need a key with the scope programs:write.')
	if (mayRunPrograms(workspaceId)) return
	throw new Problem(
		'stdio_not_allowed',
		'This workspace may not register programs (stdio). An operator of the instance can give it that right.',
	)
}

/** The columns for a given program. Throws `invalid_request`. */
export function programColumns(
	sealer: Sealer,
	server: Pick<ServerRow, 'id' | 'workspace_id' | 'sealed_env'>,
	{ command, args, env }: Program,
	{ isOwner }: Pick<Caller, 'isOwner'>,
): Partial<Pick<ServerRow, 'command' | 'args' | 'sealed_env'>> {
	for (const [index, arg] of (args ?? []).entries()) refuseNul(`/args/${index}`, arg)
	if (command !== undefined) refuseNul('/command', command)
	if (env && !isOwner) refuseUnlisted(env, openedOrNone(sealer, server))
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

/** Variables that an owner set may be sent back unchanged. */
function refuseUnlisted(env: Record<string, string>, stored: Record<string, string>): void {
	for (const [name, value] of Object.entries(env))
		if (!credentialLike.test(name) && !(Object.hasOwn(stored, name) && stored[name] === value))
			throw malformed(
				`/env/${name}`,
				'may be set by an owner only; others set names of credentials and addresses, like API_KEY, GITHUB_TOKEN or SERVICE_URL',
			)
}

function openedOrNone(sealer: Sealer, server: Parameters<typeof openEnv>[1]): Record<string, string> {
	try {
		return openEnv(sealer, server)
	} catch {
		return {}
	}
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
