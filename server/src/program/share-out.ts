import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRouter, plainPath, type Route, type RouteFamily } from '../platform/http/index.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** The traffic that workers are there for. */
const ofWorkers: ReadonlySet<RouteFamily> = new Set(['mcp', 'model', 'otlp'])
/** It calls the platform API. */
const platformMcp = 'mcp.platform'

/** In a worker: agents, models and telemetry are served here, everything else by the primary. */
export function shareOut(of: { routes: readonly Route[]; handle: Handle; forward: Handle }): Handle {
	const match = createRouter(of.routes)
	const isOwn = (request: IncomingMessage) => {
		const { path } = plainPath(request.url ?? '/')
		const found = match(request.method ?? 'GET', path)
		if (!found.found) return found.family !== null && ofWorkers.has(found.family)
		return ofWorkers.has(found.route.family) && found.route.id !== platformMcp
	}
	return (request, response) => {
		if (isOwnOrUnclear(isOwn, request)) of.handle(request, response)
		else of.forward(request, response)
	}
}

/** A path that the ingress refuses is refused here. */
function isOwnOrUnclear(isOwn: (request: IncomingMessage) => boolean, request: IncomingMessage): boolean {
	try {
		return isOwn(request)
	} catch {
		return true
	}
}
