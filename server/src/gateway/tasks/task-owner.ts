import type { Caller } from '../operation.ts'
import type { TaskOwner } from './repository.ts'

/** Whose tasks a caller sees: those of its agent for the same person, on the endpoint of one server only those of that. */
export function ownerOf({ workspaceId, agentId, serverId, userId }: Caller): TaskOwner {
	return { workspaceId, agentId, userId: userId ?? '', serverId }
}
