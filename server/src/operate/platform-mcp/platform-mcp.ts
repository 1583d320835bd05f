import type { Route } from '../../platform/http/index.ts'
import { platformMcpRoutes } from './platform-mcp-routes.ts'
import type { Ingress } from './send-through-ingress.ts'

export interface PlatformMcpDeps {
	version: string
	/** Our own ingress; asked only once requests come. */
	ingress: Ingress
}

export interface OpenPlatformMcp {
	routes: Route[]
}

/** `/mcp/platform`: operations of the platform API as tools, run through the same ingress as the same caller. */
export function openPlatformMcp({ version, ingress }: PlatformMcpDeps): OpenPlatformMcp {
	return { routes: platformMcpRoutes(ingress, version) }
}
