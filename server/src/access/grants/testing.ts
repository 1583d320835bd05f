import {
	startTestApp,
	type TestApp,
	type TestCore,
	type TestOptions,
} from '../../accounts/identity/testing.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { BoundOperation } from '../../platform/http/operations.ts'
import { createSafeFetch, type SafeFetchOptions } from '../../platform/safe-fetch.ts'
import { openServers, openServerView, type ServerDependencies, type Servers } from '../../servers/servers.ts'
import { openToolDefinitions } from '../../servers/tool-definitions/tool-definitions.ts'
import { type Agents, openAgents, openAgentView } from '../agents/agents.ts'
import { type AccessGrants, openAccessGrants } from './index.ts'

export interface ControlPlane extends TestApp {
	agents: Agents
	servers: Servers
	grants: AccessGrants
	/** Makes a POST that must answer 201. Resolves with its body. */
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer has.
	create(path: string, body: object, token?: string): Promise<any>
}

export interface ControlPlaneOptions
	extends Pick<TestOptions, 'clock'>,
		Pick<ServerDependencies, 'checkIntervalMs' | 'hosting'> {
	safeFetch?: Partial<SafeFetchOptions>
	/** Operations of further areas that build on these. */
	more?(core: TestCore & Pick<ControlPlane, 'agents' | 'servers' | 'grants'>): BoundOperation[]
}

/** Agents, servers and access grants behind the real ingress; upstreams may live on loopback. */
export async function startControlPlane(
	store: ControlStore,
	options: ControlPlaneOptions = {},
): Promise<ControlPlane> {
	const safeFetch = createSafeFetch({
		allowedNetworks: null,
		loopbackAllowed: true,
		forbidden: () => [],
		...options.safeFetch,
	})
	let areas: Pick<ControlPlane, 'agents' | 'servers' | 'grants'> | undefined
	const app = await startTestApp(store, {
		...(options.clock && { clock: options.clock }),
		open: (core) => {
			const { hosting } = options
			const views = {
				agents: openAgentView(core),
				servers: openServerView({ ...core, ...(hosting && { hosting }) }),
			}
			const grants = openAccessGrants({ ...core, ...views })
			const { deriveGrants } = grants
			const agents = openAgents({
				...core,
				view: views.agents,
				publicUrl: null,
				deriveGrants,
				modelWarnings: () => [],
			})
			const interval =
				options.checkIntervalMs === undefined ? {} : { checkIntervalMs: options.checkIntervalMs }
			const servers = openServers({
				...core,
				...interval,
				...(hosting && { hosting }),
				safeFetch,
				view: views.servers,
				agents: views.agents,
				callTool: () => Promise.reject(new Error('There is no gateway here.')),
				mayRunPrograms: core.instance.mayRunPrograms,
				publicAddress: () => 'http://127.0.0.1:7777',
				accessOf: grants.accessOf,
			})
			const definitions = openToolDefinitions(core)
			areas = { agents, servers, grants }
			const more = options.more?.({ ...core, ...areas }) ?? []
			return {
				operations: [
					...agents.operations,
					...definitions.operations,
					...servers.operations,
					...grants.operations,
					...more,
				],
			}
		},
	})
	const { agents, servers, grants } = areas as NonNullable<typeof areas>
	const create: ControlPlane['create'] = async (path, body, token = app.owner.token) => {
		const answer = await app.request('POST', path, { token, body })
		if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
		return answer.body
	}
	const close = async () => {
		await Promise.all([agents.close(), servers.close()])
		await app.close()
		await safeFetch.close()
	}
	return { ...app, agents, servers, grants, create, close }
}
