import type { IncomingMessage, ServerResponse } from 'node:http'
import { upstreamCredentialOperations } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import {
	type BoundOperation,
	basePathOf,
	bind,
	principalIn,
	type RequestContext,
	type Route,
	sendJson,
	userIn,
} from '../../platform/http/index.ts'
import { callbackPath, describeClient, documentPath } from './authorization-servers/our-client.ts'
import { disconnect, listConnections } from './connections.ts'
import { beginConsent, finishConsent } from './consent/begin-consent.ts'
import type { UpstreamContext } from './tokens/upstream-tokens.ts'
import { setAuth, showAuth } from './upstream-auth.ts'
import { addressOf, changeBy } from './upstream-credential-context.ts'

export function upstreamOperations(upstream: UpstreamContext): BoundOperation[] {
	return bind(upstreamCredentialOperations, {
		get: ({ params, request, context }) =>
			showAuth(upstream, principalIn(context).workspaceId, params.id, addressOf(upstream, request)),
		replace: ({ params, body, request, context }) =>
			setAuth(upstream, changeBy(context), params.id, body, addressOf(upstream, request)),
		authorize: async ({ params, body, request, context, setHeader }) => {
			const wanted = { agentId: body?.agent_uuid, scope: body?.scope }
			const { url, cookie } = await beginConsent(upstream, request, userIn(context), params.id, wanted)
			setHeader('set-cookie', cookie)
			return { url }
		},
		connections: ({ params, context }) => listConnections(upstream, userIn(context), params.id),
		disconnect: async ({ params, context }) => {
			await disconnect(upstream, userIn(context), changeBy(context), params.id, params.connectionId)
			return undefined
		},
	})
}

/** Where authorization servers send browsers back, and what they read of us. */
export function upstreamRoutes(upstream: UpstreamContext): Route[] {
	const open = { access: { public: true }, family: 'page', method: 'GET' } as const
	return [
		{
			...open,
			id: 'oauth.upstream-callback',
			path: callbackPath,
			handle: (...visit) => answerCallback(upstream, ...visit),
		},
		{
			...open,
			id: 'oauth.client-metadata',
			path: documentPath,
			handle: (request, response) => {
				const address = addressOf(upstream, request)
				sendJson(response, 200, { client_id: `${address}${documentPath}`, ...describeClient(address) })
			},
		},
	]
}

/** Leads back to the dashboard, which says how it ended. */
async function answerCallback(
	upstream: UpstreamContext,
	request: IncomingMessage,
	response: ServerResponse,
	{ search, requestId }: RequestContext,
): Promise<void> {
	const base = basePathOf(upstream.publicUrl)
	const location = await finishConsent(upstream, request, search, requestId).then(
		(serverId) => {
			lookAgain(upstream, serverId)
			return `${base}/ui/connect/${serverId}?connected=true`
		},
		(error: unknown) => {
			upstream.log.warn({ err: error, request_id: requestId }, 'upstream credentials: a consent failed')
			if (!(error instanceof Problem)) throw error
			return `${base}/ui/connect/failed?error=${error.code}`
		},
	)
	response
		.writeHead(302, {
			location,
			'cache-control': 'no-store',
			'referrer-policy': 'no-referrer',
			'content-length': 0,
		})
		.end()
}

/** Its tools can be listed now; nobody waits for that. */
function lookAgain({ servers, log }: UpstreamContext, serverId: string): void {
	servers
		.refresh(serverId)
		.catch((error: unknown) =>
			log.warn({ err: error, server_id: serverId }, 'upstream credentials: no check'),
		)
}
