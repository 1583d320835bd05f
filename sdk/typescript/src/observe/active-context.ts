import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, context, ROOT_CONTEXT } from '@opentelemetry/api'

/** Replaces a context manager if the application has none, so that what a handler sends is a child of its span. */
const storage = new AsyncLocalStorage<Context>()

export function activeContext(): Context {
	const active = context.active()
	return active === ROOT_CONTEXT ? (storage.getStore() ?? active) : active
}

export function runIn<T>(active: Context, run: () => T): T {
	return storage.run(active, () => context.with(active, run))
}
