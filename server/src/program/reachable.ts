import type { Identity } from '../accounts/identity/index.ts'
import { type Config, isLoopbackHost } from '../config/config.ts'

/** Where our own requests may go: never to ourselves or our stores. Operators change the rest while the instance runs. */
export function addressRules(
	config: Config,
	ownPorts: () => readonly number[],
	setting: Identity['setting'],
) {
	return {
		get allowedNetworks() {
			return setting('private_networks')
		},
		get loopbackAllowed() {
			return setting('loopback_targets')
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

/** From which origins browsers may call us. */
export function originRules(config: Config) {
	return {
		publicHost: config.PUBLIC_URL ? new URL(config.PUBLIC_URL).hostname : null,
		loopbackOnly: isLoopbackHost(config.HOST),
		corsOrigins: config.CORS_ORIGINS,
	}
}
