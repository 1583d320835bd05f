import type { ServerEntry } from '../../../servers/index.ts'
import type { Listing } from '../../catalog/listing.ts'
import type { Gateway } from '../../gateway.ts'
import type { Caller } from '../../operation.ts'
import { exposeNames, prefixIn } from '../../tool-names.ts'

export interface PromptChoice {
	server: ServerEntry
	/** The server's own name as far as it is known without asking. */
	own: string | null
	/** The server's own name; asks for its prompts when their names are not known. */
	ask(): Promise<string>
}

/** The prompt that a client names: by the server's own name, or by the exposed one on the aggregate. */
export function findPrompt(gateway: Gateway, caller: Caller, name: string): PromptChoice | null {
	const { enforcement, catalog } = gateway
	if (caller.serverId !== null) {
		const server = enforcement.server(caller.serverId)
		return server ? { server, own: name, ask: async () => name } : null
	}
	const prefix = prefixIn(name)
	const server = enforcement
		.serversOf(caller.agentId)
		.find(({ toolPrefix, slug }) => toolPrefix === prefix || slug === prefix)
	if (!server) return null
	const known = catalog.known(server, 'prompts', caller)
	return {
		server,
		own: known && ownName(known, prefix, name),
		ask: async () => {
			const listing = await catalog.list(server, 'prompts', caller)
			return (listing && ownName(listing, prefix, name)) ?? name.slice(prefix.length + 2)
		},
	}
}

/** The server's own names of prompts, with those that the aggregate gives them. */
export function promptNames(prefix: string, { items }: Listing): Map<string, string> {
	return exposeNames(
		prefix,
		items.map(({ key }) => key),
	)
}

/** Null when no listed prompt is exposed by that name. */
function ownName(listing: Listing, prefix: string, exposed: string): string | null {
	for (const [own, shown] of promptNames(prefix, listing)) if (shown === exposed) return own
	return null
}
