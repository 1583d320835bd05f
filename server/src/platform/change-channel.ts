import { AsyncLocalStorage } from 'node:async_hooks'

/** By which other ingress than the platform API a request came in. */
export type Channel = 'mcp'

const channels = new AsyncLocalStorage<Channel>()

/** Runs a request; whatever it changes, however deep, is marked with the channel in the audit log. */
export function throughChannel<T>(channel: Channel, run: () => T): T {
	return channels.run(channel, run)
}

/** Null for requests that came by the platform API itself. */
export function currentChannel(): Channel | null {
	return channels.getStore() ?? null
}
