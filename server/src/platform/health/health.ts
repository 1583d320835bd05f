import { createHash, timingSafeEqual } from 'node:crypto'
import { systemOperations } from '@signalbox/contract'
import { Problem } from '../errors.ts'
import { type BoundOperation, bind } from '../http/operations.ts'
import type { Route } from '../http/route.ts'
import type { Metrics } from './metrics.ts'

export interface HealthOptions {
	version: string
	/** Each check by name: null if healthy, otherwise a sentence without ids. */
	checks: Record<string, () => Promise<string | null> | string | null>
	/** Shown by `?verbose` besides the checks, without affecting readiness: null if there is nothing to report. */
	notes?: Record<string, () => string | null>
	isDraining(): boolean
	metrics: Metrics
	/** Bearer token required by /metrics; null: open to local callers of an instance that is not exposed. */
	metricsToken: string | null
	exposed: boolean
}

export function createHealth(options: HealthOptions): { operations: BoundOperation[]; routes: Route[] } {
	const alive = () => ({ status: 'ok' })
	const operations = bind(systemOperations, {
		livez: alive,
		healthz: alive,
		readyz: ({ query }) => answerReadiness(options, query.verbose !== undefined),
		version: () => ({ version: options.version }),
	})
	return { operations, routes: [metricsRoute(options)] }
}

async function answerReadiness(
	options: HealthOptions,
	verbose: boolean,
): Promise<{ status: string; checks?: Record<string, string> }> {
	if (options.isDraining()) throw new Problem('shutting_down', undefined, { retryAfterS: 5 })
	const entries = await Promise.all(
		Object.entries(options.checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
	)
	const failing = entries.filter(([, result]) => result !== null)
	if (failing.length > 0)
		throw new Problem('store_unavailable', failing.map(([name, result]) => `${name}: ${result}`).join('; '), {
			retryAfterS: 2,
		})
	const notes = Object.entries(options.notes ?? {}).map(([name, note]) => [name, note()] as const)
	return {
		status: 'ok',
		...(verbose && { checks: Object.fromEntries([...entries, ...notes].map(toCheck)) }),
	}
}

function toCheck([name, trouble]: readonly [string, string | null]): [string, string] {
	return [name, trouble ?? 'ok']
}

async function runCheck(check: HealthOptions['checks'][string]): Promise<string | null> {
	try {
		return await check()
	} catch {
		return 'does not answer'
	}
}

function metricsRoute({ metrics, metricsToken, exposed }: HealthOptions): Route {
	return {
		id: 'system.metrics',
		method: 'GET',
		path: '/metrics',
		access: { public: true },
		family: 'api',
		always: true,
		handle: async (request, response, context) => {
			const allowed = metricsToken
				? isBearer(request.headers.authorization, metricsToken)
				: context.loopback && !exposed
			if (!allowed)
				throw new Problem('unauthenticated', 'Metrics need the bearer token of SIGNALBOX_METRICS_TOKEN.', {
					headers: { 'www-authenticate': 'Bearer' },
				})
			const { contentType, text } = await metrics.render()
			response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text)
		},
	}
}

function isBearer(header: string | undefined, token: string): boolean {
	return timingSafeEqual(
		createHash('sha256')
			.update(header ?? '')
			.digest(),
		createHash('sha256').update(`Bearer ${token}`).digest(),
	)
}
