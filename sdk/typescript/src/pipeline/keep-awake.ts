interface RequestContext {
	get?(): { waitUntil?(promise: Promise<unknown>): void } | undefined
}

const requestContext = Symbol.for('@vercel/request-context')
const frozenBetweenCalls = ['AWS_LAMBDA_FUNCTION_NAME', 'VERCEL', 'FUNCTION_TARGET', 'NETLIFY'] as const

/** Whether the platform freezes the process between calls, so that nothing may wait for a timer. */
export function isFrozenBetweenCalls(environment: NodeJS.ProcessEnv = process.env): boolean {
	return frozenBetweenCalls.some((name) => environment[name])
}

/** Asks the platform to keep the process running until a promise has settled, if it supports that. */
export function keepAwake(promise: Promise<unknown>): void {
	const holder = globalThis as unknown as Record<symbol, RequestContext | undefined>
	holder[requestContext]?.get?.()?.waitUntil?.(promise)
}
