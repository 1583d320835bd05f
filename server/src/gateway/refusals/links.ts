/** Pages of the dashboard that help with a refusal; they show nothing to who may not see it. */
export interface RefusalLinks {
	/** Where a person of the workspace asks for access for an agent. `tool` is as the agent named it. */
	access(agentId: string, tool: string | null): string
	/** Where an admin looks at changed definitions of a server's tools. */
	definitions(serverId: string): string
	/** Where an approver decides about a call. */
	approval(approvalId: string): string
}

/** Longer names are left out: the page asks for them. */
const nameMax = 64

export function createRefusalLinks(publicAddress: () => string): RefusalLinks {
	return {
		access: (agentId, tool) => {
			const named =
				tool !== null && tool.length <= nameMax ? `&tool=${encodeURIComponent(tool.toWellFormed())}` : ''
			return `${publicAddress()}/ui/access-requests?agent=${agentId}${named}`
		},
		definitions: (serverId) => `${publicAddress()}/ui/servers/${serverId}/definitions`,
		approval: (approvalId) => `${publicAddress()}/ui/approvals/${approvalId}`,
	}
}
