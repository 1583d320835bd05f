/** Pages of the dashboard that help with a refusal; they show nothing to who may not see it. */
export interface RefusalLinks {
	/** Where a person of the workspace asks for access for an agent. `tool` is as the agent named it. */
	access(workspaceId: string, agentId: string, tool: string | null): string
	/** Where an admin looks at changed definitions of a server's tools. */
	definitions(workspaceId: string, serverId: string): string
	/** Where an approver decides about a call. */
	approval(workspaceId: string, approvalId: string): string
}

/** Longer names are left out: the page asks for them. */
const nameMax = 64

export function createRefusalLinks(publicAddress: () => string): RefusalLinks {
	const pages = (workspaceId: string) => `${publicAddress()}/ui/w/${workspaceId}`
	return {
		access: (workspaceId, agentId, tool) => {
			const named =
				tool !== null && tool.length <= nameMax ? `&tool=${encodeURIComponent(tool.toWellFormed())}` : ''
			return `${pages(workspaceId)}/access-requests?agent=${agentId}${named}`
		},
		definitions: (workspaceId, serverId) => `${pages(workspaceId)}/servers/${serverId}/definitions`,
		approval: (workspaceId, approvalId) => `${pages(workspaceId)}/approvals/${approvalId}`,
	}
}
