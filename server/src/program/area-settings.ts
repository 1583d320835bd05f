import { join } from 'node:path'
import type { Instance } from '../accounts/identity/identity.ts'
import { type Config, readVariable } from '../config/config.ts'
import { isLoopbackHost } from '../config/parse.ts'

/** Environment variables with which the operator's npm reaches its registry. */
function installEnv(): Record<string, string> {
	const names = [
		'HTTP_PROXY',
		'HTTPS_PROXY',
		'NO_PROXY',
		'NODE_EXTRA_CA_CERTS',
		'SSL_CERT_FILE',
		'npm_config_registry',
	]
	return Object.fromEntries(names.flatMap((name) => [[name, readVariable(name)] as const]).filter(isGiven))
}

function isGiven(entry: readonly [string, string | null]): entry is readonly [string, string] {
	return entry[1] !== null
}

/** Where programs of stdio servers are installed, and what they may use. */
export function hostingOf({
	dataDir,
	PROGRAM_PATHS,
	PROGRAM_IDLE_MS,
	PROGRAM_MEMORY_BYTES,
	PROGRAMS_MAX,
}: Config) {
	const limits = { idleMs: PROGRAM_IDLE_MS, memoryBytes: PROGRAM_MEMORY_BYTES, programs: PROGRAMS_MAX }
	return { directory: join(dataDir, 'programs'), readable: PROGRAM_PATHS, limits, installEnv: installEnv() }
}

/** Where our own requests may go: never to ourselves or our stores. Operators can change the rest at run time. */
export function addressRules(
	config: Config,
	ownPorts: () => readonly number[],
	settings: Pick<Instance, 'value'>,
) {
	return {
		get allowedNetworks() {
			return settings.value('private_networks')
		},
		get loopbackAllowed() {
			return settings.value('loopback_targets')
		},
		forbidden: () => [
			...ownPorts().map((port) => ({ port })),
			...[config.DATABASE_URL, config.CLICKHOUSE_URL].flatMap((url) =>
				url ? [{ host: new URL(url).hostname, port: portOf(new URL(url)) }] : [],
			),
		],
	}
}

function portOf(url: URL): number {
	const usual: Record<string, number> = { 'postgres:': 5432, 'postgresql:': 5432, 'http:': 80, 'https:': 443 }
	return url.port ? Number(url.port) : (usual[url.protocol] ?? 0)
}

/** Origins from which browsers may call us. */
export function originRules(config: Config) {
	return {
		publicHost: config.PUBLIC_URL ? new URL(config.PUBLIC_URL).hostname : null,
		loopbackOnly: isLoopbackHost(config.HOST),
		corsOrigins: config.CORS_ORIGINS,
	}
}
