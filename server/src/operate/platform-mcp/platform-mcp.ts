import type { Route } from '../../platform/http/index.ts'
import { platformMcpRoutes } from './routes.ts'
import type { Door } from './send-through-ingress.ts'

export interface PlatformMcpDeps {
	version: string
	/** Our own front door; asked only once requests come. */
	door: Door
}

export interface OpenPlatformMcp {
	routes: Route[]
}

/** `/mcp/platform`: operations of the platform API as tools, run through the same door as the same caller. */
export function openPlatformMcp({ version, door }: PlatformMcpDeps): OpenPlatformMcp {
	return { routes: platformMcpRoutes(door, version) }
}
