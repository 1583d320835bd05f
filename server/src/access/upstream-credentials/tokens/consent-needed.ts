import type { UpstreamOwner } from '@signalbox/contract'

/** There is no good token for a server, and only a person can bring one about. */
export class ConsentNeeded extends Error {
	/** Our page where that person agrees, or null when a page does not help. */
	readonly url: string | null

	/** `whose`: the owner of the missing token; `person` when nobody knows which person it is. */
	constructor(server: string, whose: UpstreamOwner | 'person', url: string | null) {
		super(textOf(server, whose, url))
		this.url = url
	}
}

function textOf(server: string, whose: UpstreamOwner | 'person', url: string | null): string {
	if (whose === 'person')
		return `The MCP server ${server} acts for single persons, and this client says for none: connect it by OAuth, not by a key.`
	if (url === null)
		return `The authorization server of the MCP server ${server} gave us no token; an admin can look at its settings.`
	const who = { user: 'You have', agent: 'An admin has', workspace: 'An admin has' }[whose]
	return `${who} to connect the MCP server ${server} first: ${url}`
}
