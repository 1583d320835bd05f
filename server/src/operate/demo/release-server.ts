import type { DemoRelease } from './day/session.ts'
import { releaseHeader } from './hosts/answer-mcp.ts'
import { demoServers } from './hosts/servers.ts'
import type { IngressClient } from './ingress-client.ts'
import type { Made } from './make-objects.ts'

/** A server answers as its next release from now on, and is asked for its tools anew. */
export async function releaseServer(
	client: IngressClient,
	{ servers }: Made,
	{ host }: DemoRelease,
): Promise<void> {
	const path = `/v1/mcp/servers/${servers.get(host)?.id}`
	const release = demoServers.find((server) => server.host === host)?.releases.at(-1) ?? ''
	await client.call('PATCH', path, { headers: { [releaseHeader]: release } })
	await client.call('POST', `${path}/tools/refresh`)
}
