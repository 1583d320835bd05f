import type { IncomingMessage } from 'node:http'
import { authorizationOperations } from '@signalbox/contract'
import { type BoundOperation, bind, type Route, sendJson, userIn } from '../../platform/http/index.ts'
import { openRequest } from './authorization-request.ts'
import { authorize } from './authorize.ts'
import { registrationEndpoint } from './clients/registration-endpoint.ts'
import { disconnectClient, listClients } from './consent/connected-clients.ts'
import { decide } from './consent/decide.ts'
import { describeRequest } from './consent/describe-request.ts'
import { type AuthorizationContext, issuerOf } from './context.ts'
import { resourceMetadata, serverMetadata } from './metadata.ts'
import { revocationEndpoint, tokenEndpoint } from './tokens/endpoints.ts'

/** What the person at the consent page and the list of connected clients call. */
export function authorizationRoutes(authorization: AuthorizationContext): BoundOperation[] {
	return bind(authorizationOperations, {
		consent: ({ body, request, context }) =>
			describeRequest(authorization, userIn(context), openRequest(authorization, request, body.request)),
		decide: async ({ body, request, context }) => {
			const asked = openRequest(authorization, request, body.request)
			return { redirect_url: await decide(authorization, userIn(context), asked, body, context.requestId) }
		},
		list: ({ query, context }) => listClients(authorization, userIn(context), query),
		revoke: async ({ params, context }) => {
			await disconnectClient(authorization, userIn(context), params.id, context.requestId)
			return undefined
		},
	})
}

/** What clients call: endpoints of OAuth, whose answers have that protocol's form. */
export function protocolRoutes(context: AuthorizationContext): Route[] {
	const issuer = (request: IncomingMessage) => issuerOf(context, request)
	const resource: Route['handle'] = (request, response, { params }) =>
		sendJson(response, 200, resourceMetadata(issuer(request), params.server ?? null))
	const server: Route['handle'] = (request, response) =>
		sendJson(response, 200, serverMetadata(issuer(request)))
	return [
		route('resource-root', 'GET', '/.well-known/oauth-protected-resource', resource),
		ofResource('resource-all', '/.well-known/oauth-protected-resource/mcp', resource),
		ofResource('resource-one', '/.well-known/oauth-protected-resource/mcp/{server}', resource),
		route('server', 'GET', '/.well-known/oauth-authorization-server', server),
		// Of an address with a path, which goes after this prefix (RFC 8414 §3.1).
		route('server-below', 'GET', '/.well-known/oauth-authorization-server/{path...}', server),
		route('authorize', 'GET', '/oauth/authorize', (request, response, { search }) =>
			authorize(context, request, response, search),
		),
		route('token', 'POST', '/oauth/token', (...visit) => tokenEndpoint(context, ...visit)),
		route('register', 'POST', '/oauth/register', (request, response) =>
			registrationEndpoint(context, request, response),
		),
		route('revoke', 'POST', '/oauth/revoke', (...visit) => revocationEndpoint(context, ...visit)),
	]
}

/** As the addresses of MCP that it is about. */
function ofResource(name: string, path: string, handle: Route['handle']): Route {
	return { ...route(name, 'GET', path, handle), slash: true }
}

function route(name: string, method: string, path: string, handle: Route['handle']): Route {
	return { id: `oauth.${name}`, method, path, access: { public: true }, family: 'page', handle }
}
