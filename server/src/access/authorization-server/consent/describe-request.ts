import type { authorizationOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { notFound } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import type { AuthorizationContext } from '../authorization-context.ts'
import { findPersonalAgent } from '../authorization-repository.ts'
import type { AuthorizationRequest } from '../authorization-request.ts'
import { isLoopbackUri } from '../clients/redirect-uris.ts'
import { scopeTexts } from '../scopes.ts'
import { mayChooseAgent } from './choose-agent.ts'

type Consent = OutputOf<(typeof authorizationOperations)['consent']>

/** What the consent page shows. `not_found` when the server of the resource is none of this workspace. */
export async function describeRequest(
	{ store, agents, servers }: AuthorizationContext,
	person: UserPrincipal,
	asked: AuthorizationRequest,
): Promise<Consent> {
	const { workspaceId, userId } = person
	const agentId = await findPersonalAgent(store.db, workspaceId, userId)
	const agent = agentId === undefined ? undefined : agents.view.get(agentId)
	return {
		client: {
			id: asked.clientId,
			name: asked.clientName,
			uri: asked.clientUri,
			verified_host: asked.verifiedHost,
		},
		redirect_host: hostOf(asked.redirectUri),
		is_local: isLoopbackUri(asked.redirectUri),
		scopes: asked.scopes.map((scope) => ({ scope, description: scopeTexts[scope] })),
		resource: asked.resource,
		server: serverOf(servers.view, workspaceId, asked),
		workspace: { id: workspaceId },
		own_agent: agent ? { uuid: agent.id, name: agent.name } : null,
		may_choose_agent: mayChooseAgent(person),
		expires_at: toIso(asked.expiresAtMs),
	}
}

/** The server that a request is about, as people know it; null for all of them. */
export function serverOf(
	servers: AuthorizationContext['servers']['view'],
	workspaceId: string,
	{ server: name }: AuthorizationRequest,
): { id: string; name: string } | null {
	if (name === null) return null
	const server = servers.find(workspaceId, name)
	if (!server) throw notFound('MCP server')
	return { id: server.id, name: server.name }
}

function hostOf(redirectUri: string): string {
	const { host, protocol } = new URL(redirectUri)
	return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}
