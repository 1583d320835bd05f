import { startMockProvider } from '../../server/src/models/proxy/testing.ts'
import { call, owner, type Program } from '../../server/src/program/program.testing.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { sharedStage } from './shared-stage.ts'
import { newLedger, type WriterTargets } from './writers.ts'

/** Starts the MCP server and the mock provider that the writers of the crash tests use. Both keep running when the program is killed. */
export async function openCrashStage() {
	const [upstream, provider] = await Promise.all([startEverythingServer(), startMockProvider()])
	return {
		ledgers: { otlp: newLedger(), gateway: newLedger(), models: newLedger() },
		/** Prepares a fresh workspace: a server, an agent with a key and a grant, a provider key, an ingest token. */
		setUp: (program: Pick<Program, 'api'>) => setUp(program, upstream.url, provider.url),
		close: () => Promise.all([upstream.close(), provider.close()]),
	}
}

async function setUp(
	program: Pick<Program, 'api'>,
	serverUrl: string,
	providerUrl: string,
): Promise<Omit<WriterTargets, 'url'>> {
	const create = <T>(path: string, body: unknown) => createPatiently<T>(program, path, body)
	const server = await create<{ id: string; slug: string }>('/v1/mcp/servers', {
		name: 'Everything',
		url: serverUrl,
	})
	const agent = await create<{ uuid: string }>('/v1/agents', { name: 'Crash' })
	const { key } = await create<{ key: string }>(`/v1/agents/${agent.uuid}/keys`, { name: 'k' })
	await create(`/v1/mcp/servers/${server.id}/access`, { agent_uuid: agent.uuid, access_mode: 'all' })
	await create('/v1/provider-keys', {
		name: 'openai',
		provider: 'openai',
		key: 'sk-crash-test',
		base_url: `${providerUrl}/v1`,
	})
	const { token } = await create<{ token: string }>('/v1/ingest-tokens', { name: 't' })
	return { ingestToken: token, agentKey: key, serverSlug: server.slug }
}

/** Creates an object and retries while the program answers `overloaded`, as it may right after a start on a slow disk. */
async function createPatiently<T>(program: Pick<Program, 'api'>, path: string, body: unknown): Promise<T> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await program.api<T>('POST', path, body, 201)
		} catch (error) {
			if (attempt === 20 || !String(error).includes('"overloaded"')) throw error
			await new Promise((resolve) => setTimeout(resolve, 500))
		}
	}
}

/** Creates a workspace in the shared instance, for a test that neither kills the program nor gives it settings. */
export async function openWorkspace(name: string): Promise<Pick<Program, 'url' | 'api'>> {
	const { url } = (await sharedStage()).program
	const as = (token: string): Program['api'] => {
		return (method, path, body, expected = 200) => call(url, method, path, body, expected, token)
	}
	const owned = as((await as('')<{ token: string }>('POST', '/auth/login', owner)).token)
	const { id } = await owned<{ id: string }>('POST', '/v1/workspaces', { name }, 201)
	const { token } = await owned<{ token: string }>('POST', '/auth/switch', { workspace_id: id })
	return { url, api: as(token) }
}
