/** The parts of `oidc-provider` that the tests use; the package has no types. */
declare module 'oidc-provider' {
	import type { IncomingMessage, ServerResponse } from 'node:http'

	export interface KoaContext {
		path: string
		status: number
		// biome-ignore lint/suspicious/noExplicitAny: tests change arbitrary parts of the response.
		body: any
	}

	export default class Provider {
		constructor(issuer: string, configuration: object)
		use(middleware: (context: KoaContext, next: () => Promise<void>) => Promise<void>): void
		callback(): (request: IncomingMessage, response: ServerResponse) => void
	}
}
