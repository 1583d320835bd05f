import type { Route } from '../../platform/http/index.ts'
import { type ForwardDependencies, forwardCall } from './forward-call.ts'

const shared = {
	method: '*',
	family: 'model',
	lane: true,
	modelCredentials: true,
	access: { kinds: ['platform_key', 'agent_key'], scope: 'proxy:invoke' },
} as const satisfies Partial<Route>

/** The data-plane routes: `/proxy/{connection}/…`, and the same under `/spotlight/{provider}/v1/…`. */
export function modelRoutes(deps: ForwardDependencies): Route[] {
	return [
		{
			...shared,
			id: 'model-proxy.call',
			path: '/proxy/{connection}/{path...}',
			handle: (request, response, context) => {
				const { connection = '', path = '' } = context.params
				return forwardCall(deps, request, response, context, connection, path)
			},
		},
		{
			...shared,
			id: 'model-proxy.spotlight-call',
			path: '/spotlight/{provider}/v1/{path...}',
			handle: (request, response, context) => {
				const { provider = '', path = '' } = context.params
				return forwardCall(deps, request, response, context, provider, `v1/${path}`)
			},
		},
	]
}
